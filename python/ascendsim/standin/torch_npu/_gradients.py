# SPDX-License-Identifier: Apache-2.0
"""Backward passes of functions of op-plugin, as its list of derivatives names them."""

import re

import torch

from ascendsim import UserError


def differentiable(function, schema, values, derivatives, find):
    """What `function` makes of `values`, with gradients.

    `values` are those of the schema's parameters, in order. `derivatives` are pairs of names and a formula, which is a call
    of another function; `find` returns the function of a name.
    """
    return _Call.apply((function, schema, derivatives, find), *values)


class _Call(torch.autograd.Function):
    @staticmethod
    def forward(ctx, call, *values):
        function, schema, derivatives, _ = call
        ctx.call, ctx.values = call, values
        made = function(*values)
        ctx.results = made if isinstance(made, (list, tuple)) else (made,)
        marked = derivatives.differentiable or [True] * len(ctx.results)
        ctx.marked = [mark and isinstance(one, torch.Tensor) for mark, one in zip(marked, ctx.results)]
        ctx.mark_non_differentiable(
            *[one for one, mark in zip(ctx.results, ctx.marked) if not mark and isinstance(one, torch.Tensor)]
        )
        return made if isinstance(made, torch.Tensor) else tuple(made)

    @staticmethod
    def backward(ctx, *gradients):
        _, schema, derivatives, find = ctx.call
        names = [one.name for one in schema.arguments]
        known = dict(zip(names, ctx.values)) | {f"result{i}": one for i, one in enumerate(ctx.results)}
        known["grads"] = [one for one, mark in zip(gradients, ctx.marked) if mark]
        known["grad"] = known["grads"][0]
        found = {}
        for targets, formula in derivatives.formulas:
            needed = [ctx.needs_input_grad[1 + names.index(one)] for one in targets]
            if not any(needed):
                continue
            name, words = re.fullmatch(r"(\w+)\((.*)\)", formula).groups()
            made = find(name)(*[_value(word.strip(), known | {"grad_input_mask": needed}) for word in words.split(",")])
            made = made if isinstance(made, (list, tuple)) else (made,)
            found.update({one: gradient for one, gradient, wanted in zip(targets, made, needed) if wanted})
        return (None, *[found.get(name) for name in names])


_FORMS = {
    r"\d+": lambda match, known: int(match[0]),
    r"true|false": lambda match, known: match[0] == "true",
    r"\w+": lambda match, known: known[match[0]],
    r"grads\[(\d+)\]": lambda match, known: known["grads"][int(match[1])],
    r"!(\w+)": lambda match, known: not known[match[1]],
    r"(\w+)\.(?:sym_)?sizes\(\)": lambda match, known: list(known[match[1]].shape),
    r"(\w+)\.(?:sym_)?size\((-?\d+)\)(?:\.expect_int\(\))?": lambda match, known: known[match[1]].shape[int(match[2])],
    r"\((\w+)\.dim\(\) == (\d+)\) \? (.+) : (.+)": lambda match, known: _value(
        match[3 if known[match[1]].dim() == int(match[2]) else 4], known
    ),
    r"(\w+)\.scalar_type\(\)": lambda match, known: known[match[1]].dtype,
}


def _value(word, known):
    """What a word of a formula stands for."""
    for form, value in _FORMS.items():
        if match := re.fullmatch(form, word):
            try:
                return value(match, known)
            except (KeyError, IndexError):
                break
    raise UserError(f"a derivative of op-plugin has '{word}', which is not understood")
