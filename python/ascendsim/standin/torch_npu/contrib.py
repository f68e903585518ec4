# SPDX-License-Identifier: Apache-2.0
"""Nothing of torch_npu.contrib has a kernel here."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"torch_npu.contrib.{name} is not in AscendSim's stand-in for torch_npu")
