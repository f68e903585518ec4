# SPDX-License-Identifier: Apache-2.0
import functools
import unittest

import numpy as np
import torch

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


SupportedDevices = SkipIfNoAscend = SkipIfNotGteCANNVersion = SkipIfRC = _always


def skipIfUnsupportMultiNPU(count):  # noqa: N802: as there
    return unittest.skip(f"needs {count} devices; one is simulated")


def graph_mode(test):
    return functools.wraps(test)(lambda *a, **o: test(*a, **o))
