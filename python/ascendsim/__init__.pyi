# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

class SimulatorError(Exception):
    text: str
    def __init__(self, text: str) -> None: ...

class UserError(SimulatorError, ValueError): ...

class KernelError(SimulatorError):
    result: Result | None
    def __init__(self, text: str, result: Result | None = None) -> None: ...

class InternalError(SimulatorError): ...

class bfloat16:
    bits: np.ndarray
    def __init__(self, bits: Any) -> None: ...

class Result:
    figures: dict[str, Any]
    recording: Path
    messages: str
    exit_code: int
    outputs: dict[str, np.ndarray]
    @property
    def complete(self) -> bool: ...
    @property
    def time_us(self) -> float: ...
    @property
    def cycles(self) -> int: ...
    @property
    def launches(self) -> list[tuple[str, int, float, float]]: ...
    @property
    def pipes(self) -> dict[str, Any]: ...
    @property
    def waits(self) -> dict[str, int]: ...
    @property
    def memory(self) -> dict[str, Any]: ...
    @property
    def bounds(self) -> dict[str, Any]: ...
    @property
    def findings(self) -> list[dict[str, Any]]: ...
    @property
    def hazards(self) -> list[dict[str, Any]]: ...
    @property
    def errors(self) -> dict[str, Any]: ...
    @property
    def passed(self) -> bool: ...
    @property
    def spans(self) -> dict[str, np.ndarray]: ...
    @property
    def lanes(self) -> list[str]: ...
    @property
    def ops(self) -> list[str]: ...
    @property
    def sites(self) -> list[tuple[str, int]]: ...
    @property
    def reasons(self) -> list[str]: ...
    def explain(self) -> dict[str, Any]: ...
    def compare(self, other: Result) -> Comparison: ...
    def save(self, file: str | Path) -> None: ...
    def page(self) -> str: ...

class Comparison:
    figures: dict[str, Any]
    def __init__(self, figures: dict[str, Any]) -> None: ...
    @property
    def time(self) -> dict[str, Any]: ...
    def __getitem__(self, name: str) -> Any: ...

class Sweep:
    points: list[dict[str, Any]]
    results: list[Result | Exception]
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[tuple[dict[str, Any], Result | Exception]]: ...
    @property
    def table(self) -> list[dict[str, Any]]: ...

class Tuning:
    best: dict[str, Any]
    result: Result
    sweep: Sweep

def parameters(kernel: str | Path, entry: str | None = None) -> list[dict[str, Any]]: ...
def run(
    kernel: str | Path,
    *arguments: Any,
    out: Any = None,
    blocks: int | None = None,
    chip: str | None = None,
    entry: str | None = None,
    cores: str | None = None,
    roles: Mapping[str, str] | None = None,
    workspace: int | None = None,
    expect: Any = None,
    atol: float = 0.0,
    rtol: float = 0.0,
    timing_only: bool = False,
    sanitize: bool | None = None,
    include: Sequence[str | Path] = (),
    define: Sequence[str] = (),
    set: Mapping[str, Any] | None = None,
    work: Mapping[str, Any] | None = None,
    timeout: float | None = None,
    **named: Any,
) -> Result: ...
class Scalar:
    value: Any
    type: str
    def __init__(self, value: bool | float, dtype: Any = None) -> None: ...

def aclnn(
    name: str,
    *arguments: Any,
    library: str | Path | Sequence[str | Path] | None = None,
    chip: str | None = None,
    set: Mapping[str, Any] | None = None,
    timeout: float | None = None,
) -> Result: ...
def operator(
    name: str,
    *arguments: Any,
    library: str | Path | Sequence[str | Path] | None = None,
    out: Mapping[str, Any] | None = None,
    chip: str | None = None,
    timing_only: bool = False,
    sanitize: bool | None = None,
    set: Mapping[str, Any] | None = None,
    timeout: float | None = None,
    **named: Any,
) -> Result: ...
def op(
    kernel: str,
    *,
    out: Mapping[str, Any],
    chip: str | None = None,
    timing_only: bool = False,
    sanitize: bool | None = None,
    set: Mapping[str, Any] | None = None,
    timeout: float | None = None,
    **named: Any,
) -> Result: ...
def shipped() -> list[str]: ...
def sweep(
    function: Callable[..., Result],
    over: Mapping[str, Sequence[Any]],
    where: Callable[..., bool] | None = None,
    jobs: int | None = None,
    progress: bool = False,
) -> Sweep: ...
def tune(
    function: Callable[..., Result],
    over: Mapping[str, Sequence[Any]],
    where: Callable[..., bool] | None = None,
    jobs: int | None = None,
    progress: bool = False,
) -> Tuning: ...
