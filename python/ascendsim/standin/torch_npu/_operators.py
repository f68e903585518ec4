# SPDX-License-Identifier: Apache-2.0
"""Operators of torch_npu that a shipped kernel computes, or that change nothing here."""

import torch

import ascendsim

from ._device import NpuTensor, _plain, placed

__all__ = [
    "get_npu_format",
    "npu_add_rms_norm",
    "npu_dtype_cast",
    "npu_fast_gelu",
    "npu_format_cast",
    "npu_format_cast_",
    "npu_rms_norm",
    "npu_rotary_mul",
    "npu_swiglu",
    "npu_transpose",
]

_PLAIN_FORMATS = (-1, 0, 2)  # undefined, NCHW, ND: how PyTorch lays tensors out


def npu_format_cast(tensor, acl_format, *_, **__):
    """The same tensor for formats that are laid out as PyTorch does; others are not there."""
    if int(acl_format) not in _PLAIN_FORMATS:
        raise NotImplementedError(
            f"npu_format_cast: format {int(acl_format)} is not in AscendSim's stand-in; ND (2) and NCHW (0) are"
        )
    return placed(tensor)


npu_format_cast_ = npu_format_cast


def get_npu_format(tensor):
    return 2


def npu_dtype_cast(tensor, dtype):
    return tensor.to(dtype)


def npu_transpose(tensor, perm, require_contiguous=True):
    made = tensor.permute(*perm)
    return made.contiguous() if require_contiguous else made


def _kernel(name, outputs, inputs, **knobs):
    plain = {key: _plain(one).detach().contiguous() for key, one in inputs.items()}
    result = ascendsim.op(name, out={key: _plain(one) for key, one in outputs.items()}, **plain, **knobs)
    if not result.complete:
        raise RuntimeError(f"{name}: {result.messages}")


def _dtype(tensor):
    return str(tensor.dtype).removeprefix("torch.")


def npu_rms_norm(self, gamma, epsilon=1e-6):
    """y = x / sqrt(mean(x^2) + epsilon) * gamma, and the factor of each row."""
    y = torch.empty_like(self)
    _kernel("rms_norm", {"y": y}, {"x": self, "gamma": gamma.to(self.dtype)}, shape=self.shape, dtype=_dtype(self), epsilon=float(epsilon))
    factor = torch.rsqrt(self.float().pow(2).mean(-1, keepdim=True) + epsilon)
    return placed(y), placed(factor)


def npu_add_rms_norm(x1, x2, gamma, epsilon=1e-6):
    total = x1 + x2
    y, factor = npu_rms_norm(total, gamma, epsilon)
    return y, factor, placed(total)


def npu_swiglu(self, dim=-1):
    """silu(a) * b of the two halves along an axis."""
    shape = list(self.shape)
    shape[dim] //= 2
    y = torch.empty(shape, dtype=self.dtype)
    _kernel("glu", {"y": y}, {"x": self}, shape=self.shape, axis=int(dim), dtype=_dtype(self))
    return placed(y)


def npu_fast_gelu(self):
    """x * sigmoid(1.702 x), by PyTorch."""
    return self * torch.sigmoid(1.702 * self.float()).to(self.dtype)


def npu_rotary_mul(input, r1, r2, rotary_mode="half"):
    """x * cos + rotated(x) * sin, by PyTorch."""
    if rotary_mode != "half":
        raise NotImplementedError(f"torch_npu.npu_rotary_mul: rotary_mode '{rotary_mode}' is not in AscendSim's stand-in; 'half' is")
    first, second = input.chunk(2, -1)
    return input * r1 + torch.cat((-second, first), -1) * r2


assert NpuTensor is not None
