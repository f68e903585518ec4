# SPDX-License-Identifier: Apache-2.0
"""Operators npu_… of torch_npu by the kernels of libraries: those that `--library` or ASCENDSIM_LIBRARY names."""

import functools
import sys

import torch

from ascendsim import UserError
from ascendsim import _library as libraries
from ascendsim import _op_plugin as op_plugin

from . import _gradients as gradients
from ._device import _plain, placed


@functools.lru_cache(maxsize=None)
def operator_of(name):
    """What `torch_npu.npu_x` calls if op-plugin has that function, or if a library has the operator X; else nothing. Without
    op-plugin arguments go with the operator's inputs in the order of its definition, numbers behind them with its
    attributes, and keywords by name."""
    if op_plugin.folder() is not None and (found := _of_op_plugin(name)) is not None:
        return found
    if not name.startswith("npu_") or not libraries.folders():
        return None
    try:
        libraries.found(name[4:])
    except libraries.MissingOperator:
        return None
    return functools.partial(_called, name[4:])


def _of_op_plugin(name):
    try:
        return _Function(name, op_plugin.load(name))
    except op_plugin.MissingFunction:
        return None
    except UserError as error:
        print(f"ascendsim: torch_npu.{name} of op-plugin is left out: {error}", file=sys.stderr)
        return None


class _Function:
    """A function of op-plugin, for tensors of the device."""

    def __init__(self, name, plain):
        self.__name__, self._plain = name, plain

    def __call__(self, *arguments, **named):
        arguments, named = [*map(_unplaced, arguments)], {key: _unplaced(one) for key, one in named.items()}
        derivatives = op_plugin.derivatives(self.__name__)
        if derivatives is None or not torch.is_grad_enabled() or not _wants_gradients([*arguments, *named.values()]):
            return _placed(self._plain(*arguments, **named))
        schema = getattr(self._plain, self._plain.overloads()[0])._schema
        values = [
            arguments[i] if i < len(arguments) else named.get(one.name, one.default_value)
            for i, one in enumerate(schema.arguments)
        ]
        keywords = [one.name for one in schema.arguments if one.kwarg_only]

        def plain(*given):
            split = len(given) - len(keywords)
            return self._plain(*given[:split], **dict(zip(keywords, given[split:])))

        return _placed(gradients.differentiable(plain, schema, values, derivatives, op_plugin.load))

    @property
    def default(self):
        return self


class Functions:
    """torch.ops.npu: functions that extensions register, else those of torch_npu."""

    def __init__(self, plain):
        self.registered = plain

    def __getattr__(self, name):
        try:
            registered = getattr(self.registered, name)
        except AttributeError:
            found = operator_of(name)
            if found is None:
                raise
            return found
        return (operator_of(name) or registered) if name in op_plugin.loaded else registered


def _wants_gradients(values):
    return any(isinstance(one, torch.Tensor) and one.requires_grad for one in values)


def _unplaced(value):
    if isinstance(value, torch.Tensor):
        return _plain(value)
    return [_unplaced(one) for one in value] if isinstance(value, (list, tuple)) else value


def _placed(value):
    if isinstance(value, torch.Tensor):
        return placed(value)
    return type(value)(map(_placed, value)) if isinstance(value, (list, tuple)) else value


def why_not():
    """Words for a name that is not there: which libraries have no such operator."""
    given = libraries.named()
    return f", nor in {', '.join(given)}" if given else ""


def _called(name, *arguments, **named):
    given = [_on_cpu(one) for one in arguments]
    result, held = libraries.called(name, given, {key: _on_cpu(one) for key, one in named.items()})
    if not result.complete:
        raise RuntimeError(f"{name}: {result.messages}")
    made = [placed(_tensor(array, kind)) for _, array, kind in held]
    return made[0] if len(made) == 1 else tuple(made)


def _on_cpu(value):
    if isinstance(value, torch.Tensor):
        return _plain(value).detach().contiguous()
    return [_on_cpu(one) for one in value] if isinstance(value, (list, tuple)) else value


def _tensor(array, kind):
    if kind == "bfloat16":
        return torch.from_numpy(array.view("int16").copy()).view(torch.bfloat16)
    return torch.from_numpy(array.copy())
