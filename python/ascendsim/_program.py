# SPDX-License-Identifier: Apache-2.0
"""The child processes: where the program is, and how its exit codes become exceptions."""

import json
import os
import shutil
import subprocess
from pathlib import Path

from ._errors import InternalError, KernelError, UserError


def program() -> str:
    """The path of the command line: ASCENDSIM, the program of this installation, or the one in PATH."""
    given = os.environ.get("ASCENDSIM")
    if given:
        return given
    # build/python/ascendsim beside build/bin; lib/python3/dist-packages/ascendsim below the prefix of bin.
    for up in (2, 4):
        beside = Path(__file__).absolute().parents[up] / "bin" / "ascendsim"
        if beside.is_file():
            return str(beside)
    found = shutil.which("ascendsim")
    if found is None:
        raise UserError("the program ascendsim is not in PATH; set the environment variable ASCENDSIM to its path")
    return found


def call(arguments, timeout=None):
    """Runs the program; returns its exit code, standard output and standard error. `timeout` is in seconds."""
    command = [program(), *map(str, arguments)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=timeout, stdin=subprocess.DEVNULL, check=False
        )
    except subprocess.TimeoutExpired as expired:
        raise KernelError(f"the run took more than {timeout} s") from expired
    except OSError as error:
        raise UserError(f"{command[0]} cannot be started: {error}") from error
    return done.returncode, done.stdout, done.stderr


def error_of(code: int, text: str):
    """The exception that an exit code stands for."""
    text = text.strip().removeprefix("ascendsim: ")
    if code == 2:
        return UserError(text)
    if code in (1, 3):
        return KernelError(text)
    return InternalError(text or f"the program ended with {code}")


def call_json(arguments):
    """What a command prints as JSON; raises for every exit code but 0."""
    code, out, error = call([*arguments, "--json"])
    if code != 0:
        raise error_of(code, error)
    return json.loads(out)
