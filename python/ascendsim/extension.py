# SPDX-License-Identifier: Apache-2.0
"""Builds extensions of PyTorch (TORCH_LIBRARY, PYBIND11_MODULE) and plain libraries whose kernels are Ascend C.

    path = ascendsim.extension.build("my_ops", ["binding.cpp", "add_kernel.cpp"], include=["include"])
    my_ops = ascendsim.extension.load("my_ops", [...])          # imports it
    python3 -m ascendsim.extension my_ops binding.cpp kernels/*.cpp -I include -o build

A file with kernels is compiled by AscendSim's toolchain; every other file is the host's part and is compiled once, by g++.
Launches (`kernel<<<…>>>` in a file with kernels, ACLRT_LAUNCH_KERNEL and aclrtlaunch_… anywhere) run on the simulated chip.
"""

import argparse
import hashlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import _place, _program
from ._errors import UserError
from ._place import torch_folder, torch_includes

_LAUNCHED = re.compile(r"\b(?:ACLRT_LAUNCH_KERNEL|EXEC_KERNEL_CMD)\s*\(\s*(\w+)|\baclrtlaunch_(\w+)\s*\(|aclrtlaunch_(\w+)\.h")
_INCLUDED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
_KERNEL = re.compile(r"__global__[^;{}()]*?\bvoid\s+(\w+)\s*\(")


def build(
    name,
    sources,
    include=(),
    define=(),
    out=None,
    flags=(),
    link=(),
    defers=False,
    torch=True,
    chip=None,
    partial=False,
    verbose=False,
    hosts_alone=False,
):
    """Builds the library `name` of these sources; returns its path.

    include, define, flags: for the compilers. link: more words for the linker. out: the folder for it (a cache otherwise).
    torch: whether the host's part sees PyTorch. defers: whether a failing kernel is told at the next synchronisation, as
    code called by ctypes needs, in place of an exception. partial: sources that do not compile are left out, with a
    warning, and what needs them says so when it is called. hosts_alone: whether it may be without kernels. Raises
    UserError with the compiler's words.
    """
    files = [Path(one).absolute() for one in sources]
    for one in files:
        if not one.is_file():
            raise UserError(f"{one}: there is no such source")
    kernels = [one for one in files if has_kernels(one)]
    hosts = [one for one in files if one not in kernels]
    if not kernels and not hosts_alone:
        raise UserError(f"{name}: none of its {len(files)} sources has a kernel (__global__)")
    folders = [str(Path(one).absolute()) for one in include]
    work = _place.cache() / "extensions" / hashlib.sha256("\n".join([name, *map(str, files)]).encode()).hexdigest()[:16]
    (work / "launch").mkdir(parents=True, exist_ok=True)
    for one in _names(files, folders):
        _write(work / "launch" / f"aclrtlaunch_{one}.h", _launch_header(one))
    words = _device_words([*folders, str(work / "launch")], define, flags)
    host = _host_command(folders, define, flags, work, torch)

    def made(one):
        try:
            if one in kernels:
                return _kernel_objects(name, one, folders, words, chip, defers, work, host[0])
            return [_compile(one, host, work, name, verbose)]
        except UserError as error:
            if not partial:
                raise
            print(f"ascendsim: left out: {error}", file=sys.stderr)
            return _absent_kernels(name, one, folders, str(error), work, host[0]) if one in kernels else []

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = [each for group in pool.map(made, files) for each in group]
    folder = Path(out).absolute() if out else work
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / (f"{name}{sysconfig.get_config_var('EXT_SUFFIX')}" if torch else f"lib{name}.so")
    if partial:
        objects += _stubs(_link(objects, link, torch, target), work, name)
    _call(_link(objects, link, torch, target), name)
    return target


def _kernel_objects(name, file, folders, words, chip, defers, work, compiler):
    """The host's object of a file with kernels, and one that tells the simulator of them."""
    stem = f"{file.stem}.{hashlib.sha256(str(file).encode()).hexdigest()[:6]}"
    names = _names([file], folders, launched=False)
    bridge, bundle, register = work / f"{stem}.bridge.cpp", work / f"{stem}.bundle", work / f"{stem}.register.cpp"
    _write(bridge, _bridge(names))
    built = _build_kernels(name, [bridge, file], words, chip)
    _write(bundle, "\n".join([str(bridge), f"--source={file}", *words]) + "\n")
    _write(register, _register(bundle, names, defers))
    told = _compile(register, [compiler, "-std=gnu++20", "-O1", "-fPIC"], work, name, False)
    return [told, built["host_objects"][str(file)]]


def _absent_kernels(name, file, folders, error, work, compiler):
    """An object that says why a file's kernels are not there."""
    bundle = work / f"{file.stem}.absent"
    _write(bundle, f"!{error}")
    register = work / f"{file.stem}.absent.cpp"
    _write(register, _register(bundle, _names([file], folders, launched=False), False))
    return [_compile(register, [compiler, "-std=gnu++20", "-O1", "-fPIC"], work, name, False)]


def _stubs(command, work, name):
    """An object with functions that raise an error, for those that a link misses."""
    strict = [*command, "-Wl,-z,defs", "-Wl,--no-demangle"]
    done = subprocess.run(strict, capture_output=True, text=True, errors="replace", check=False)
    missing = sorted(set(re.findall(r"undefined reference to `([^']+)'", done.stderr)))
    missing = [one for one in missing if not one.startswith("Py") and not one.startswith("_Py")]
    if not missing:
        return []
    stubs = work / "absent.cpp"
    text = 'extern "C" void ascendsim_absent(const char*);\n'
    for one in missing:
        text += (
            f'asm(".text\\n.globl {one}\\n.type {one},@function\\n{one}:\\n.cfi_startproc\\nsubq $8,%rsp\\n.cfi_def_cfa_offset 16\\n"\n'
            f'    "leaq 1f(%rip),%rdi\\ncall ascendsim_absent@PLT\\n.cfi_endproc\\n.section .rodata\\n1: .asciz \\"{one}\\"\\n.text");\n'
        )
    _write(stubs, text)
    return [_compile(stubs, ["g++", "-O1", "-fPIC"], work, name, False)]


def load(name, sources, **options):
    """Builds as build() does and imports the result; operators of TORCH_LIBRARY are in torch.ops then."""
    import torch

    from . import _front

    _front.load(torch)
    path = build(name, sources, **options)
    spec = importlib.util.spec_from_file_location(name, path)
    try:
        module = importlib.util.module_from_spec(spec)
    except ImportError as error:
        if "PyInit_" not in str(error):
            raise
        torch.ops.load_library(str(path))  # TORCH_LIBRARY alone
        return torch.ops
    spec.loader.exec_module(module)
    sys.modules[name] = module
    return module


def has_kernels(file) -> bool:
    """True if a source defines kernel functions."""
    text = _without_comments(Path(file).read_text(errors="replace"))
    return re.search(r"\b__global__\b", text) is not None and "__aicore__" in text or "<<<" in text


def _without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)


def _names(files, folders, launched=True):
    """Names of the kernels that may be launched by name: those that are there, and with `launched` those that launches
    name."""
    found, seen, waiting = set(), set(), list(files)
    while waiting:
        file = waiting.pop()
        if file in seen or not file.is_file():
            continue
        seen.add(file)
        text = _without_comments(file.read_text(errors="replace"))
        for groups in _LAUNCHED.findall(text) if launched else []:
            found.update(one for one in groups if one)
        for match in _KERNEL.finditer(text):
            before = text[: match.start()].rstrip()
            if not before.endswith(">") and "template" not in match.group(0):  # not of a template
                found.add(match.group(1))
        for name in _INCLUDED.findall(text):
            waiting += [file.parent / name, *[Path(folder) / name for folder in folders]]
    return sorted(one for one in found if one not in ("kernel_name", "kernel", "NAME", "name"))


def _launch_header(name):
    return (
        "#pragma once\n"
        '#include "acl/acl.h"\n'
        '#include "runtime/acl/launch.hpp"\n'
        f"template <class... A>\ninline uint32_t aclrtlaunch_{name}(uint32_t blocks, aclrtStream stream, A... arguments) {{\n"
        f"    return ACLRT_LAUNCH_KERNEL({name})(blocks, stream, arguments...);\n}}\n"
    )


def _bridge(names):
    mentioned = "".join(f"    (void)ACLRT_LAUNCH_KERNEL({name});\n" for name in names)
    return (
        '#include "runtime/front/bridge/bridge.hpp"\n'
        "#ifdef ASCENDSIM_HOST\n"
        f"[[maybe_unused]] static void launched_by_name() {{\n{mentioned}}}\n"
        "int main(int argc, char** argv) {\n    return ascendsim::front::serve(argc, argv);\n}\n"
        "#endif\n"
    )


def _register(bundle, names, defers):
    listed = "".join(f'"{name}", ' for name in names)
    return (
        'extern "C" void ascendsim_add_bundle(const char* file, const char* const* names, int defers);\n'
        "namespace {\n"
        f"const char* const names[] = {{{listed}nullptr}};\n"
        "[[gnu::constructor]] void tell() {\n"
        f'    ascendsim_add_bundle({json.dumps(str(bundle))}, names, {int(defers)});\n}}\n'
        "}\n"
    )


def _device_words(folders, define, flags):
    words = [f"-I{one}" for one in folders] + [f"-D{one}" for one in define]
    return words + [f"--compile-flag={one}" for one in flags] + ["--compile-flag=-ffunction-sections"]


def _build_kernels(name, files, words, chip):
    options = ["--chip", chip] if chip else []
    code, text, error = _program.call(["build", *files, *words, *options, "--json"])
    if code != 0:
        raise UserError(f"{name}: its kernels do not compile: {error.strip().removeprefix('ascendsim: ')}")
    return json.loads(text)


def _host_command(folders, define, flags, work, torch):
    command = ["g++", "-std=gnu++20", "-O1", "-fPIC", "-w", "-fno-gnu-unique", "-DASCENDSIM_HOST", "-D__CCE_KT_NONE__"]
    command += [f"-I{one}" for one in folders] + [f"-D{one}" for one in define] + list(flags)
    ours = [_place.standin() / "include", work / "launch", _place.root() / "runtime/acl/include", _place.root()]
    command += [f"-I{one}" for one in ours]
    if not torch:
        return [*command, "-include", "acl/acl.h", "-include", "runtime/acl/launch.hpp"]
    command += [f"-isystem{one}" for one in [*torch_includes(), sysconfig.get_paths()["include"]]]
    import torch as module

    abi = int(module._C._GLIBCXX_USE_CXX11_ABI)
    return [*command, f"-D_GLIBCXX_USE_CXX11_ABI={abi}", "-DTORCH_API_INCLUDE_EXTENSION_H", "-include", "prefix.hpp"]


def _link(objects, more, torch, target):
    """The command that links a library. Words behind the objects, so that libraries that nothing needs are left out."""
    front, libraries = _place.front(), _place.libraries()
    command = ["g++", "-shared", "-Wl,--gc-sections", *map(str, objects), *more, f"-L{front}", f"-L{libraries}"]
    command += ["-Wl,--no-as-needed", "-lascendcl", "-Wl,--as-needed", "-lruntime_acl", "-lmodels_isa", "-lfmt"]
    command += [f"-Wl,-rpath,{front}:{libraries}"]
    if torch:
        folder = torch_folder() / "lib"
        command += [f"-L{folder}", f"-Wl,-rpath,{folder}"] if folder.is_dir() else []
        command += ["-ltorch_python", "-ltorch", "-ltorch_cpu", "-lc10"]
    return [*command, "-o", str(target)]


def _compile(file, command, work, name, verbose):
    """The object of a host source; the one from before if nothing it was made of has changed."""
    if "-DTORCH_API_INCLUDE_EXTENSION_H" in command:
        command = [*command, f"-DTORCH_EXTENSION_NAME={name}"]
    stem = hashlib.sha256("\n".join([*command, str(file)]).encode()).hexdigest()[:20]
    made, depends = work / f"{stem}.o", work / f"{stem}.d"
    if made.is_file() and depends.is_file():
        times = [Path(one).stat().st_mtime if Path(one).exists() else float("inf") for one in _dependencies(depends)]
        newest = max(times, default=0)
        if newest <= made.stat().st_mtime:
            return made
    if verbose:
        print(f"compiling {file}", file=sys.stderr)
    _call([*command, "-MMD", "-MF", str(depends), "-c", str(file), "-o", str(made)], name)
    return made


def _dependencies(file):
    return file.read_text().replace("\\\n", " ").split(":", 1)[-1].split()


def _call(command, name):
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise UserError(f"{name}: {command[0]} cannot be started ({error.strerror}); install g++") from error
    if done.returncode != 0:
        raise UserError(f"{name}: the host's part does not compile:\n{_first_errors(done.stderr)}")


def _first_errors(text, most=12):
    lines = text.strip().splitlines()
    first = next((i for i, line in enumerate(lines) if "error" in line or "undefined" in line), 0)
    return "\n".join(lines[first : first + most])


def _write(file, text):
    if not file.is_file() or file.read_text() != text:
        file.write_text(text)


def main(words=None):
    about = "Builds an extension whose kernels run on the simulated chip."
    parser = argparse.ArgumentParser(prog="python3 -m ascendsim.extension", description=about)
    parser.add_argument("name", help="of the module, as TORCH_LIBRARY or PYBIND11_MODULE say")
    parser.add_argument("sources", nargs="+")
    parser.add_argument("-I", dest="include", action="append", default=[], metavar="DIR")
    parser.add_argument("-D", dest="define", action="append", default=[], metavar="NAME[=VALUE]")
    parser.add_argument("-o", dest="out", default=".", metavar="DIR", help="the folder for it")
    parser.add_argument("--flag", dest="flags", action="append", default=[], help="for the compilers")
    parser.add_argument("--link", action="append", default=[], help="for the linker")
    plain = "a library without PyTorch, for ctypes: failures wait for the next synchronisation"
    parser.add_argument("--plain", action="store_true", help=plain)
    parser.add_argument("--partial", action="store_true", help="leave out what does not compile")
    parser.add_argument("--chip")
    given = parser.parse_args(words)
    try:
        print(build(given.name, given.sources, given.include, given.define, given.out, given.flags, given.link,
                    given.plain, not given.plain, given.chip, given.partial, verbose=True))
    except UserError as error:
        print(f"ascendsim: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
