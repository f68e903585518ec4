# SPDX-License-Identifier: Apache-2.0
"""The compiled part of the Python package, for pip: python/native and the reader of recordings."""

import re
import sysconfig
from pathlib import Path

from setuptools import Extension, setup

ROOT = Path(__file__).parent


def sources():
    found = ["python/native/recording.cpp"]
    for folder in ("sim/base", "sim/process", "sim/record"):
        found += sorted(str(one.relative_to(ROOT)) for one in (ROOT / folder).glob("*.cpp") if not one.name.endswith("_test.cpp"))
    return found


def version():
    return re.search(r"project\([^)]*VERSION\s+([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def includes():
    try:
        import pybind11

        return [pybind11.get_include()]
    except ImportError:  # of Debian's pybind11-dev, in the usual folder
        return []


setup(
    version=version(),
    ext_modules=[
        Extension(
            "ascendsim._native",
            sources(),
            include_dirs=[".", *includes(), sysconfig.get_paths()["include"]],
            libraries=["fmt", "zstd"],
            extra_compile_args=["-std=c++20", "-O2", "-g0", "-ffp-contract=off", "-fvisibility=hidden"],
            language="c++",
        )
    ],
)
