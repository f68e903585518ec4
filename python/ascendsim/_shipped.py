# SPDX-License-Identifier: Apache-2.0
"""One run of a kernel that comes with AscendSim, with its own tiling and schedules, on arrays of the caller."""

import json
import tempfile
from pathlib import Path

from . import _program
from ._arrays import Tensor, is_array, read
from ._run import _chip, _execute, _plain
from . import _toml


def op(kernel, *, out, chip=None, timing_only=False, sanitize=None, set=None, timeout=None, **named):
    """Runs a shipped kernel, such as "swiglu" or "rms_norm", and returns its Result.

    Arrays among `named` are the kernel's inputs by name, other values its knobs: `ascendsim describe kernel swiglu`
    lists both. `out` is a dict of the arrays to fill in, by the names of the kernel's outputs. Nothing is compared with
    the kernel's own reference. chip, timing_only, sanitize, set and timeout are as for run().

        y = np.empty((1, 64, 128), np.float16)
        ascendsim.op("swiglu", x=x, wg=wg, wu=wu, out={"y": y}, shape=x.shape, gate=wg.shape, up=wu.shape)
    """
    folder = tempfile.TemporaryDirectory(prefix="ascendsim_")
    place = Path(folder.name)
    inputs = {name: Tensor(value) for name, value in named.items() if is_array(value)}
    results = {name: Tensor(value) for name, value in out.items()}
    knobs = {name: _knob(value) for name, value in named.items() if name not in inputs}
    for name, tensor in inputs.items():
        tensor.write(place / f"{name}.npy")
    scenario = {
        "scenario": {
            "title": kernel,
            "kernel": kernel,
            "chip": _chip(chip),
            "mode": "timing" if timing_only else "functional",
        },
        "kernel": knobs,
        "data": {name: f"{name}.npy" for name in inputs},
        "results": {} if timing_only else {name: f"{name}_got.npy" for name in results},
    }
    if sanitize is not None:
        scenario["run"] = {"sanitize": bool(sanitize)}
    file = place / f"{kernel}.toml"
    file.write_text(_toml.dumps(scenario))
    result = _execute(file, place, folder, set or {}, timeout)
    for name, tensor in results.items():
        saved = place / f"{name}_got.npy"
        if saved.exists():
            result.outputs[name] = read(saved)
            tensor.take(result.outputs[name])
    return result


def _knob(value):
    if isinstance(value, (list, tuple)):
        return [int(one) for one in value]
    return _plain(value)


def shipped() -> list:
    """The names of the kernels that op() runs."""
    code, text, error = _program.call(["list", "kernels", "--json"])
    if code != 0:
        raise _program.error_of(code, error)
    return [one["name"] for one in json.loads(text)["kernels"]]
