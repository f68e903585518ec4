# SPDX-License-Identifier: Apache-2.0
"""The compiler front: ascendsim-cc, also under the names bisheng and ccec.

    ascendsim-cc -o prog main.cpp kernel.cpp         # ./prog runs it as `ascendsim run main.cpp` does
    ascendsim-cc -shared -fPIC -o libadd.so add.cpp  # for dlopen and ctypes: its launches are simulated
    ascendsim-cc -c add.cpp -o add.o                 # an object that may become part of either

Options of the vendor's compiler are understood or, where they concern its code alone, ignored. A file without kernels is
compiled by clang++ (or g++), as it is.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from . import _place, _program, extension
from ._errors import UserError

_SOURCES = (".cpp", ".cc", ".cxx", ".cce", ".asc", ".c", ".cu", ".C")
# What means something to the vendor's code generator alone. The second kind has a value behind it.
_IGNORED = re.compile(
    r"-?-cce-(?!auto-sync).*|--?npu-.*|-xcce|-xasc|-O.|-O|-g\d?|-fPIC|-fpic|-pipe|-Xhost-(start|end)|-Xaicore-(start|end)|-Wno-.*|-Werror.*"
    r"|-ftrapv|-s|-fstack-protector.*|--?run-mode.*|-fno-.*|-fdiagnostics-.*|-MV|-static-libstdc\+\+|-fvisibility.*|-pthread"
)
_IGNORED_PAIRS = ("-mllvm", "-Xclang", "-Xarch_host", "-target", "--target", "-arch")
_DEPENDS = ("-M", "-MM", "-MD", "-MMD", "-MG", "-MP")
_RUN_TIME = re.compile(r'#[ \t]*include[ \t]*[<"](acl/|kernel_operator|tiling/|aclrtlaunch_|tikicpulib|runtime/rt)')
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.M)
_MOST_HEADERS = 500  # of a project that are looked through
_ASKED = ("-dumpversion", "-dumpmachine", "-print-search-dirs", "--print-search-dirs", "-print-file-name", "-###")
_NOTE = ".ascendsim"


class Dependencies:
    """What -M, -MD and their like ask for: the files that a source includes, as a rule for make."""

    def __init__(self):
        self.words, self.file, self.targets = set(), None, []

    def take(self, word, following):
        """Takes a word; returns how many were taken."""
        if word == "-MF":
            self.file = following
        elif word in ("-MT", "-MQ"):
            self.targets.append(following if word == "-MT" else following.replace("$", "$$"))
        else:
            self.words.add(word)
        return 2 if word in ("-MF", "-MT", "-MQ") else 1

    @property
    def alone(self):
        """True if nothing is to be compiled."""
        return bool(self.words & {"-M", "-MM"})

    @property
    def beside(self):
        return not self.alone and bool(self.words & {"-MD", "-MMD"} or self.file)

    def place(self, out, source):
        """The file of the rule; none for the standard output."""
        if self.file:
            return self.file
        if self.alone:
            return out
        return str(Path(out).with_suffix(".d")) if out else Path(source).with_suffix(".d").name


class Command:
    """A command line, taken apart."""

    def __init__(self, words):
        self.sources, self.objects, self.include, self.define, self.link, self.flags, self.headers = [], [], [], [], [], [], []
        self.out = None
        self.compile_only = self.preprocess = self.shared = self.syntax = False
        self.depends = Dependencies()
        self.auto_sync = None
        self.arch = ""
        self.standard = "-std=gnu++17"
        words = list(_with_response_files(words))
        i = 0
        while i < len(words):
            i += self._take(words[i], words[i + 1] if i + 1 < len(words) else None)

    def _take(self, word, following):
        """Takes a word; returns how many were taken."""
        if word == "-o":
            self.out = following
            return 2
        if word in _DEPENDS or word in ("-MF", "-MT", "-MQ"):
            return self.depends.take(word, following)
        if word in ("-I", "-isystem", "-iquote", "-idirafter"):
            self.include.append(following)
            return 2
        if word in ("-D", "-L", "-l", "-include", "-x", "-U", "-rpath", "-Xlinker"):
            self._pair(word, following)
            return 2
        if word in _IGNORED_PAIRS:
            return 2
        self._single(word)
        return 1

    def _pair(self, word, following):
        if word in ("-D", "-U"):
            self._macro(word, following)
        elif word == "-include":
            self.headers.append(following)
        elif word in ("-L", "-l"):
            self.link.append(word + following)
        elif word in ("-rpath", "-Xlinker"):
            self.link += ["-Xlinker", following] if word == "-Xlinker" else [f"-Wl,-rpath,{following}"]

    def _macro(self, word, macro):
        """As the last word about a macro says; kernels and host get its flag behind all definitions."""
        name = re.split(r"[=(]", macro, 1)[0]
        self.define = [one for one in self.define if re.split(r"[=(]", one, 1)[0] != name]
        self.flags = [one for one in self.flags if one != f"-U{name}"]
        if word == "-D":
            self.define.append(macro)
        else:
            self.flags.append(f"-U{name}")

    def _single(self, word):
        if word.startswith(("--cce-auto-sync", "-cce-auto-sync")):
            self.auto_sync = not word.endswith("=off")
        elif word.startswith(("--cce-aicore-arch=", "--npu-arch=")):
            self.arch = word.split("=", 1)[1]
        elif word.startswith("-isystem"):
            self.include.append(word[len("-isystem") :])
        elif word.startswith("-I"):
            self.include.append(word[2:])
        elif word.startswith(("-D", "-U")):
            self._macro(word[:2], word[2:])
        elif word.startswith(("-l", "-L", "-Wl,")):
            self.link.append(word)
        elif word in ("-c", "-E", "-fsyntax-only"):
            self.compile_only, self.preprocess, self.syntax = (
                self.compile_only or word == "-c",
                self.preprocess or word == "-E",
                self.syntax or word == "-fsyntax-only",
            )
        elif word in ("-shared", "--shared"):
            self.shared = True
        elif word.startswith("-std="):
            self.standard = word  # of plain files; kernels are compiled as gnu++20
        elif _IGNORED.fullmatch(word):
            pass
        elif not word.startswith("-"):
            (self.sources if word.endswith(_SOURCES) else self.objects).append(word)
        elif not word.startswith("-W"):
            self.flags.append(word)


def _with_response_files(words):
    for word in words:
        if word.startswith("@") and Path(word[1:]).is_file():
            yield from Path(word[1:]).read_text().split()
        else:
            yield word


def _is_program(file):
    text = extension._without_comments(Path(file).read_text(errors="replace"))
    return re.search(r"\bmain\s*\(", text) is not None


def _host_compiler():
    for name in ("clang++", "g++"):
        if shutil.which(name):
            return name
    raise UserError("neither clang++ nor g++ is there; install clang")


def _acl(file, include):
    """True if a source, or a header of its project that it comes to, includes the run-time interface, which a plain
    compiler would not find."""
    folders = [Path(one) for one in include if not (Path(one) / "acl" / "acl.h").is_file()]
    open_files, seen = [Path(file)], set()
    while open_files and len(seen) < _MOST_HEADERS:
        one = open_files.pop()
        if one in seen:
            continue
        seen.add(one)
        text = one.read_text(errors="replace")
        if _RUN_TIME.search(text):
            return True
        for name in _INCLUDE.findall(text):
            found = next((place / name for place in (one.parent, *folders) if (place / name).is_file()), None)
            open_files += [found.resolve()] if found else []
    return False


def _words_of_run(note):
    """What `ascendsim run` needs to compile a source as this command line did."""
    words = [f"-I{one}" for one in note["include"]] + [f"-D{one}" for one in note["define"]]
    words += [f"--include={one}" for one in note["headers"]] + [f"--compile-flag={one}" for one in note["flags"]]
    if note["arch"].endswith(("-vec", "-cube")):
        words.append(f"--compile-flag=--cce-aicore-arch={note['arch']}")
    if note["auto_sync"] is not None:
        words.append(f"--cce-auto-sync={'on' if note['auto_sync'] else 'off'}")
    return words


def _note(command, source):
    return {
        "source": str(Path(source).absolute()),
        "include": [str(Path(one).absolute()) for one in command.include if Path(one).is_dir()],
        "define": command.define,
        "headers": [str(Path(one).absolute()) if Path(one).is_file() else one for one in command.headers],
        "flags": command.flags,
        "auto_sync": command.auto_sync,
        "arch": command.arch,
        "program": _is_program(source),
    }


def _note_source(note):
    """Assembly that keeps a note in an object, in a section that programs do not load."""
    text = json.dumps(json.dumps(note))  # a string of the assembler
    words = json.dumps(f".pushsection {_NOTE},\"\",@progbits\n.ascii {text}\n.byte 10\n.popsection")  # of C
    return f"asm({words});\n"


def notes_of(file):
    """The notes of an object or an archive."""
    with tempfile.TemporaryDirectory() as folder:
        dumped = Path(folder) / "note"
        done = subprocess.run(
            ["objcopy", "--dump-section", f"{_NOTE}={dumped}", str(file), os.devnull], capture_output=True, check=False
        )
        if done.returncode != 0 or not dumped.is_file():
            return []
        return [json.loads(line) for line in dumped.read_text().splitlines() if line.strip()]


def _members(file, folder):
    """The objects of an archive."""
    place = Path(folder) / hashlib.sha256(str(file).encode()).hexdigest()[:12]
    place.mkdir()
    subprocess.run(["ar", "x", str(Path(file).absolute())], cwd=place, check=True)
    return sorted(str(one) for one in place.iterdir())


def _flat(objects, folder):
    """Objects with archives of ours taken apart; archives of others stay, each once, as a linker takes what it needs."""
    flat = []
    for one in dict.fromkeys(map(str, objects)):
        members = _members(one, folder) if one.endswith(".a") else []
        flat += members if any(notes_of(member) for member in members) else [one]
    return flat


def _compile(command, source, out):
    """One object of a source."""
    if not Path(source).is_file():
        raise UserError(f"{source}: there is no such source")
    if not extension.has_kernels(source) and not _acl(source, command.include):
        _host(command, source, out)
        return
    note = _note(command, source)
    with tempfile.TemporaryDirectory() as folder:
        noted = Path(folder) / "note.cpp"
        noted.write_text(_note_source(note) + ("int main() { return 0; }\n" if note["program"] else ""))
        if note["program"]:  # `ascendsim run` compiles it when the program starts
            _check(note)
            _call([_host_compiler(), "-c", "-fPIC", str(noted), "-o", str(out)])
            return
        made = _library_objects(note, Path(folder))
        kept = Path(folder) / "note.o"
        _call([_host_compiler(), "-c", "-fPIC", str(noted), "-o", str(kept)])
        _call(["ld", "-r", "-o", str(out), str(kept), *made])


def _kernel_passes(command):
    """The macros of each kind of cores: what a kernel includes may depend on them."""
    kinds = [one for one in ("vec", "cube") if not command.arch.endswith(("-vec", "-cube")) or command.arch.endswith(one)]
    known = ["-D__NPU_ARCH__=2201", "-D__CCE_AICORE__=220", "-D__CCE__=1", "-DASCENDSIM"]
    return [[*known, f"-D__DAV_C220_{one.upper()}__", f"-D__DAV_{one.upper()}__"] for one in kinds]


def _included(command, source):
    """The files that a source is made of, itself first, each once. What the simulator's headers bring is left out, as a system's."""
    words = [f"-I{one}" for one in command.include] + [f"-D{one}" for one in command.define] + command.flags
    for one in command.headers:
        words += ["-include", one]
    kind = "-M" if command.depends.words & {"-M", "-MD"} else "-MM"
    of_host = [[command.standard]]
    ours = []
    if extension.has_kernels(source) or _acl(source, command.include):
        of_host = [["-std=gnu++20", *one] for one in _kernel_passes(command)]
        folders = ("kernels/ascendc", "runtime/acl/include", "")
        ours = ["-include", "kernel_operator.h"] + [f"-isystem{_place.root() / one}" for one in folders]
    found = {}
    for one in of_host:
        call = [_host_compiler(), "-x", "c++", "-w", *one, *words, *ours, kind, "-MG", str(source)]
        done = subprocess.run(call, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode != 0:
            raise UserError(f"{source}: what it includes cannot be told\n{done.stderr.strip()}")
        rule = done.stdout.split(":", 1)[1].replace("\\\n", " ")
        found.update(dict.fromkeys(re.findall(r"(?:\\.|\S)+", rule)))
    return list(found)


def _tell_dependencies(command, source, out, beside=None):
    """Writes the rule that a build reads before it decides what to compile again, in a file named after `beside`, or `out`."""
    depends = command.depends
    made = Path(source).with_suffix(".o").name
    target = " ".join(depends.targets) or (made if depends.alone else out or made)
    files = _included(command, source)
    text = f"{target}: " + " \\\n  ".join(files) + "\n"
    if "-MP" in depends.words:
        text += "".join(f"\n{one}:\n" for one in files[1:])
    place = depends.place(beside or out, source)
    if place is None or place == "-":
        print(text, end="")
    else:
        Path(place).write_text(text)


def _check(note):
    """The compiler's words for a source that is run later."""
    options = [f"-I{one}" for one in note["include"]] + [f"-D{one}" for one in note["define"]]
    options += [f"--include={one}" for one in note["headers"]]
    code, text, error = _program.call(["compile", note["source"], *options, "--json"])
    found = json.loads(text)["sources"] if text.strip().startswith("{") else []
    if code != 0:
        raise UserError((found[0]["error"] if found else "") or error.strip().removeprefix("ascendsim: "))


def _library_objects(note, folder):
    """Objects of a source whose launches a library makes: the host's part, and what tells the simulator of its kernels."""
    source = Path(note["source"])
    names = extension._names([source], note["include"])
    stem = hashlib.sha256(json.dumps(note).encode()).hexdigest()[:16]
    work = _place.cache() / "cc" / stem
    (work / "launch").mkdir(parents=True, exist_ok=True)
    if not extension.has_kernels(source):
        for one in names:
            extension._write(work / "launch" / f"aclrtlaunch_{one}.h", extension._launch_header(one))
        made = folder / "host.o"
        base = extension._host_command(note["include"], note["define"], note["flags"], work, False)
        _call([*base, "-c", str(source), "-o", str(made)])
        return [str(made)]
    bridge = work / f"{source.stem}.bridge.cpp"
    extension._write(bridge, extension._bridge(names))
    words = _words_of_run(note)
    of_build = [one for one in words if not one.startswith("--cce")]
    built = extension._build_kernels(source.name, [bridge, source], of_build, None)
    bundle = work / f"{source.stem}.bundle"
    extension._write(bundle, "\n".join([str(bridge), f"--source={source}", *words]) + "\n")
    register = folder / "register.cpp"
    register.write_text(extension._register(bundle, names, True))
    made = folder / "register.o"
    _call([_host_compiler(), "-std=gnu++20", "-c", "-fPIC", str(register), "-o", str(made)])
    return [str(made), built["host_objects"][str(source)]]


def _host(command, source, out):
    words = [f"-I{one}" for one in command.include] + [f"-D{one}" for one in command.define]
    for one in command.headers:
        words += ["-include", one]
    _call([_host_compiler(), command.standard, "-O1", "-fPIC", *words, *command.flags, "-c", str(source), "-o", str(out)])


def _call(words):
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        raise UserError(f"{words[0]}: {done.stderr.strip() or f'ended with {done.returncode}'}")


def _own_link(words):
    """Words for the linker without the vendor's libraries, which one of ours replaces."""
    ours = {one.stem for one in _place.front().glob("lib*.so")} | {"libascendcl"}
    return [one for one in words if not (one.startswith("-l") and f"lib{one[2:]}" in ours)]


def _link(command, objects, folder):
    out = command.out or "a.out"
    flat = _flat(objects, folder)
    notes = [(one, note) for one in flat for note in notes_of(one)]
    programs = [note for _, note in notes if note["program"]]
    if command.shared or (notes and not programs):
        front, libraries = _place.front(), _place.libraries()
        kind = ["-shared"] if command.shared else []
        words = ["g++", *kind, "-o", out, *flat, *_own_link(command.link), f"-L{front}", f"-L{libraries}"]
        words += ["-Wl,--no-as-needed", "-lascendcl", "-Wl,--as-needed", "-lruntime_acl", "-lmodels_isa", "-lfmt"]
        _call([*words, f"-Wl,-rpath,{front}:{libraries}"])
        return
    if not notes:
        _call([_host_compiler(), "-o", out, *flat, *command.link])
        return
    noted = {one for one, _ in notes}
    others = [note for _, note in notes if note is not programs[0]]
    _launcher(out, programs[0], others, [one for one in flat if one not in noted], command)


def _launcher(out, main_note, others, plain, command):
    """A program that has the simulator compile and run its sources."""
    kept = _place.cache() / "cc" / "objects"
    kept.mkdir(parents=True, exist_ok=True)
    words = ["run", main_note["source"], *[f"--source={note['source']}" for note in others]]
    seen = []
    if len({note["arch"] for note in [main_note, *others]}) > 1:  # together they take all cores
        main_note, *others = [{**note, "arch": ""} for note in [main_note, *others]]
    for note in [main_note, *others]:
        seen += [one for one in _words_of_run(note) if one not in seen]
    words += [*seen, "--alone"]  # the link line has all sources
    for one in plain:
        copy = kept / f"{hashlib.sha256(Path(one).read_bytes()).hexdigest()[:20]}.o"
        shutil.copy(one, copy)
        words.append(f"--link={copy}")
    words += [f"--link={one}" for one in _own_link(command.link) if not one.startswith("-Wl,")]
    listed = "".join(f"    {json.dumps(one)},\n" for one in words)
    text = f"""#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <unistd.h>
static const char* const words[] = {{
{listed}}};
int main(int argc, char** argv) {{
    const char* program = getenv("ASCENDSIM");
    const char* chip = getenv("ASCENDSIM_CHIP");
    int n = 0;
    if (program == NULL || *program == 0) {{
        program = {json.dumps(_program.program())};
    }}
    char** all = calloc(sizeof words / sizeof *words + (size_t)argc + 8, sizeof(char*));
    all[n++] = (char*)program;
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {{
        all[n++] = (char*)words[i];
    }}
    if (chip != NULL && *chip != 0) {{
        all[n++] = "--chip";
        all[n++] = (char*)chip;
    }}
    const char* folder = getenv("ASCENDSIM_LAUNCHES");
    if (folder != NULL && *folder != 0) {{
        char* file = malloc(strlen(folder) + 64);
        sprintf(file, "--json=%s/program.%d.json", folder, (int)getpid());
        all[n++] = file;
        all[n++] = "--quiet";
    }}
    all[n++] = "--";
    for (int i = 1; i < argc; ++i) {{
        all[n++] = argv[i];
    }}
    execv(program, all);
    fprintf(stderr, "ascendsim: %s cannot be started: %s; set ASCENDSIM to the path of the command line\\n", program, strerror(errno));
    return 2;
}}
"""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "launcher.c"
        source.write_text(text)
        compiler = "clang" if shutil.which("clang") else "gcc"
        _call([compiler, "-o", out, str(source)])


def run(words):
    """Does what a command line asks for; raises UserError."""
    if not words or words[0] in ("--help", "-h"):
        print(__doc__.strip())
        return 0
    if words[0] in ("--version", "-v", "-V") and len(words) == 1:
        print(subprocess.run([_host_compiler(), "--version"], capture_output=True, text=True, check=False).stdout.strip())
        print(f"ascendsim-cc, the front of {_program.program()}")
        return 0
    if any(one in words for one in _ASKED):
        return subprocess.run([_host_compiler(), *words], check=False).returncode
    command = Command(words)
    for one in command.sources + command.objects:
        if not Path(one).exists():
            raise UserError(f"{one}: there is no such file")
    if not command.sources and not command.objects:
        raise UserError("nothing to compile: name a source, as in ascendsim-cc -o prog main.cpp")
    if command.depends.file and len(command.sources) > 1:
        raise UserError("-MF names one file, and there are several sources")
    if command.depends.alone:
        if command.out and len(command.sources) > 1:
            raise UserError("-o names one file, and there are several sources")
        for one in command.sources:
            _tell_dependencies(command, one, command.out)
        return 0
    if command.preprocess or command.syntax:
        kept = [f"-I{one}" for one in command.include] + [f"-D{one}" for one in command.define]
        kind = ["-E" if command.preprocess else "-fsyntax-only", *(["-o", command.out] if command.out else [])]
        undefined = [one for one in command.flags if one.startswith("-U")]
        plain = [_host_compiler(), command.standard, "-x", "c++", *kept, *undefined, *kind, *command.sources]
        return subprocess.run(plain, check=False).returncode
    if command.compile_only:
        if command.out and len(command.sources) > 1:
            raise UserError("-o names one object, and there are several sources")
        for one in command.sources:
            out = command.out or Path(one).with_suffix(".o").name
            _compile(command, one, out)
            if command.depends.beside:
                _tell_dependencies(command, one, out)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        objects = []
        for i, one in enumerate(command.sources):
            objects.append(str(Path(folder) / f"{i}.o"))
            _compile(command, one, objects[-1])
            if command.depends.beside:
                out = command.out or "a.out"
                several = len(command.sources) > 1
                _tell_dependencies(command, one, out, f"{out}-{Path(one).stem}.o" if several else None)
        _link(command, objects + command.objects, folder)
    return 0


def main():
    """The entry of the scripts ascendsim-cc, bisheng and ccec."""
    try:
        return run(sys.argv[1:])
    except UserError as error:
        print(f"ascendsim-cc: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
