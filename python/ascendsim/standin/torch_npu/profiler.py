# SPDX-License-Identifier: Apache-2.0
"""torch_npu.profiler: writes the kernels of a with statement as the vendor's profiler does."""

import contextlib
import enum
import json
import os
import time
from pathlib import Path

from ascendsim import _front

_COLUMNS = (
    "Step Id,Name,Type,OP State,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,"
    "Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats"
)


class ProfilerActivity(enum.Enum):
    CPU = 0
    NPU = 1


class ProfilerLevel(enum.Enum):
    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"


class AiCMetrics(enum.Enum):
    PipeUtilization = "PipeUtilization"
    ArithmeticUtilization = "ArithmeticUtilization"
    Memory = "Memory"
    AiCoreNone = "AiCoreNone"


class ExportType(enum.Enum):
    Text = "text"
    Db = "db"


class ProfilerAction(enum.Enum):
    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


class _ExperimentalConfig:
    def __init__(self, **options):
        self.options = options


def supported_activities():
    return {ProfilerActivity.CPU, ProfilerActivity.NPU}


def schedule(wait, active, warmup=0, repeat=0, skip_first=0):
    """What to do in a step of this number."""

    def action(step):
        step -= skip_first
        around = wait + warmup + active
        if step < 0 or (repeat > 0 and step >= repeat * around):
            return ProfilerAction.NONE
        step %= around
        if step < wait:
            return ProfilerAction.NONE
        if step < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD_AND_SAVE if step == around - 1 else ProfilerAction.RECORD

    return action


def tensorboard_trace_handler(dir_name=None, worker_name=None, analyse_flag=True, async_mode=False):
    """Writes each recording to a folder of its own below `dir_name`."""

    def handle(profiler):
        name = f"{worker_name or f'{os.uname().nodename}_{os.getpid()}'}_{time.strftime('%Y%m%d%H%M%S')}{profiler.count:03d}_ascend_pt"
        profiler.write(Path(dir_name or ".") / name / "ASCEND_PROFILER_OUTPUT")

    return handle


class profile:  # noqa: N801
    """Records kernels between start() and stop(), or the steps that a schedule names."""

    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, **_):
        self._schedule = schedule
        self._ready = on_trace_ready
        self._step = 0
        self._from = None
        self._rows = []
        self.count = 0

    def start(self):
        self._begin()

    def stop(self):
        self._end(True)

    def _action(self):
        return self._schedule(self._step) if self._schedule else ProfilerAction.RECORD

    def _begin(self):
        if self._action() in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE) and self._from is None:
            self._from = _front.library().ascendsim_launch_count()

    def _end(self, save):
        if self._from is not None:
            self._rows += [(self._step, *one) for one in _front.launches(self._from)]
            self._from = None
        if save and self._rows:
            if self._ready:
                self._ready(self)
            self.count += 1
            if self._ready or self._schedule:
                self._rows = []

    def step(self):
        """The next step begins."""
        self._end(self._action() is ProfilerAction.RECORD_AND_SAVE)
        self._step += 1
        self._begin()

    def export_chrome_trace(self, path):
        Path(path).write_text(json.dumps(self._trace()))

    def _trace(self):
        events = [
            {"ph": "M", "pid": 2, "name": "process_name", "args": {"name": "Ascend Hardware"}},
            {"ph": "M", "pid": 2, "tid": 0, "name": "thread_name", "args": {"name": "Stream 0"}},
        ]
        for step, name, blocks, start, us, kind in self._rows:
            detail = {"Block Dim": blocks, "Step Id": step, "Task Type": kind}
            events.append({"ph": "X", "pid": 2, "tid": 0, "name": name, "ts": f"{start:.3f}", "dur": us, "args": detail})
        return events

    def write(self, folder):
        """kernel_details.csv and trace_view.json."""
        folder.mkdir(parents=True, exist_ok=True)
        lines = [_COLUMNS]
        end = None
        for step, name, blocks, start, us, kind in self._rows:
            wait = 0 if end is None else max(0, start - end)
            end = start + us
            cells = f'{step},"{name}","{name}",dynamic,{kind},{start:.3f},{us:.3f},{wait:.3f},{blocks},0,NO'
            lines.append(cells + ",N/A" * 6)
        (folder / "kernel_details.csv").write_text("\n".join(lines) + "\n")
        (folder / "trace_view.json").write_text(json.dumps(self._trace()))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()


_KernelProfile = profile


@contextlib.contextmanager
def record_function(name):
    yield


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"torch_npu.profiler.{name} is not in AscendSim's stand-in for torch_npu")
