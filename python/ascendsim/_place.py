# SPDX-License-Identifier: Apache-2.0
"""Where parts of the installation are, for what compiles and links against them."""

import functools
import os
from pathlib import Path

from . import _program
from ._errors import UserError


@functools.lru_cache(maxsize=None)
def prefix() -> Path:
    """The folder above bin/ascendsim."""
    return Path(_program.program()).resolve().parent.parent


@functools.lru_cache(maxsize=None)
def root() -> Path:
    """The folder of headers: share/ascendsim of an installation, or the source tree."""
    share = prefix() / "share" / "ascendsim"
    for folder in (share, *prefix().parents):
        if (folder / "models" / "port" / "entry.hpp").is_file():
            return folder
    raise UserError(f"{_program.program()}: its headers are neither in {share} nor in a source tree above it")


@functools.lru_cache(maxsize=None)
def libraries() -> Path:
    """The folder of libmodels_isa.so and its like."""
    for folder in (prefix() / "lib" / "ascendsim", prefix() / "lib"):
        if (folder / "libruntime_acl.so").is_file():
            return folder
    raise UserError(f"{prefix()}: no libruntime_acl.so in lib/ascendsim or lib; build the target runtime_acl")


@functools.lru_cache(maxsize=None)
def front() -> Path:
    """The folder of libascendcl.so and the names beside it."""
    for folder in (libraries() / "front", libraries() / "ascendsim" / "front"):
        if (folder / "libascendcl.so").is_file():
            return folder
    raise UserError(f"{libraries()}: no front/libascendcl.so; build the target ascendcl")


def standin() -> Path:
    """The folder with torch_npu, for PYTHONPATH."""
    return Path(__file__).absolute().parent / "standin"


def torch_folder() -> Path:
    """Where PyTorch is installed."""
    import torch

    return Path(torch.__file__).parent


def torch_includes() -> list:
    """The folders of PyTorch's headers."""
    headers = torch_folder() / "include"
    return [str(headers), str(headers / "torch" / "csrc" / "api" / "include")]


def cache() -> Path:
    """The user's folder for what is compiled, made if it is not there."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    folder = Path(base) if base.startswith("/") else Path.home() / ".cache"
    folder = folder / "ascendsim" / "python"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
