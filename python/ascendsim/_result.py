# SPDX-License-Identifier: Apache-2.0
"""What a run gives back."""

import html
from pathlib import Path

from . import _program


def launches(figures) -> list:
    """The launches of a run: (kernel, cores, start and time in us of the device)."""
    a_us = 1000 * float(figures.get("clock_ghz") or 1)
    found = figures.get("launches") or []
    return [(one["name"], int(one["cores"]), one["start"] / a_us, (one["end"] - one["start"]) / a_us) for one in found]


class Result:
    """One run: its figures, its recording and its outputs.

    `figures` is the JSON of `ascendsim run --json`; what is used most are attributes. Columns of all spans come from
    the recording.
    """

    def __init__(self, figures, recording, messages="", exit_code=0, folder=None):
        self.figures = figures
        self.recording = Path(recording)
        self.messages = messages  # what the simulator said on standard error
        self.exit_code = exit_code  # 0 good, 1 wrong numbers or limits, 3 hazards
        self.outputs = {}  # arrays by name; bfloat16 as uint16
        self._folder = folder  # keeps the recording's folder
        self._columns = None

    def _kind_of_cores(self):
        """What ran: "aiv", "aic" or "mix_1_2" by the pipes that were used; a kernel that only moves data is taken for one of
        vector cores. Empty if nothing ran."""
        used = self.figures.get("pipes") or {}
        cube = any(one.startswith("aic_") or one in ("cube", "mte1", "fixpipe") for one in used)
        vector = any(one.startswith("aiv_") or one == "vector" for one in used)
        return "mix_1_2" if cube and vector else "aic" if cube else "aiv" if used else ""

    @property
    def complete(self) -> bool:
        """Whether the kernel reached its end."""
        return bool(self.figures.get("complete"))

    @property
    def time_us(self) -> float:
        """The device's time, with head and tail of the launch."""
        return self.figures["time_us"]

    @property
    def cycles(self) -> int:
        return self.figures["cycles"]

    @property
    def launches(self) -> list:
        """The launches in their order: (kernel, cores, start and time in us of the device)."""
        return launches(self.figures)

    @property
    def pipes(self) -> dict:
        """By pipe: busy_cycles, utilization, cores, instructions, waits by cause."""
        return self.figures["pipes"]

    @property
    def waits(self) -> dict:
        """Cycles by cause, summed over pipes and cores."""
        return self.figures["waits"]

    @property
    def memory(self) -> dict:
        return self.figures["memory"]

    @property
    def bounds(self) -> dict:
        """The speed of light, and what limits it."""
        return self.figures["bounds"]

    @property
    def findings(self) -> list:
        """What the hazard checker found: dicts with severity (error, note, waste), kind, message, hint, text."""
        return self.figures.get("hazards") or []

    @property
    def hazards(self) -> list:
        """The findings that are errors: races, reads of what was never written, misuse."""
        return [one for one in self.findings if one["severity"] == "error"]

    @property
    def errors(self) -> dict:
        """Largest absolute and relative error, if `expect` was given."""
        return self.figures["numerics"]

    @property
    def passed(self) -> bool:
        """The run is complete, its numbers are right as far as `expect` tells, and there is no hazard."""
        return self.complete and self.figures["numerics"]["passed"] is not False and not self.hazards

    @property
    def spans(self) -> dict:
        """Every span of every lane as columns, NumPy arrays of one length.

        lane, start, end, issue (cycles), op, site, reason, bytes, work, conflict: `lane`, `op`, `site` and `reason` are
        numbers into `lanes`, `ops`, `sites` and `reasons`. A span with reason 0 is work, every other is a wait.
        """
        return self._read()["spans"]

    @property
    def lanes(self) -> list:
        """The names of lanes: "aiv0/mte2"."""
        return self._read()["lanes"]

    @property
    def ops(self) -> list:
        return self._read()["ops"]

    @property
    def sites(self) -> list:
        """Source places as (file, line)."""
        return self._read()["sites"]

    @property
    def reasons(self) -> list:
        return self._read()["reasons"]

    def _read(self):
        if self._columns is None:
            from . import _native  # needs the compiled module; figures do not

            self._columns = _native.read(str(self.recording))
        return self._columns

    def explain(self) -> dict:
        """What limits the run, its critical path, and advice."""
        return _program.call_json(["explain", self.recording])

    def compare(self, other: "Result") -> "Comparison":
        """This run as A, the other as B: what changed, on which pipe, and why."""
        return Comparison(_program.call_json(["compare", self.recording, other.recording]))

    def save(self, file):
        """Copies the recording, for the dashboard: `ascendsim gui FILE`."""
        Path(file).write_bytes(self.recording.read_bytes())

    def page(self) -> str:
        """The report as an HTML page, with a timeline."""
        return self.recording.with_name("report.html").read_text()

    def _repr_html_(self):
        return f'<iframe style="width: 100%; height: 640px; border: 0" srcdoc="{html.escape(self.page())}"></iframe>'

    def __repr__(self):
        name = self.figures.get("title", "run")
        busiest = max(self.pipes, key=lambda pipe: self.pipes[pipe]["utilization"], default=None)
        busy = f", {busiest} busy {self.pipes[busiest]['utilization']:.0%}" if busiest else ""
        found = f", {len(self.hazards)} hazards" if self.hazards else ""
        return f"<{name} on {self.figures.get('chip')}: {self.time_us:.2f} us{busy}{found}>"


class Comparison:
    """Two runs side by side: `figures` is the JSON of `ascendsim compare --json`."""

    def __init__(self, figures):
        self.figures = figures

    @property
    def time(self) -> dict:
        return self.figures["time_us"]

    def __getitem__(self, name):
        return self.figures[name]

    def __repr__(self):
        return f"<comparison: {', '.join(self.figures)}>"
