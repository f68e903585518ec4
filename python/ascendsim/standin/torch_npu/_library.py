# SPDX-License-Identifier: Apache-2.0
"""Operators npu_… of torch_npu by the kernels of libraries: those that `--library` or ASCENDSIM_LIBRARY names."""

import functools

import torch

from ascendsim import _library as libraries

from ._device import _plain, placed


@functools.lru_cache(maxsize=None)
def operator_of(name):
    """What `torch_npu.npu_x` calls if a library has the operator X; else nothing. Arguments go with the operator's inputs
    in the order of its definition, numbers behind them with its attributes, and keywords by name."""
    if not name.startswith("npu_") or not libraries.folders():
        return None
    try:
        libraries.found(name[4:])
    except libraries.MissingOperator:
        return None
    return functools.partial(_called, name[4:])


def why_not():
    """Words for a name that is not there: which libraries have no such operator."""
    given = libraries.folders()
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
