# SPDX-License-Identifier: Apache-2.0
"""Runs any command and has every kernel that it launches simulated and recorded, with one report at the end:
`ascendsim run -- COMMAND…` and `ascendsim pytest …`."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from . import _place, _program
from ._errors import UserError
from ._result import launches


def environment(folder, chip, libraries=()) -> dict:
    """What a command needs in its environment, so that its launches come here."""
    found = dict(os.environ)
    found["ASCENDSIM"] = str(Path(_program.program()).resolve())
    found["ASCENDSIM_CHIP"] = chip
    found["ASCENDSIM_LAUNCHES"] = str(folder)
    if libraries:
        found["ASCENDSIM_LIBRARY"] = os.pathsep.join(str(Path(one).absolute()) for one in libraries)
    package = str(Path(__file__).absolute().parent.parent)
    found["PYTHONPATH"] = os.pathsep.join(
        [str(_place.standin()), package, *[one for one in _folders("PYTHONPATH") if one != package]]
    )
    found["LD_LIBRARY_PATH"] = os.pathsep.join([str(_place.front()), *_folders("LD_LIBRARY_PATH")])
    return found


def _folders(name):
    return [one for one in os.environ.get(name, "").split(os.pathsep) if one]


def run(command, chip="910b3", out=None, stdout=None, libraries=()):
    """Runs `command`, a list of words; returns its exit code and the figures of all runs that it made. `stdout` is where its
    standard output goes; `libraries` are folders with operators for torch_npu's."""
    for one in libraries:
        if not Path(one).is_dir():
            raise UserError(f"--library {one}: no such folder")
    keep = Path(out).absolute() if out else Path(tempfile.mkdtemp(prefix="ascendsim_"))
    keep.mkdir(parents=True, exist_ok=True)
    try:
        known = set(keep.glob("*.json"))
        try:
            code = subprocess.run(command, env=environment(keep, chip, libraries), stdout=stdout, check=False).returncode
        except FileNotFoundError as error:
            raise UserError(f"{command[0]}: there is no such program") from error
        except PermissionError as error:
            raise UserError(f"{command[0]}: cannot be started: {error.strerror}") from error
        files = [one for one in keep.glob("*.json") if one not in known and not one.name.endswith(".trace.json")]
        return code, [_figures(file) for file in sorted(files, key=lambda one: one.stat().st_mtime)]
    finally:
        if out is None:
            shutil.rmtree(keep, ignore_errors=True)


def _figures(file):
    try:
        found = json.loads(file.read_text())
    except ValueError:
        found = {}
    found["file"] = str(file)
    return found


def kernels(runs) -> dict:
    """By kernel: launches, total and longest time in us, cores at most."""
    table = {}
    for one in runs:
        for name, cores, _, us in launches(one):
            row = table.setdefault(name, {"launches": 0, "total_us": 0.0, "longest_us": 0.0, "cores": 0})
            row["launches"] += 1
            row["total_us"] += us
            row["longest_us"] = max(row["longest_us"], us)
            row["cores"] = max(row["cores"], cores)
    return table


def report(runs, chip, out=None) -> str:
    """The text at the end."""
    table = kernels(runs)
    count = sum(row["launches"] for row in table.values())
    total = sum(row["total_us"] for row in table.values())
    lines = [f"ascendsim: {count} launches of {len(table)} kernels on {chip}, {total:.2f} us on the device"]
    width = max([len(name) for name in table] + [6])
    if table:
        lines.append(f"  {'kernel':{width}}  launches   total us  longest us  cores")
    for name, row in sorted(table.items(), key=lambda one: -one[1]["total_us"]):
        lines.append(f"  {name:{width}}  {row['launches']:8}  {row['total_us']:9.2f}  {row['longest_us']:10.2f}  {row['cores']:5}")
    failed = [one for one in runs if one.get("complete") is False]
    for one in failed:
        lines.append(f"  failed: {_failure(one)}")
    found = hazards(runs)
    if found:
        lines.append(f"  {len(found)} hazards:")
        lines += [f"    {text.splitlines()[0]}" for text in list(dict.fromkeys(found))[:20]]
    if out:
        lines.append(f"  recordings, tables and traces: {out}")
    return "\n".join(lines)


def summary(runs, chip, code, out=None) -> dict:
    """The report as `ascendsim pytest --json` writes it; `code` is the exit code."""
    table = kernels(runs)
    return {
        "schema": "ascendsim.pytest/1",
        "chip": chip,
        "exit": code,
        "launches": sum(row["launches"] for row in table.values()),
        "total_us": sum(row["total_us"] for row in table.values()),
        "kernels": [{"name": name, **row} for name, row in sorted(table.items(), key=lambda one: -one[1]["total_us"])],
        "failed": [_failure(one) for one in runs if one.get("complete") is False],
        "hazards": list(dict.fromkeys(hazards(runs))),
        "folder": str(out) if out else None,
    }


def _failure(figures):
    return figures.get("error") or figures.get("outcome") or Path(figures["file"]).name


def _write_json(place, value):
    text = json.dumps(value, indent=2) + "\n"
    text = re.sub("#(?=#)", r"\\u0023", text)  # "##vso[" is a command to a CI service wherever it stands in a log
    if place == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        Path(place).write_text(text)


def hazards(runs) -> list:
    """The sentences of all hazards that are errors."""
    found = []
    for one in runs:
        for hazard in one.get("hazards") or []:
            if hazard.get("severity") == "error":
                found.append(hazard.get("text") or hazard.get("message") or "")
    return found


def main(words=None):
    parser = argparse.ArgumentParser(prog="ascendsim run", description="Runs a command; its kernels run on the simulated chip.")
    parser.add_argument("--chip", default="910b3")
    parser.add_argument("--library", action="append", default=[])
    parser.add_argument("--out")
    parser.add_argument("--json")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    given = parser.parse_args(words)
    command = given.command[1:] if given.command[:1] == ["--"] else given.command
    if not command:
        print("ascendsim: run -- names no command", file=sys.stderr)
        return 2
    if command[0] == "pytest":
        command = [sys.executable, "-m", "pytest", "-p", "ascendsim._suite_plugin", *command[1:]]
    elif command[0].endswith(".py"):
        command = [sys.executable, *command]
    alone = given.json == "-"
    try:
        code, runs = run(command, given.chip, given.out, sys.stderr if alone else None, given.library)
    except UserError as error:
        print(f"ascendsim: {error}", file=sys.stderr)
        return 2
    if code == 0 and (hazards(runs) or any(one.get("complete") is False for one in runs)):
        code = 3
    code = code if code >= 0 else 128 - code
    if not alone:
        print(report(runs, given.chip, given.out), flush=True)
    if given.json:
        try:
            _write_json(given.json, summary(runs, given.chip, code, given.out))
        except OSError as error:
            print(f"ascendsim: {given.json}: cannot be written: {error.strerror}", file=sys.stderr)
            return 2
    return code


if __name__ == "__main__":
    sys.exit(main())
