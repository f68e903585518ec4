# SPDX-License-Identifier: Apache-2.0
"""Functions of torch_npu by the sources of op-plugin: their own checks, shapes and choices of aclnn functions run, and
what they call is simulated by the kernels of libraries. ASCENDSIM_LIBRARY names the checkout among these."""

import functools
import hashlib
import re
from pathlib import Path
from typing import NamedTuple

from . import _aclnn, _place, extension
from . import _library as libraries
from ._errors import UserError

_INCLUDED = re.compile(r'#\s*include\s*[<"]((?:torch_npu|third_party|op_plugin)/[^">]+)[">]')
_OWN = ("KernelNpuOutputSize", "KernelNpuOutputDtype", "KernelNpuNewParams", "OpUtils")

loaded = set()  # names of functions that are registered


class MissingFunction(UserError):
    """op-plugin has no such function, or only one behind ACL's older interface."""


def folder():
    """The checkout that is named, or None."""
    return next((Path(one) for one in libraries.named() if libraries.is_op_plugin(one)), None)


def available(name):
    """Whether a library has an aclnn function; what op-plugin asks before it chooses one."""
    return _aclnn.known(name.removesuffix("GetWorkspaceSize"), tuple(libraries.folders()))


def called(name, arguments):
    """What a function's call of an aclnn function comes to."""
    _aclnn.aclnn(name, *arguments)


@functools.lru_cache(maxsize=None)
def load(name):
    """Builds the function and registers it as torch.ops.npu.<name>. Raises MissingFunction, or UserError with the
    compiler's words."""
    import torch

    root = folder()
    function = _functions(root).get(name)
    if function is None:
        raise MissingFunction(f"{root} has no function {name}")
    # Of each checkout its own: what one has as a header another may have to be given.
    place = _place.cache() / "op_plugin" / hashlib.sha256(str(root).encode()).hexdigest()[:16]
    place.mkdir(parents=True, exist_ok=True)
    defined = f"{name}_symint" if f"{name}_symint" in _sources(root) else name
    source = _sources(root).get(defined)
    if source is None and "exec" in function.generated:
        source = place / f"{name}_generated.cpp"
        extension._write(source, _generated_source(function))
    if source is None:
        raise MissingFunction(f"{root} has no source of {name} that calls an aclnn function")
    headers = _headers(root, place)
    parts = _parts(root, headers)
    binding = place / f"{name}.cpp"
    extension._write(binding, _binding(root, place, defined, function, source))
    path = extension.build(
        f"op_plugin_{name}",
        [binding],
        include=_include(root, headers),
        define=_DEFINE,
        flags=_FLAGS,
        link=[str(parts), f"-Wl,-rpath,{parts.parent}"],
        hosts_alone=True,
    )
    torch.ops.load_library(str(path))
    loaded.add(name)
    operators = torch.ops.npu
    return getattr(getattr(operators, "registered", operators), name)


_FLAGS = ("-O0", "-include", "op_plugin_npu.hpp")
_DEFINE = ("CURRENT_VERSION=0", "OP_PLUGIN_UTILS_EXPORT", "OP_PLUGIN_HIDDEN=")


def _include(root, headers):
    return [str(_place.standin() / "op_plugin"), str(headers), str(root)]


@functools.lru_cache(maxsize=None)
def _functions(root):
    """What the list of functions says of each, by name without overload: its schema, and of one whose code is generated
    the parts of that. Variants with `out` are left out."""
    found = {}
    text = (root / libraries.OP_PLUGIN_FUNCTIONS).read_text(errors="replace")
    for part in re.split(r"^  - func: ", text, flags=re.MULTILINE)[1:]:
        schema, _, rest = part.partition("\n")
        name = re.match(r"\w+", schema).group(0)
        if not schema.startswith(f"{name}.out("):
            found.setdefault(name, _Function(schema.strip(), _generated(rest)))
    return found


class _Function(NamedTuple):
    schema: str
    generated: dict  # empty: its source is there

    @property
    def full_name(self):
        return self.schema.partition("(")[0]


class Derivatives(NamedTuple):
    """How gradients of a function come about."""

    differentiable: list  # of each result whether it is; empty: all are
    formulas: list  # (names of parameters, a call of another function)


def derivatives(name):
    """What op-plugin says of a function's gradients, or None."""
    return _derivatives(folder()).get(name)


@functools.lru_cache(maxsize=None)
def _derivatives(root):
    file = root / "op_plugin" / "config" / "derivatives.yaml"
    found = {}
    for part in re.split(r"^- name: ", file.read_text(errors="replace") if file.is_file() else "", flags=re.MULTILINE)[1:]:
        schema, *lines = part.splitlines()
        marks, formulas = [], []
        for line in lines:
            key, _, value = line.strip().partition(": ")
            value = value.strip('"')
            if key == "output_differentiability":
                marks = [one.strip() == "true" for one in value.strip("[] ").split(",")]
            elif re.fullmatch(r"\w+\(.*\)", value):
                formulas.append(([one.strip() for one in key.split(",")], value))
        if formulas:
            found[re.match(r"\w+", schema).group(0)] = Derivatives(marks, formulas)
    return found


def _generated(text):
    """The lines below `gen_opapi:` as nested dicts of texts."""
    block = re.search(r"^    gen_opapi:\n((?:      .*\n|\s*\n)*)", text, re.MULTILINE)
    made, inner = {}, None
    for line in block.group(1).splitlines() if block else []:
        match = re.match(r"( +)(\w+):\s*(.*)$", line)
        if not match:
            continue
        value = match.group(3).strip()
        if len(value) > 1 and value[0] in "'\"" and value[0] == value[-1]:  # of YAML: only a quote within is written otherwise
            value = value[1:-1].replace("''", "'") if value[0] == "'" else value[1:-1].replace('\\"', '"')
        if len(match.group(1)) > 6 and inner is not None:
            inner[match.group(2)] = value
        elif value:
            made[match.group(2)] = value
        else:
            inner = made.setdefault(match.group(2), {})
    return made


_TYPES = {
    "Tensor": "const at::Tensor&",
    "Tensor?": "const c10::optional<at::Tensor>&",
    "Tensor[]": "at::TensorList",
    "Tensor[]?": "at::OptionalTensorList",
    "int": "int64_t",
    "SymInt": "c10::SymInt",
    "int[]": "at::IntArrayRef",
    "int[]?": "at::OptionalIntArrayRef",
    "float": "double",
    "bool": "bool",
    "str": "c10::string_view",
    "Scalar": "const at::Scalar&",
    "ScalarType": "at::ScalarType",
}


def _parameters(schema):
    """The parameters of a schema, as (type in C++, name)."""
    words = re.match(r"[\w.]+\((.*)\) ->", schema).group(1)
    found = []
    for word in re.split(r", (?![^\[(]*[\])])", words):
        kind, _, name = word.partition("=")[0].strip().rpartition(" ")
        if not kind:  # the mark in front of those by name alone
            continue
        if re.fullmatch(r"Tensor\(\w!\)", kind):
            found.append(("at::Tensor&", name))
        elif match := re.fullmatch(r"bool\[(\d)\]", kind):
            found.append((f"std::array<bool, {match.group(1)}>", name))
        else:
            plain = re.sub(r"\[\d+\]", "[]", kind)
            if plain.removesuffix("?") not in _TYPES:
                raise UserError(f"the schema '{schema}' has the type {kind}, which is not understood")
            found.append((_TYPES.get(plain) or f"c10::optional<{_TYPES[plain.removesuffix('?')]}>", name))
    return found


def _generated_source(function):
    """The function that op-plugin's build writes from the parts `out`, `new_params` and `exec`."""
    parameters = _parameters(function.schema)
    names = [name for _, name in parameters]
    tensors = [name for kind, name in parameters if "at::Tensor&" in kind]
    name = re.match(r"\w+", function.schema).group(0)
    parts = dict(function.generated)
    aclnn, *handed = re.split(r",\s*", parts.pop("exec"))
    lines = [f"auto {key} = {value};" for key, value in parts.pop("new_params", {}).items()]
    for key, output in parts.items():
        size, kind = output["size"], output.get("dtype", "")
        size = f"{size}.sizes()" if size in names else size
        options = f"{kind}.options()" if kind in tensors else f"{names[0]}.options().dtype({kind})"
        lines.append(f"{'c10::SmallVector<int64_t, 8>' if size.startswith('{') else 'auto'} {key}_size = {size};")
        lines.append(f"at::Tensor {key} = at_npu::native::OpPreparation::apply_tensor_without_format({key}_size, {options});")
    lines.append(f"EXEC_NPU_CMD({', '.join([aclnn, *(handed or [*names, *parts])])});")
    changed = [name for kind, name in parameters if kind == "at::Tensor&"]
    returned = list(parts) or changed
    void = function.schema.endswith("-> ()")
    whole = "at::Tensor" if parts else "at::Tensor&"
    result = "void" if void else whole if len(returned) == 1 else f"std::tuple<{', '.join([whole] * len(returned))}>"
    lines.append("return;" if void else f"return {returned[0]};" if len(returned) == 1 else f"return {result}{{{', '.join(returned)}}};")
    body = "".join(f"    {line}\n" for line in lines)
    listed = ", ".join(f"{kind} {one}" for kind, one in parameters)
    return (
        '#include "op_plugin/utils/op_api_common.h"\n'
        "namespace op_api {\nusing namespace op_infer;\nusing npu_preparation = at_npu::native::OpPreparation;\n"
        f"{result} {name}({listed}) {{\n{body}}}\n}}\n"
    )


@functools.lru_cache(maxsize=None)
def _sources(root):
    """The source that defines each function of namespace op_api."""
    found = {}
    for file in sorted((root / "op_plugin" / "ops" / "opapi").rglob("*.cpp")):
        text = extension._without_comments(file.read_text(errors="replace"))
        for match in re.finditer(r"^[\w:<>&, ]*?[\w>&]\s+&?(\w+)\s*\(", text, re.MULTILINE):
            if _is_definition(text, match.end() - 1):
                found.setdefault(match.group(1), file)
    return found


def _is_definition(text, start):
    """True if behind the parentheses that open at `start` a body begins."""
    depth = 0
    for i in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return text[i + 1 : i + 40].lstrip().startswith("{")
    return False


def _headers(root, place):
    """A folder with the headers of torch_npu that op-plugin's sources include and nobody has."""
    headers = place / "headers"
    ours = _place.standin()
    needed = set()
    for file in [*(root / "op_plugin" / "ops" / "opapi").rglob("*.*"), *(root / "op_plugin" / "utils").glob("*.*")]:
        needed.update(_INCLUDED.findall(file.read_text(errors="replace")))
    for name in sorted(needed):
        if not any((up / name).is_file() for up in (ours / "op_plugin", ours / "include", root)):
            file = headers / name
            file.parent.mkdir(parents=True, exist_ok=True)
            extension._write(file, "#pragma once\n#include <op_plugin_npu.hpp>\n")
    return headers


@functools.lru_cache(maxsize=None)
def _parts(root, headers):
    """The library of what functions share: shapes and types of outputs, checks."""
    sources = [root / "op_plugin" / "utils" / f"{name}.cpp" for name in _OWN]
    return extension.build(
        "op_plugin_parts",
        [one for one in sources if one.is_file()],
        include=_include(root, headers),
        define=_DEFINE,
        flags=_FLAGS,
        partial=True,
        hosts_alone=True,
    )


def _binding(root, place, defined, function, source):
    """The source that registers a function: that of op-plugin and of what it calls, and the schema."""
    files, waiting = [], [source]
    while waiting:
        one = waiting.pop()
        if one in files:
            continue
        files.append(one)
        text = extension._without_comments(one.read_text(errors="replace"))
        for used in re.findall(r"\bop_api::(\w+)\s*\(", text):
            waiting += [_sources(root)[used]] if used in _sources(root) else []
    older = sorted({used for one in files for used in re.findall(r"\bacl_op::(\w+)\s*\(", one.read_text(errors="replace"))})
    text = "#include <op_plugin_npu.hpp>\nnamespace acl_op {\n"
    text += "".join(f'OP_PLUGIN_ABSENT({one})\n' for one in older) + "}\n"
    text += "".join(f'#include "{_readable(one, place)}"\n' for one in reversed(files))
    words = function.schema.replace('"', '\\"')
    if not defined.endswith("_symint"):
        words = words.replace("SymInt", "int")
    return (
        f"{text}TORCH_LIBRARY_FRAGMENT(npu, library) {{\n"
        f'    library.def("{words}");\n'
        f'    library.impl("{function.full_name}", c10::DispatchKey::CompositeExplicitAutograd, TORCH_FN(op_api::{defined}));\n'
        "}\n"
    )


def _readable(file, place):
    """A source as PyTorch 1.13 can read it: a tensor made of nullptr is one that is not there."""
    text = file.read_text(errors="replace")
    changed = re.sub(r"(\bat::Tensor \w+)\{nullptr\}", r"\1{}", text)
    if changed == text:
        return file
    copy = place / file.name
    extension._write(copy, changed)
    return copy
