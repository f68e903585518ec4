# SPDX-License-Identifier: Apache-2.0
"""Kernels as operators of PyTorch: torch.ops.ascendsim.<name>, with gradients.

    ascendsim.torch.register(
        "scale", source="scale.cpp",
        outputs=lambda x, factor: torch.empty_like(x),
        launch=lambda x, factor: {"factor": factor, "total": x.numel(), "blocks": 8},
        backward=lambda grad, x, factor: torch.ops.ascendsim.scale(grad, factor),
        fallback=lambda x, factor: x * factor)
    y = torch.ops.ascendsim.scale(x, 2.0)

An operator runs its kernel on the simulated chip; where that is not possible, plain PyTorch computes it. Tensors are CPU
tensors. It works with PyTorch 1.13 and newer.
"""

import contextlib
import inspect
import warnings
from pathlib import Path

import torch as _torch

from . import _program
from ._errors import UserError
from ._run import run as _run

_NAMESPACE = "ascendsim"
_TYPES = {int: "int", float: "float", bool: "bool", str: "str"}

_library = None  # torch keeps operators as long as this lives
_operators = {}
_mode = "auto"


class Operator:
    """A registered operator: call it, or torch.ops.ascendsim.<name>.

    `results` holds the Result of each run since the last clear(); `last` is the latest.
    """

    def __init__(self, name, schema, parameters, settings):
        self.name = name
        self.schema = schema
        self.results = []
        self._parameters = parameters  # name and kind, in order
        self._settings = settings
        self._warned = False

    @property
    def last(self):
        """The Result of the latest run on the simulated chip; None if there was none."""
        return self.results[-1] if self.results else None

    @property
    def time_us(self) -> float:
        """The device's time of all runs since the last clear()."""
        return sum(one.time_us for one in self.results)

    def clear(self):
        """Forgets the results."""
        self.results.clear()

    def __call__(self, *arguments):
        return getattr(_torch.ops.ascendsim, self.name)(*arguments)

    def __repr__(self):
        return f"<operator ascendsim::{self.schema}, {len(self.results)} runs>"

    # What the dispatcher calls.

    def _checked(self, arguments):
        if self._settings["check"] is not None:
            self._settings["check"](*arguments)

    def _outputs(self, arguments):
        made = self._settings["outputs"](*arguments)
        return list(made) if isinstance(made, (list, tuple)) else [made]

    def _result(self, outputs):
        return outputs[0] if self._settings["returns"] == 1 else tuple(outputs)

    def _meta(self, *arguments):
        self._checked(arguments)
        return self._result(self._outputs(arguments))

    def _cpu(self, *arguments):
        self._checked(arguments)
        fallback = self._settings["fallback"]
        if _mode == "never":
            return self._plain(arguments, "simulate('never') is in force")
        try:
            _program.program()
        except UserError as error:
            if _mode == "always" or fallback is None:
                raise
            return self._plain(arguments, str(error))
        outputs = self._outputs(arguments)
        if all(one.numel() == 0 for one in outputs):
            return self._result(outputs)
        plain = [one.detach().contiguous() if isinstance(one, _torch.Tensor) else one for one in arguments]
        try:
            self.results.append(self._run(plain, outputs))
        except UserError as error:
            if _mode == "always" or fallback is None:
                raise
            return self._plain(arguments, str(error))
        return self._result(outputs)

    def _run(self, arguments, outputs):
        if self._settings["kernel"] is not None:
            return self._settings["kernel"](*arguments, out=self._result(outputs))
        options = {"chip": self._settings["chip"]}
        if self._settings["launch"] is not None:
            options |= self._settings["launch"](*arguments)
        tensors = [one for one in arguments if isinstance(one, _torch.Tensor)]
        return _run(self._settings["source"], *tensors, out=outputs, **options)

    def _plain(self, arguments, reason):
        fallback = self._settings["fallback"]
        if fallback is None:
            raise RuntimeError(f"ascendsim::{self.name} cannot run: {reason}; register it with fallback= to go on without")
        if not self._warned and _mode == "auto":
            warnings.warn(f"ascendsim::{self.name}: plain PyTorch computes it, as {reason}", stacklevel=3)
            self._warned = True
        return fallback(*arguments)

    def _autograd(self, *arguments):
        if self._settings["backward"] is None:
            needs = [name for (name, _), one in zip(self._parameters, arguments) if getattr(one, "requires_grad", False)]
            if needs and _torch.is_grad_enabled():
                raise RuntimeError(
                    f"ascendsim::{self.name} has no gradient, but '{needs[0]}' asks for one: register it with backward=, "
                    "or call it under torch.no_grad()"
                )
            with _below_autograd():
                return self(*arguments)
        return _Gradient.apply(self, *arguments)

    def _backward(self, gradients, arguments):
        back = self._settings["backward"]
        if isinstance(back, str):
            back = getattr(_torch.ops.ascendsim, back)
        given = back(*gradients, *arguments)
        given = list(given) if isinstance(given, (list, tuple)) else [given]
        tensors = [i for i, (_, kind) in enumerate(self._parameters) if kind == "Tensor"]
        if len(given) not in (len(tensors), len(arguments)):
            raise RuntimeError(
                f"ascendsim::{self.name}: backward returns {len(given)} gradients; it needs one for each of the "
                f"{len(tensors)} tensors ({', '.join(self._parameters[i][0] for i in tensors)})"
            )
        if len(given) == len(arguments):
            return given
        found = [None] * len(arguments)
        for i, one in zip(tensors, given):
            found[i] = one
        return found

    def _autocast(self, *arguments):
        wanted = self._settings["autocast"]
        cast = [
            one.to(wanted) if isinstance(one, _torch.Tensor) and one.is_floating_point() else one for one in arguments
        ]
        with _torch.autocast("cpu", enabled=False):
            return self(*cast)


@contextlib.contextmanager
def _below_autograd():
    guard = _torch._C._AutoDispatchBelowAutograd()
    if hasattr(guard, "__enter__"):
        with guard:
            yield
    else:  # of PyTorch 1.13: in force as long as it lives
        try:
            yield
        finally:
            del guard


class _Gradient(_torch.autograd.Function):
    @staticmethod
    def forward(context, operator, *arguments):
        context.operator = operator
        context.plain = [None if isinstance(one, _torch.Tensor) else one for one in arguments]
        context.places = [i for i, one in enumerate(arguments) if isinstance(one, _torch.Tensor)]
        context.save_for_backward(*[arguments[i] for i in context.places])
        with _below_autograd():
            return operator(*arguments)

    @staticmethod
    @_torch.autograd.function.once_differentiable
    def backward(context, *gradients):
        arguments = list(context.plain)
        for i, one in zip(context.places, context.saved_tensors):
            arguments[i] = one
        return (None, *context.operator._backward(gradients, arguments))


@contextlib.contextmanager
def simulate(mode):
    """Where operators run: "auto" (on the simulated chip where that is possible), "always" (or raise), "never" (by
    plain PyTorch). For a with statement."""
    global _mode
    if mode not in ("auto", "always", "never"):
        raise ValueError(f"simulate takes 'auto', 'always' or 'never', not {mode!r}")
    before, _mode = _mode, mode
    try:
        yield
    finally:
        _mode = before


def operators() -> dict:
    """The registered operators by name."""
    return dict(_operators)


def register(
    name,
    *,
    outputs,
    source=None,
    launch=None,
    kernel=None,
    backward=None,
    fallback=None,
    check=None,
    autocast=None,
    returns=1,
    schema=None,
    chip=None,
):
    """Makes a kernel torch.ops.ascendsim.<name>; returns the Operator.

    outputs: a function of the operator's arguments that makes the empty results (torch.empty_like(x), a tuple of
    `returns` tensors). Its parameters are the operator's: tensors, or values annotated int, float, bool or str. It also
    serves tensors of the device meta, so shapes are known without a run.

    source: the path or text of an Ascend C kernel, whose inputs are the operator's tensors in their order; `launch` is a
    function of the same arguments that returns what else ascendsim.run() takes, as {"total": x.numel(), "blocks": 8}.
    Or kernel: a function of the arguments and `out` that runs whatever it takes and returns a Result.

    backward: a function of the gradients of the results and then the operator's arguments that returns a gradient for
    each tensor (None for those without), or the name of an operator that does. fallback: the same by plain PyTorch,
    where the kernel cannot run. check: a function of the arguments that raises for wrong ones. autocast: the type that
    floating-point tensors are cast to under torch.autocast.

    Registering a name again replaces it, with the same schema.
    """
    global _library
    if not name.isidentifier():
        raise ValueError(f"'{name}' cannot be an operator's name: letters, digits and underscores")
    if (source is None) == (kernel is None):
        raise TypeError(f"{name}: give either source= (an Ascend C kernel) or kernel= (a function that runs one)")
    if source is not None and "\n" not in str(source) and not Path(source).is_file():
        raise UserError(f"{source}: there is no such kernel source")
    if schema is None:
        schema, parameters = _schema_of(name, outputs, returns)
    else:
        parameters = _parameters_of(schema)
        returns = len(_torch._C.parse_schema(schema).returns)
    settings = {
        "outputs": outputs,
        "source": Path(source).absolute() if source is not None and "\n" not in str(source) else source,
        "launch": launch,
        "kernel": kernel,
        "backward": backward,
        "fallback": fallback,
        "check": check,
        "autocast": autocast,
        "returns": returns,
        "chip": chip,
    }
    known = _operators.get(name)
    if known is not None:
        if known.schema != schema:
            raise ValueError(f"ascendsim::{name} is there already with another schema: {known.schema}")
        known._settings = settings
        return known
    made = Operator(name, schema, parameters, settings)
    if _library is None:
        _library = _torch.library.Library(_NAMESPACE, "DEF")
    _library.define(schema)
    _library.impl(name, made._cpu, "CPU")
    _library.impl(name, made._meta, "Meta")
    _library.impl(name, made._autograd, "Autograd")
    if autocast is not None:
        _library.impl(name, made._autocast, "AutocastCPU")
    _operators[name] = made
    return made


def _schema_of(name, outputs, returns):
    parameters = []
    for parameter in inspect.signature(outputs).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            raise TypeError(f"{name}: outputs= must name the operator's parameters one by one, without * and **")
        kind = parameter.annotation
        if kind in (parameter.empty, _torch.Tensor):
            parameters.append((parameter.name, "Tensor"))
        elif kind in _TYPES:
            parameters.append((parameter.name, _TYPES[kind]))
        else:
            raise TypeError(f"{name}: parameter '{parameter.name}' is {kind}; possible are Tensor, int, float, bool, str")
    taken = ", ".join(f"{kind} {one}" for one, kind in parameters)
    given = "Tensor" if returns == 1 else "(" + ", ".join(["Tensor"] * returns) + ")"
    return f"{name}({taken}) -> {given}", parameters


def _parameters_of(schema):
    return [(one.name, str(one.type)) for one in _torch._C.parse_schema(schema).arguments]
