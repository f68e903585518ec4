# SPDX-License-Identifier: Apache-2.0
"""The plug-in of pytest, in a pytest of its own."""

import pytest

from test_run import ADD, RACE

pytest_plugins = ["pytester"]

CASES = f'''
import numpy as np
ADD = {ADD!r}
RACE = {RACE!r}
x = np.ones(8192, np.float16)

def add(kernel, **limits):
    z = np.zeros_like(x)
    kernel(ADD, x, x, 8192, 1024, out=z, blocks=8, **limits)
    return z

def test_good(kernel):
    kernel.assert_close(add(kernel, max_us=1000), x + x)

def test_slow(kernel):
    add(kernel, max_us=0.5)

def test_wrong(kernel):
    kernel.assert_close(add(kernel), 3 * x)

def test_race(kernel):
    kernel(RACE, x[:128], out=np.zeros(128, np.float16))
'''


def test_each_limit_fails_its_test_alone(pytester: pytest.Pytester):
    pytester.makepyfile(CASES)
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1, failed=3)
    result.stdout.fnmatch_lines(["*takes more than 0.5 us*", "*8192 of 8192 elements are wrong*got 2, expected 3*", "*race: vmuls reads*"])
