# SPDX-License-Identifier: Apache-2.0
"""Checks of kernels in pytest: the fixture `kernel` runs one and holds it to its limits.

    def test_add(kernel):
        r = kernel("add.cpp", x, y, out=z, blocks=8, total=x.size, tile=2048, max_us=12)
        kernel.assert_close(z, x + y, rtol=1e-3)
"""

import numpy as np
import pytest

from ._run import run


class Kernel:
    """Runs kernels; keeps every Result in `results`."""

    def __init__(self):
        self.results = []

    def __call__(self, *arguments, max_us=None, no_races=True, **options):
        """As ascendsim.run(); fails the test if the run is slower than `max_us`, or has a hazard."""
        result = run(*arguments, **options)
        self.results.append(result)
        if no_races and result.hazards:
            pytest.fail("\n".join(one["text"] for one in result.hazards), pytrace=False)
        if result.figures["numerics"]["passed"] is False:
            pytest.fail(result.messages or "the numbers are wrong", pytrace=False)
        if max_us is not None and result.time_us > max_us:
            pytest.fail(f"{result!r} takes more than {max_us} us", pytrace=False)
        return result

    @staticmethod
    def assert_close(actual, expected, rtol=1e-3, atol=0.0):
        """Fails with the first element that differs, and how many do."""
        actual, expected = np.asarray(actual), np.asarray(expected)
        if actual.shape != expected.shape:
            pytest.fail(f"shape {actual.shape}, expected {expected.shape}", pytrace=False)
        wide, wanted = actual.astype(np.float64), expected.astype(np.float64)
        wrong = ~np.isclose(wide, wanted, rtol=rtol, atol=atol, equal_nan=True)
        if wrong.any():
            place = tuple(int(i) for i in np.argwhere(wrong)[0])
            pytest.fail(
                f"{int(wrong.sum())} of {wrong.size} elements are wrong, the first at {place}: "
                f"got {wide[place]:g}, expected {wanted[place]:g}",
                pytrace=False,
            )


@pytest.fixture
def kernel():
    """Runs kernels on the simulated chip; see ascendsim.pytest_plugin."""
    return Kernel()
