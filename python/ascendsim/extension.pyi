# SPDX-License-Identifier: Apache-2.0
from collections.abc import Sequence
from pathlib import Path
from typing import Any

def build(
    name: str,
    sources: Sequence[str | Path],
    include: Sequence[str | Path] = (),
    define: Sequence[str] = (),
    out: str | Path | None = None,
    flags: Sequence[str] = (),
    link: Sequence[str] = (),
    defers: bool = False,
    torch: bool = True,
    chip: str | None = None,
    partial: bool = False,
    verbose: bool = False,
    hosts_alone: bool = False,
) -> Path: ...
def load(name: str, sources: Sequence[str | Path], **options: Any) -> Any: ...
def has_kernels(file: str | Path) -> bool: ...
def torch_folder() -> Path: ...
def torch_includes() -> list[str]: ...
def main(words: Sequence[str] | None = None) -> int: ...
