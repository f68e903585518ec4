# SPDX-License-Identifier: Apache-2.0
import unittest


def skipIfUnsupportMultiNPU(count):  # noqa: N802: as there
    return unittest.skip(f"needs {count} devices; one is simulated")
