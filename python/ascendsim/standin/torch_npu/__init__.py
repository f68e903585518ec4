# SPDX-License-Identifier: Apache-2.0
"""torch_npu's interface for tensors of the CPU: launches of kernels are simulated by AscendSim, PyTorch computes the rest.

A device "npu" is a name for the CPU; its tensors know it. What is not here says so by its name.
"""

import torch

from ascendsim import _front as _ascendsim_front

_ascendsim_front.load(torch)

from . import _device, _library, _newer, _operators  # noqa: E402
from ._device import NpuTensor  # noqa: E402, F401

_device.install()
_newer.install()

from . import npu  # noqa: E402

torch.npu = npu
torch.ops.npu = _library.Functions(torch.ops.npu)

from . import profiler, testing  # noqa: E402, F401

__version__ = "2.1.0+ascendsim"

# Element types that PyTorch has not, by the numbers that scripts pass on: 256 and ACL's.
int4, hifloat8, float8_e5m2, float8_e4m3fn, float8_e8m0fnu = 285, 290, 291, 292, 293
float6_e3m2, float6_e2m3, float4_e2m1fn_x2, float4_e1m2fn_x2 = 294, 295, 296, 297


class _C:
    """Options that scripts ask for; none is set."""

    @staticmethod
    def _npu_getOption(name):
        return None

    @staticmethod
    def _npu_setOption(options):
        pass


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    found = _library.operator_of(name)
    if found is not None:
        return found
    if name in _operators.__all__:
        return getattr(_operators, name)
    raise AttributeError(
        f"torch_npu.{name} is not in AscendSim's stand-in for torch_npu{_library.why_not()}; operators that are: "
        f"{', '.join(_operators.__all__)}"
    )
