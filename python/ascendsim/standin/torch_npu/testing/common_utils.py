# SPDX-License-Identifier: Apache-2.0
import functools
import unittest

import numpy as np
import torch

from .. import npu
from .testcase import run_tests  # noqa: F401


def create_common_tensor(item, low, high, device="npu"):
    """Random values of (type, format, shape) as a pair: on the CPU and on the device. The format changes nothing."""
    kind, _, shape = item
    kind = np.float16 if kind is np.half else kind
    values = np.random.uniform(low, high, shape)
    plain = torch.from_numpy(np.asarray(values, np.float32)).bfloat16() if kind is torch.bfloat16 else torch.from_numpy(values.astype(kind))
    return plain, plain.to(device)


def get_npu_device():
    return "npu:0"


def _always(*_, **__):
    return lambda test: test


SkipIfNoAscend = SkipIfNotGteCANNVersion = SkipIfRC = _always


def SupportedDevices(names):  # noqa: N802: as there
    """Leaves a test out whose list of devices does not have the simulated one: Ascend910B for 910b1 to 910b4, Ascend910_93
    or Ascend910C for a 910C, Ascend310P, Ascend910A."""
    own = npu.get_device_name()
    same = {"Ascend910C": ("Ascend910C", "Ascend910_93"), "Ascend310P3": ("Ascend310P",)}.get(own, (own[: len("Ascend910B")],))
    return unittest.skipUnless(any(one in same for one in names), f"is for {', '.join(names)}; {own} is simulated")


def graph_mode(test):
    return functools.wraps(test)(lambda *a, **o: test(*a, **o))
