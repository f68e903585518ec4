# SPDX-License-Identifier: Apache-2.0
"""torch_npu's interface for tensors of the CPU: launches of kernels are simulated by AscendSim, PyTorch computes the rest.

A device "npu" is a name for the CPU; its tensors know it. What is not here says so by its name.
"""

import torch

from ascendsim import _front as _ascendsim_front

_ascendsim_front.load(torch)

from . import _device, _library, _operators  # noqa: E402
from ._device import NpuTensor  # noqa: E402, F401

_device.install()

from . import npu  # noqa: E402

torch.npu = npu

from . import profiler, testing  # noqa: E402, F401

__version__ = "2.1.0+ascendsim"


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
