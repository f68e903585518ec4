# SPDX-License-Identifier: Apache-2.0
"""One call of an aclnn function of a library, with the code that the library has around its operators."""

import functools
import hashlib
import os
import re
import tempfile
from pathlib import Path

import numpy as np

from . import _place, _program
from ._arrays import Tensor, is_array
from ._errors import KernelError, UserError
from ._library import TYPE_NUMBERS, folders
from ._run import _chip, _execute


class Scalar:
    """A number with an element type, for a parameter that is an aclScalar."""

    def __init__(self, value, dtype=None):
        usual = "bool" if isinstance(value, bool) else "int64" if isinstance(value, int) else "float32"
        self.value, self.type = value, str(dtype or usual).removeprefix("torch.")


class Retyped:
    """A tensor whose elements stand for those of another type, by its number."""

    def __init__(self, tensor, number):
        self.tensor, self.number = tensor, int(number)


class ElementType:
    """An element type by its number, for a parameter that is an aclDataType."""

    def __init__(self, number):
        self.number = int(number)


def aclnn(name, *arguments, library=None, chip=None, set=None, timeout=None):
    """Calls an aclnn function such as "aclnnRmsNorm" of a library and returns its Result.

    `arguments` are those of aclnnXGetWorkspaceSize in order, without the last two: arrays for tensors and lists of arrays
    for lists of them, which the call changes in place where it computes them; numbers, bools, text; lists of numbers;
    Scalar(value) for an aclScalar; an element type of torch or NumPy for an aclDataType; None for nullptr. `library`,
    chip, set and timeout are as for operator(). The library's own code (`op_api/aclnn_x.cpp`) runs where it has some.

        y, rstd = np.empty_like(x), np.empty(rows, np.float32)
        ascendsim.aclnn("aclnnRmsNorm", x, gamma, 1e-6, y, rstd, library="ops-nn").time_us

    Raises UserError with the function's words where it refuses the call.
    """
    given = folders(library)
    if not given:
        raise UserError(f"{name}: no library is named; pass library=DIR or set ASCENDSIM_LIBRARY")
    keep = tempfile.TemporaryDirectory(prefix="ascendsim_")
    place = Path(keep.name)
    call = _Call(name, place)
    for value in arguments:
        call.add(value)
    (place / "arguments").write_text("".join(f"{line}\n" for line in call.lines))
    words = [word for folder in given for word in ("--library", folder)]
    words += ["--chip", _chip(chip)]
    try:
        result = _execute(call.program(), place, keep, set or {}, timeout, [*words, "--", place])
    except KernelError as error:
        call.raise_refusal(error.result.messages if error.result else "")
        raise
    call.raise_refusal(result.messages)
    call.collect()
    return result


@functools.lru_cache(maxsize=None)
def known(name, libraries):
    """Whether one of these folders (a tuple) has a function of this name: its header, its code, or its operator."""
    plain = re.sub(r"^aclnn(Inplace)?|(V\d+)$", "", name)
    wanted = {f"{_snake(name)}.h", f"{_snake(name)}.cpp"}
    operators = {f"{_snake(plain)}_def.cpp"} if name == f"aclnn{plain}" else set()
    return any(not (wanted | operators).isdisjoint(_files(folder)) for folder in libraries)


@functools.lru_cache(maxsize=None)
def _files(folder):
    return frozenset(file for _, _, files in os.walk(folder) for file in files)


def _snake(name):
    """A function's name as files have it: aclnnFFNV2 is in aclnn_ffn_v2.h."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Z])(?=V\d+$)", "_", name).lower()


class _Call:
    """The program of a call, and the lines of its arguments."""

    def __init__(self, name, place):
        if not re.fullmatch(r"aclnn[A-Z]\w*", name):
            raise UserError(f"'{name}' is no aclnn function; its name begins with aclnn, as in aclnnRmsNorm")
        self.name, self.place = name, place
        self.lines, self.kinds, self.tensors = [], [], []

    def add(self, value):
        kind, line = self._argument(value)
        self.kinds.append(kind)
        self.lines.append(line)

    def _argument(self, value):
        word = str(value)
        if value is None:
            return "", ""
        if is_array(value) or isinstance(value, Retyped):
            return "tensor", self._tensor(value)
        if isinstance(value, (bool, np.bool_)):
            return "flag", f"{int(value)}"
        if isinstance(value, (int, np.integer)):
            return "integer", f"{int(value)}"
        if isinstance(value, (float, np.floating)):
            return "real", repr(float(value))
        if isinstance(value, str):
            if "\n" in value:
                raise UserError(f"{self.name}: a text has more than one line")
            return "text", f" {value}"
        if isinstance(value, Scalar):
            return "scalar", self._scalar(value)
        if isinstance(value, ElementType):
            return "type", f"{value.number}"
        if isinstance(value, (list, tuple)):
            return self._list(list(value))
        named = word.removeprefix("torch.") if word.startswith("torch.") else getattr(value, "__name__", word)
        if named in TYPE_NUMBERS:
            return "type", f"{TYPE_NUMBERS[named]}"
        raise UserError(f"{self.name}: {type(value).__name__} is no argument of such a function")

    def _list(self, values):
        kinds = {
            "tensors": (lambda one: is_array(one) or isinstance(one, Retyped), self._tensor),
            "scalars": (lambda one: isinstance(one, Scalar), self._scalar),
            "flags": (lambda one: isinstance(one, (bool, np.bool_)), lambda one: f"{int(one)}"),
            "integers": (lambda one: isinstance(one, (int, np.integer)), lambda one: f"{int(one)}"),
            "reals": (lambda one: isinstance(one, (float, int, np.floating)), lambda one: repr(float(one))),
        }
        for kind, (fits, line) in kinds.items():
            if values and all(map(fits, values)):
                return kind, " ".join([str(len(values)), *map(line, values)])
        if not values:
            return "integers", "0"
        raise UserError(f"{self.name}: a list holds arrays, numbers, bools or scalars, all of a kind, not {values!r}")

    def _tensor(self, value):
        tensor = Tensor(value.tensor if isinstance(value, Retyped) else value)
        number = value.number if isinstance(value, Retyped) else TYPE_NUMBERS[tensor.type]
        file = f"{len(self.tensors)}.bin"
        data = np.ascontiguousarray(tensor.array)
        (self.place / file).write_bytes(data.tobytes())
        self.tensors.append((tensor, self.place / file))
        shape = list(map(str, tensor.shape))
        return " ".join([str(number), str(len(shape)), *shape, str(data.nbytes), file])

    def _scalar(self, scalar):
        kind = scalar.type if scalar.type in ("int64", "bool", "float32") else "float64"
        value = int(scalar.value) if kind in ("int64", "bool") else repr(float(scalar.value))
        return f"{TYPE_NUMBERS[kind]} {value}"

    def program(self):
        """The source of the program, which depends on the kinds of arguments alone, so that it is compiled once."""
        handed = [f"call.{kind}({i})" if kind else "nullptr" for i, kind in enumerate(self.kinds)]
        text = (
            f'#include "{_snake(self.name)}.h"\n'
            f'#include "{_place.standin() / "include" / "ascendsim_aclnn.hpp"}"\n'
            "int main(int, char** arguments) {\n"
            "    ascendsim::python::AclnnCall call{arguments[1]};\n"
            "    return call.run(\n"
            "        [&](uint64_t* bytes, aclOpExecutor** executor) {\n"
            f"            return {self.name}GetWorkspaceSize({', '.join([*handed, 'bytes', 'executor'])});\n"
            "        },\n"
            f"        {self.name});\n"
            "}\n"
        )
        folder = _place.cache() / "aclnn" / hashlib.sha256(text.encode()).hexdigest()[:16]
        file = folder / f"{_snake(self.name)}_call.cpp"
        if not file.is_file() or file.read_text() != text:
            folder.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return file

    def raise_refusal(self, messages):
        """Raises what the function says where it refuses the call, and what the simulator notes of its code."""
        file = self.place / "refused"
        if file.is_file():
            notes = [line.removeprefix("ascendsim: ").strip() for line in messages.splitlines() if "note: " in line]
            raise UserError("\n".join([f"{self.name}: {file.read_text().strip()}", *notes]))

    def collect(self):
        """Copies back what the call has changed."""
        for tensor, file in self.tensors:
            got = Path(f"{file}.got")
            if got.is_file() and (changed := got.read_bytes()) != file.read_bytes():
                tensor.take(np.frombuffer(bytearray(changed), dtype=tensor.array.dtype).reshape(tensor.shape))
