# SPDX-License-Identifier: Apache-2.0
"""What scripts import from torch_npu.npu.utils."""

from . import get_device_name, get_soc_version, synchronize  # noqa: F401
