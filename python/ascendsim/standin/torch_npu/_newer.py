# SPDX-License-Identifier: Apache-2.0
"""What newer versions of PyTorch do on the CPU and 1.13 does not: half precision, which is computed in float32 here, and
indices of 32 bits."""

import functools

import torch
from torch.overrides import TorchFunctionMode

_NO_HALF = "not implemented for 'Half'"
_NO_INDEX = "tensors used as indices must be long"


class _Newer(TorchFunctionMode):
    def __torch_function__(self, function, types, arguments=(), named=None):
        named = named or {}
        try:
            return function(*arguments, **named)
        except RuntimeError as error:
            if _NO_HALF not in str(error):
                raise
        result = function(*_map(arguments, torch.float16, torch.float32), **_map(named, torch.float16, torch.float32))
        result = _map(result, torch.float32, torch.float16)
        name = getattr(function, "__name__", "")
        target = named.get("out", arguments[0] if name.endswith("_") and not name.endswith("__") and arguments else None)
        return target.copy_(result) if isinstance(target, torch.Tensor) else result


def _map(value, before, after):
    """A value with its tensors of one type as those of another."""
    if isinstance(value, torch.Tensor):
        return value.to(after) if value.dtype == before else value
    if isinstance(value, dict):
        return {key: _map(one, before, after) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        mapped = [_map(one, before, after) for one in value]
        return type(value)(*mapped) if hasattr(value, "_fields") else type(value)(mapped)
    return value


def _indexed(function):
    @functools.wraps(function)
    def indexed(self, index, *value):
        try:
            return function(self, index, *value)
        except IndexError as error:
            if _NO_INDEX not in str(error):
                raise
        return function(self, _map(index, torch.int32, torch.int64), *value)

    return indexed


def install():
    _Newer().__enter__()
    torch.Tensor.__getitem__ = _indexed(torch.Tensor.__getitem__)
    torch.Tensor.__setitem__ = _indexed(torch.Tensor.__setitem__)
