# SPDX-License-Identifier: Apache-2.0
"""Of torch_npu.contrib scripts find transfer_to_npu, after whose import "cuda" means the device; nothing else has a kernel."""

import torch


def __getattr__(name):
    if name == "transfer_to_npu":
        torch.Tensor.cuda = torch.Tensor.npu
        torch.nn.Module.cuda = torch.nn.Module.npu
        torch.cuda = torch.npu
        from . import _device

        _device.names.add("cuda")
        return torch.npu
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"torch_npu.contrib.{name} is not in AscendSim's stand-in for torch_npu")
