# SPDX-License-Identifier: Apache-2.0
"""What `ascendsim pytest` adds to pytest: tests that need a newer PyTorch are skipped by name."""

import re
import sys

import pytest


_NEWER = (
    re.compile(r"module '(torch[\w.]*)' has no attribute '(\w+)'"),
    re.compile(r"cannot import name '(\w+)' from '(torch(?!_npu)[\w.]*)'"),
    re.compile(r"No module named '(torch(?!_npu)\.[\w.]+)'()"),
)


def _needs_newer(error):
    """Why a test cannot run with this version of PyTorch; None if that is not why it fails."""
    if not isinstance(error, (AttributeError, ImportError)) or "torch" not in sys.modules:
        return None
    for pattern in _NEWER:
        found = pattern.search(str(error))
        if found and "npu" not in found.group(0):
            first, second = found.groups()
            name = f"{second}.{first}" if pattern is _NEWER[1] else ".".join(one for one in (first, second) if one)
            return f"needs a newer PyTorch than {sys.modules['torch'].__version__}: {name} is not there"
    return None


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Of a test."""
    outcome = yield
    reason = _needs_newer(call.excinfo.value) if call.excinfo else None
    if reason:
        report = outcome.get_result()
        report.outcome = "skipped"
        report.longrepr = (str(item.path), 0, f"Skipped: {reason}")


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector):
    """Of a file that cannot be imported."""
    outcome = yield
    report = outcome.get_result()
    error = getattr(getattr(report, "call", None), "excinfo", None)
    reason = _needs_newer(error.value.__cause__ or error.value) if report.outcome == "failed" and error else None
    if reason:
        report.outcome = "skipped"
        report.longrepr = (str(collector.path), 0, f"Skipped: {reason}")
