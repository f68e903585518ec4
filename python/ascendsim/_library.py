# SPDX-License-Identifier: Apache-2.0
"""One call of an operator of a library by its name, tiled by the library's own host code."""

import difflib
import functools
import os
import re
import tempfile
from pathlib import Path

import numpy as np

from . import _program, _toml
from ._arrays import Tensor, is_array, read_typed
from ._errors import UserError
from ._run import _as_list, _chip, _execute, _plain

# Element types as attributes name them: the graph engine's numbers.
TYPE_NUMBERS = {
    "float32": 0,
    "float16": 1,
    "int8": 2,
    "int32": 3,
    "uint8": 4,
    "int16": 6,
    "uint16": 7,
    "uint32": 8,
    "int64": 9,
    "uint64": 10,
    "float64": 11,
    "bool": 12,
    "bfloat16": 27,
    # PyTorch's quantised types, by their storage.
    "qint8": 2,
    "quint8": 4,
    "qint32": 3,
}

OP_PLUGIN_FUNCTIONS = "op_plugin/config/op_plugin_functions.yaml"


class MissingOperator(UserError):
    """No library has the operator for this chip."""


def operator(name, *arguments, library=None, out=None, chip=None, timing_only=False, sanitize=None, set=None, timeout=None, **named):
    """Runs an operator of a library, such as "RmsNorm" of a checkout of ops-nn, and returns its Result.

    `library` is the folder of the library, or a list of folders; without it the environment variable ASCENDSIM_LIBRARY
    names them, separated as in PATH. `arguments` are the operator's inputs in the order of its definition (None for one
    that is left out, a list of arrays for a list), and behind them its attributes; `named` gives inputs and attributes by
    name, in any spelling. `ascendsim op NAME --list DIR` tells both. What an operator computes is in `outputs` by the
    names of its definition, with the shapes that it infers; `out` is a dict of arrays to fill in, whose shapes and types
    then hold. An output that has an input's name is written into that input.

        r = ascendsim.operator("RmsNorm", x, gamma, library="ops-nn", epsilon=1e-5)
        r.outputs["y"], r.time_us

    chip, timing_only, sanitize, set and timeout are as for run().
    """
    options = {"chip": chip, "timing_only": timing_only, "sanitize": sanitize, "set": set, "timeout": timeout}
    return called(name, arguments, named, library, out, **options)[0]


def called(name, arguments, named, library=None, out=None, *, chip=None, timing_only=False, sanitize=None, set=None, timeout=None):
    """As operator(), and what each output holds as (name, array, element type), in the order of the definition."""
    description, folder = found(name, library, chip)
    call = _Call(description)
    call.bind(arguments, named)
    call.give_outputs(out or {})
    keep = tempfile.TemporaryDirectory(prefix="ascendsim_")
    place = Path(keep.name)
    kind = description["operator"]
    scenario = {
        "scenario": {"title": kind, "chip": _chip(chip), "mode": "timing" if timing_only else "functional"},
        "operator": {"name": kind, "library": folder, "attributes": call.attributes} | call.tables(place, not timing_only),
    }
    if sanitize is not None:
        scenario["run"] = {"sanitize": bool(sanitize)}
    tensors = scenario["operator"].pop("tensors")
    file = place / f"{kind}.toml"
    file.write_text(_toml.dumps(scenario) + _toml.dumps({"operator.tensors": tensors}))
    try:
        result = _execute(file, place, keep, set or {}, timeout)
    except UserError as error:  # the caller has no such file
        raise UserError(re.sub(rf"{re.escape(str(file))}:(\d+:)* ?", "", str(error))) from None
    held = [] if timing_only else call.collect()
    result.outputs = {output: array for output, array, _ in held}
    return result, held


def folders(library=None) -> list:
    """The folders of libraries, as absolute paths: what a call names, else those of ASCENDSIM_LIBRARY."""
    return [one for one in named(library) if not is_op_plugin(one)]


def named(library=None) -> list:
    """As folders(), with checkouts of op-plugin among them."""
    given = os.environ.get("ASCENDSIM_LIBRARY", "").split(os.pathsep) if library is None else _as_list(library)
    return [str(Path(one).absolute()) for one in given if str(one)]


def is_op_plugin(folder) -> bool:
    """True for a checkout of op-plugin, which has functions of torch_npu that call operators, and none itself."""
    return (Path(folder) / OP_PLUGIN_FUNCTIONS).is_file()


def found(name, library=None, chip=None):
    """What the first library that has an operator of this name for the chip defines of it, and the library's folder.
    Raises MissingOperator if none has."""
    given = folders(library)
    if not given:
        raise UserError(f"{name}: no library is named; pass library=DIR or set ASCENDSIM_LIBRARY")
    reason = None
    for folder in given:
        try:
            return _described(str(name), folder, _chip(chip)), folder
        except UserError as error:
            if not re.match(r"'.*' is no operator of |\w+ is not for \w+$", str(error)):
                raise
            reason = reason or error
    raise MissingOperator(str(reason))


@functools.lru_cache(maxsize=None)
def _described(name, folder, chip):
    # A library may hold one twice, as in a folder of experiments: the first is the one that a run takes.
    one = _program.call_json(["op", name, "--list", folder, "--chip", chip])["operators"][0]
    if not one["callable"]:
        raise UserError(f"{one['operator']} of {folder} cannot be called: {one['obstacle']}: {one['reason']}")
    return one


def _letters(name):
    """A name without its spelling; what PyTorch calls dtype is a type in definitions ("dst_dtype", dst_type)."""
    return str(name).replace("_", "").lower().replace("dtype", "type")


def _values(numbers):
    """A list of numbers as the data of an input."""
    try:
        found = np.asarray(numbers)
    except ValueError:
        found = np.asarray(None)
    if found.size == 0:
        return found.astype(np.int64)
    if found.dtype.kind not in "biuf":
        raise UserError(f"a list of numbers is wanted, not {numbers!r}")
    return found.astype(np.float32 if found.dtype.kind == "f" else np.int64)


class _Call:
    """What a call gives to each input, attribute and output of an operator."""

    def __init__(self, description):
        self.operator = description["operator"]
        self.inputs = {one["name"]: one for one in description["parameters"] if one["role"] == "input"}
        self.outputs = {one["name"]: one for one in description["parameters"] if one["role"] == "output"}
        self.kinds = dict(line.rsplit(", ", 1) for line in description["attributes"])
        self.given = {}  # by input: a list of tensors
        self.attributes = {}
        self.wanted = {}  # by output: arrays to fill in
        self.saved = []  # name, number among those of this name, file

    def bind(self, arguments, named):
        inputs, attributes = list(self.inputs), list(self.kinds)
        for value in arguments:
            numbers = isinstance(value, (list, tuple)) and value and not any(map(is_array, value))
            takes = bool(inputs) and (
                value is None or is_array(value) or (isinstance(value, (list, tuple)) and (not numbers or self.inputs[inputs[0]]["value_depends"]))
            )
            if not takes and not attributes:
                raise UserError(f"{self.operator} takes {len(self.inputs)} inputs and {len(self.kinds)} attributes; there are more arguments")
            self._give(inputs.pop(0) if takes else attributes.pop(0), value)
        for name, value in named.items():
            self._give(self._known(name, [*self.inputs, *self.kinds]), value)
        missing = [name for name, one in self.inputs.items() if one["kind"] == "required" and name not in self.given]
        if missing:
            raise UserError(f"{self.operator}: input '{missing[0]}' is missing; its inputs are {', '.join(self.inputs)}")

    def _known(self, name, names):
        for one in names:
            if _letters(one) == _letters(name):
                return one
        near = difflib.get_close_matches(name, names, 1)
        hint = f", did you mean '{near[0]}'?" if near else f"; it has {', '.join(names)}"
        raise UserError(f"{self.operator} has no '{name}'{hint}")

    def _give(self, name, value):
        if name in self.given or name in self.attributes:
            raise UserError(f"{self.operator}: '{name}' is given twice")
        if value is None:
            return
        if name in self.inputs:
            several = isinstance(value, (list, tuple)) and any(map(is_array, value))
            plain = isinstance(value, (list, tuple)) and not several
            self.given[name] = [Tensor(one) for one in (value if several else [_values(value) if plain else value])]
        else:
            self.attributes[name] = self._attribute(name, value)

    def _attribute(self, name, value):
        word = str(value)
        if word.startswith("torch.") and not is_array(value):  # an element type
            if word.removeprefix("torch.") not in TYPE_NUMBERS:
                raise UserError(f"{self.operator}: '{name}': {word} is not simulated; possible are {', '.join(TYPE_NUMBERS)}")
            value = TYPE_NUMBERS[word.removeprefix("torch.")]
        if isinstance(value, (list, tuple)):
            return [_plain(one) for one in value]
        kind = self.kinds[name]
        if is_array(value):
            if np.size(value) != 1:
                raise UserError(f"{self.operator}: '{name}' is an attribute, {kind}; an array is given")
            value = np.asarray(value).item()
        return float(value) if kind.endswith("Float") and not isinstance(value, str) else _plain(value)

    def give_outputs(self, out):
        for name, arrays in out.items():
            given = arrays if isinstance(arrays, (list, tuple)) else [arrays]
            self.wanted[self._known(name, list(self.outputs))] = [Tensor(one) for one in given]

    def tables(self, place, functional):
        """The tables of the operator's tensors; inputs are written to files."""
        tables = []
        for name, tensors in self.given.items():
            for i, tensor in enumerate(tensors):
                table = {"name": name, "shape": tensor.shape, "type": tensor.type}
                if self.inputs[name]["value_depends"]:
                    table["values"] = [_plain(one) for one in tensor.array.ravel().tolist()]
                else:
                    tensor.write(place / f"{name}{i}.npy")
                    table["file"] = str(place / f"{name}{i}.npy")
                tables.append(table | (self._saves(name, i, place) if functional and name in self.outputs else {}))
        for name, one in self.outputs.items():
            if name in self.given:
                continue
            wanted = self.wanted.get(name, [None] if one["kind"] == "required" else [])
            for i, tensor in enumerate(wanted):
                table = {"name": name} | ({} if tensor is None else {"shape": tensor.shape, "type": tensor.type})
                tables.append(table | (self._saves(name, i, place) if functional else {}))
        return {"tensors": tables}

    def _saves(self, name, i, place):
        self.saved.append((name, i, place / f"{len(self.saved)}_got.npy"))
        return {"save": str(self.saved[-1][2])}

    def collect(self):
        """What was saved, in the order of the definition; also copied to where the caller wants it."""
        held = []
        for name, i, file in sorted(self.saved, key=lambda one: (list(self.outputs).index(one[0]), one[1])):
            array, kind = read_typed(file)
            targets = self.wanted.get(name, self.given.get(name, []))
            if i < len(targets):
                targets[i].take(array)
            held.append((name, array, kind))
        return held
