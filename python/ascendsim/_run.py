# SPDX-License-Identifier: Apache-2.0
"""One run of one kernel: what is passed becomes a scenario, and what comes back a Result."""

import difflib
import itertools
import json
import os
import shutil
import tempfile
from pathlib import Path

import numpy as np

from . import _front, _program, _toml
from ._arrays import Tensor, bfloat16, read
from ._errors import KernelError, UserError
from ._result import Result

_TENSORS = ("input", "output", "in_out")


def parameters(kernel, entry=None):
    """The parameters of a kernel function, as its source tells them.

    A list of dicts with name, role (input, output, in_out, workspace, tiling, value, struct), type (None where the
    source does not tell), fields of a struct, and the reason for the role.
    """
    with tempfile.TemporaryDirectory(prefix="ascendsim_") as folder:
        return _signature(_source(kernel, Path(folder)), entry)["parameters"]


def _chip(named):
    """The chip to simulate: what the call names, else the suite around it, else the usual one."""
    return str(named or os.environ.get("ASCENDSIM_CHIP") or "910b3")


def run(
    kernel,
    *arguments,
    out=None,
    blocks=None,
    chip=None,
    entry=None,
    cores=None,
    roles=None,
    workspace=None,
    expect=None,
    atol=0.0,
    rtol=0.0,
    timing_only=False,
    sanitize=None,
    include=(),
    define=(),
    set=None,
    work=None,
    timeout=None,
    **named,
):
    """Runs a kernel with these arguments and returns its Result.

    `kernel` is the path of an Ascend C source, or its text. `arguments` are the inputs and values in the order of the
    kernel's parameters; `named` gives parameters by name. `out` is the array of the output, or a list of them, which
    the run fills in; an in_out argument is changed in place. Tiling data and structs are dicts. Workspace needs no
    argument (`workspace`: its bytes).

    blocks, chip, entry, cores: as in a scenario's [launch] and [scenario]. roles: {"x": "in_out"} where the source does
    not tell. expect: what the output should be (an array, or a dict by name), within atol and rtol. sanitize: whether
    hazards are looked for; by default unless timing_only. set: values of the scenario by path, {"chip.hbm.gb_per_s":
    3200}. work: {"vector_flops": …} for the speed of light. timeout: in seconds.

    Raises UserError for wrong input, and KernelError if the kernel does not reach its end. Wrong numbers and hazards
    raise nothing: see Result.passed and Result.hazards.
    """
    folder = tempfile.TemporaryDirectory(prefix="ascendsim_")
    place = Path(folder.name)
    source = _source(kernel, place)
    signature = _signature(source, entry)
    call = _Call(source.name, signature["parameters"], roles or {})
    call.bind(arguments, named, _as_list(out))
    scenario = {
        "scenario": {
            "title": signature["entry"],
            "source": str(source),
            "chip": _chip(chip),
            "mode": "timing" if timing_only else "functional",
        },
        "launch": {
            "entry": signature["entry"],
            "blocks": 1 if blocks is None else int(blocks),
            "cores": cores or signature["cores"],
        },
        "args": call.tables(place, workspace, _expected(expect, call), atol, rtol),
    }
    if include or define:
        scenario["compile"] = {
            "include": [str(Path(one).absolute()) for one in include],
            "define": list(define),
        }
    if sanitize is not None:
        scenario["run"] = {"sanitize": bool(sanitize)}
    if work:
        scenario["work"] = {key: value if isinstance(value, str) else float(value) for key, value in work.items()}
    file = place / f"{_safe(signature['entry'])}.toml"
    file.write_text(_toml.dumps(scenario))
    result = _execute(file, place, folder, set or {}, timeout)
    if not timing_only:
        result.outputs = call.collect(place)
    return result


def _execute(file, place, folder, changes, timeout, words=()):
    figures, recording = place / "figures.json", place / "run.rec"
    options = [f"--json={figures}", "--record", recording, f"--html={place / 'report.html'}", "--quiet"]
    for path, value in changes.items():
        options += ["--set", f"{path}={_toml._value(_plain(value))}"]
    code, _, error = _program.call(["run", file, *options, *words], timeout)
    if code in (2, 4) or code < 0 or not figures.exists():
        raise _program.error_of(code, error)
    result = Result(json.loads(figures.read_text()), recording, error.strip(), code, folder)
    _tell(result, figures)
    if not result.complete:
        lines = error.strip().splitlines()
        raise KernelError(lines[-1].removeprefix("ascendsim: ") if lines else "the kernel failed", result)
    return result


_number = itertools.count()


def _tell(result, figures):
    """Adds a run to the device's clock of this process and to the report of `ascendsim run -- COMMAND`, if there are
    such."""
    if _front.loaded():
        for name, cores, _, us in result.launches:
            _front.library().ascendsim_note_launch(name.encode(), cores, us, result._kind_of_cores().encode())
    folder = os.environ.get("ASCENDSIM_LAUNCHES")
    if folder and Path(folder).is_dir():
        stem = Path(folder) / f"{_safe(str(result.figures.get('title', 'run')))}.{os.getpid()}.run{next(_number)}"
        shutil.copy(figures, f"{stem}.json")
        shutil.copy(result.recording, f"{stem}.rec")


def _source(kernel, place):
    """The file of a kernel; a text becomes one."""
    text = str(kernel)
    if "\n" in text or "__global__" in text:
        file = place / "kernel.cpp"
        file.write_text(text)
        return file
    file = Path(text)
    if not file.is_file():
        raise UserError(f"{file}: there is no such kernel source")
    return file.absolute()


def _signature(source, entry):
    found = _program.call_json(["describe", source])["entries"]
    if not found:
        raise UserError(f"{source.name}: it has no kernel function")
    names = [one["entry"] for one in found]
    if entry is None:
        if len(found) > 1:
            raise UserError(f"{source.name} has {len(found)} kernel functions; say entry= one of {', '.join(names)}")
        entry = names[0]
    plain = entry.split("<")[0]
    for one in found:
        if one["entry"] in (entry, plain) or one["entry"].split("<")[0] == plain:
            return one | {"entry": entry}
    raise UserError(f"{source.name}: '{entry}' is no kernel function of it{_nearest(entry, names)}")


def _nearest(word, known):
    close = difflib.get_close_matches(word, known, 1)
    return f", did you mean '{close[0]}'?" if close else f" (there are {', '.join(known) or 'none'})"


def _safe(name):
    return "".join(letter if letter.isalnum() or letter == "_" else "_" for letter in name)


def _as_list(out):
    if out is None:
        return []
    return list(out) if isinstance(out, (list, tuple)) else [out]


def _plain(value):
    """A number of NumPy as one of Python."""
    return value.item() if isinstance(value, np.generic) else value


def _expected(expect, call):
    if expect is None or isinstance(expect, dict):
        expected = dict(expect or {})
    else:
        outputs = [one["name"] for one in call.parameters if one["role"] in ("output", "in_out")]
        if len(outputs) != 1:
            raise TypeError(f"the kernel has {len(outputs)} outputs; give expect as a dict by name: {', '.join(outputs)}")
        expected = {outputs[0]: expect}
    for name in expected:
        if name not in call.given:
            raise TypeError(f"expect: the kernel has no parameter '{name}'{_nearest(name, list(call.given))}")
    return {name: Tensor(array) for name, array in expected.items()}


class _Call:
    """The parameters of a kernel, and what is passed for each."""

    def __init__(self, source, found, roles):
        self.source = source
        self.parameters = [dict(one) for one in found]
        self.given = {}
        names = [one["name"] for one in found]
        for name, role in roles.items():
            if name not in names:
                raise TypeError(f"roles: {source} has no parameter '{name}'{_nearest(name, names)}")
            self.parameters[names.index(name)]["role"] = role

    def bind(self, arguments, named, outputs):
        arguments, outputs = list(arguments), list(outputs)
        names = [one["name"] for one in self.parameters]
        for name in named:
            if name not in names:
                raise TypeError(f"{self.source} has no parameter '{name}'{_nearest(name, names)}")
        for one in self.parameters:
            name, role = one["name"], one["role"]
            if name in named:
                value = named[name]
            elif role == "output":
                if not outputs:
                    raise TypeError(f"{self.source}: no array is given for the output '{name}' ({one['reason']}); pass out=")
                value = outputs.pop(0)
            elif role == "workspace":
                continue
            elif arguments:
                value = arguments.pop(0)
            else:
                raise TypeError(f"{self.source}: nothing is given for '{name}' ({one['written']})")
            self.given[name] = self._checked(one, value)
        if arguments or outputs:
            what = f"{len(arguments)} arguments" if arguments else f"{len(outputs)} arrays of out"
            raise TypeError(f"{self.source}: {what} too many; its parameters are {', '.join(names)}")

    def _checked(self, one, value):
        if one["role"] in _TENSORS:
            if np.isscalar(value):
                raise TypeError(f"{self.source}: '{one['name']}' takes an array, not {value!r}")
            tensor = Tensor(value)
            if one["type"] and one["type"] != tensor.type:
                raise TypeError(
                    f"{self.source}: '{one['name']}' has elements of {one['type']} in the kernel; the array has {tensor.type}"
                )
            return tensor
        if one["role"] == "value":
            value = _plain(value)
            if not isinstance(value, (bool, int, float)):
                raise TypeError(f"{self.source}: '{one['name']}' ({one['written']}) takes a number, not {type(value).__name__}")
            return value
        if not isinstance(value, dict):
            raise TypeError(f"{self.source}: '{one['name']}' is a {one['role']}; pass its fields as a dict")
        return value

    def tables(self, place, workspace, expected, atol, rtol):
        """The scenario's [[args]]; writes the files they name."""
        tables = []
        for one in self.parameters:
            table = {"name": one["name"], "role": one["role"]}
            value = self.given.get(one["name"])
            if one["role"] in _TENSORS:
                table |= self._tensor(place, one, value)
                if one["name"] in expected:
                    expected[one["name"]].write(place / f"{one['name']}_expected.npy")
                    table["expect"] = f"{one['name']}_expected.npy"
                    table["tolerance"] = {"absolute": float(atol), "relative": float(rtol)}
            elif one["role"] == "workspace":
                table["bytes"] = int(workspace or 16 << 20)
            elif one["role"] == "value":
                table |= {"type": one["type"] or _type_of_number(value), "value": value}
            else:
                table["fields"] = _fields(one, value)
            tables.append(table)
        return tables

    @staticmethod
    def _tensor(place, one, tensor):
        table = {"type": tensor.type, "shape": tensor.shape}
        if one["role"] == "output":
            return table | {"file": f"{one['name']}_got.npy"}
        tensor.write(place / f"{one['name']}.npy")
        table = {"file": f"{one['name']}.npy"}
        return table | {"save": f"{one['name']}_got.npy"} if one["role"] == "in_out" else table

    def collect(self, place):
        """Takes the results; returns them by name."""
        results = {}
        for name, tensor in self.given.items():
            file = place / f"{name}_got.npy"
            if isinstance(tensor, Tensor) and file.exists():
                results[name] = read(file)
                tensor.take(results[name])
        return results


def _type_of_number(value):
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, float):
        return "float32"
    return "uint32" if 0 <= value < 1 << 32 else "int64"


def _fields(one, given):
    known = {field["name"]: field["type"] for field in one["fields"]}
    if known:
        for name in given:
            if name not in known:
                raise TypeError(f"'{one['name']}' has no field '{name}'{_nearest(name, list(known))}")
        missing = [name for name in known if name not in given]
        if missing:
            raise TypeError(f"'{one['name']}' lacks {', '.join(missing)}")
    order = list(known) or list(given)
    fields = []
    for name in order:
        value = given[name]
        single = value[0] if isinstance(value, (list, tuple)) else value
        kind = known.get(name) or (single.dtype.name if isinstance(single, np.generic) else _type_of_number(single))
        plain = [_plain(part) for part in value] if isinstance(value, (list, tuple)) else _plain(value)
        fields.append({"name": name, "type": kind, "value": plain})
    return fields
