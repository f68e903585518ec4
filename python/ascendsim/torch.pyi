# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal

from . import Result

class Operator:
    name: str
    schema: str
    results: list[Result]
    @property
    def last(self) -> Result | None: ...
    @property
    def time_us(self) -> float: ...
    def clear(self) -> None: ...
    def __call__(self, *arguments: Any) -> Any: ...

def simulate(mode: Literal["auto", "always", "never"]) -> AbstractContextManager[None]: ...
def operators() -> dict[str, Operator]: ...
def register(
    name: str,
    *,
    outputs: Callable[..., Any],
    source: str | Path | None = None,
    launch: Callable[..., dict[str, Any]] | None = None,
    kernel: Callable[..., Result] | None = None,
    backward: Callable[..., Any] | str | None = None,
    fallback: Callable[..., Any] | None = None,
    check: Callable[..., None] | None = None,
    autocast: Any = None,
    returns: int = 1,
    schema: str | None = None,
    chip: str | None = None,
) -> Operator: ...
