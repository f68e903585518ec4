#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs networks with `ascendsim model --functional` and compares their outputs with ONNX Runtime.

  run_networks.py DIR [--only TEXT] [--precision half|as_stated] [--ascendsim PROGRAM] [--modules FOLDER]

DIR/NAME holds model.onnx and the inputs as .npy. FOLDER holds node_modules with onnxruntime-node. The error is the
largest difference, in parts of the largest element of the output that ONNX Runtime computed.
"""
import argparse
import pathlib
import resource
import subprocess
import sys
import time

import numpy

LIMITS = {"half": 1e-2, "as_stated": 1e-4}


def expected(folder, modules):
    results = folder / "expected"
    if not results.exists():
        script = pathlib.Path(__file__).with_name("onnxruntime.js")
        run = subprocess.run(["node", script, modules, folder / "model.onnx", folder, results],
                             capture_output=True, text=True)
        if run.returncode != 0:
            raise RuntimeError("ONNX Runtime: " + run.stderr.strip().splitlines()[-1])
    return {file.stem: numpy.load(file) for file in results.glob("*.npy")}


def error_of(got, want):
    if got.shape != want.shape:
        return float("inf"), f"shape {got.shape} for {want.shape}"
    if want.size == 0:
        return 0.0, ""
    got, want = got.astype(numpy.float64), want.astype(numpy.float64)
    same = (got == want) | (numpy.isnan(got) & numpy.isnan(want))
    difference = numpy.where(same, 0, numpy.abs(got - want))
    finite = numpy.abs(want[numpy.isfinite(want)])
    scale = finite.max() if finite.size and finite.max() > 0 else 1.0
    worst = difference.max() / scale
    return (float("inf") if numpy.isnan(worst) else worst), ""


def run_one(folder, arguments):
    out = folder / ("out_" + arguments.precision)
    for old in out.glob("*.npy"):
        old.unlink()
    want = expected(folder, arguments.modules)
    command = [arguments.ascendsim, "model", folder / "model.onnx", "--functional", "--inputs", folder,
               "--outputs", out, "--precision", arguments.precision, "--chip", arguments.chip]
    began = time.time()
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=arguments.timeout)
    except subprocess.TimeoutExpired:
        return f"longer than {arguments.timeout} s"
    seconds = time.time() - began
    (folder / f"log_{arguments.precision}.txt").write_text(run.stdout + run.stderr)
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    if not want.keys() <= {file.stem for file in out.glob("*.npy")}:
        lines = [line for line in (run.stderr + run.stdout).strip().splitlines() if line]
        refused = [line for line in lines if "refused" in line.lower()]
        return f"exit {run.returncode}: {(refused or lines or ['no word'])[0][:230]}"
    errors = [(error_of(numpy.load(out / (name + '.npy')), array), name) for name, array in want.items()]
    (worst, note), name = max(errors, key=lambda e: e[0][0])
    word = "ok" if worst <= LIMITS[arguments.precision] else "WRONG"
    own = "" if run.returncode == 0 else f", exit {run.returncode}"
    return f"{word} {worst:.1e} {name if word == 'WRONG' else ''} {note} {seconds:.1f} s, at most {memory:.1f} GiB{own}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--precision", default="half", choices=LIMITS)
    parser.add_argument("--chip", default="910b3")
    parser.add_argument("--ascendsim", default="ascendsim")
    parser.add_argument("--modules", default=".")
    parser.add_argument("--timeout", type=float, default=300)
    arguments = parser.parse_args()
    good = count = 0
    for folder in sorted(file.parent for file in arguments.folder.glob("*/model.onnx")):
        if arguments.only in folder.name:
            try:
                result = run_one(folder, arguments)
            except RuntimeError as problem:
                result = str(problem)
            count += 1
            good += result.startswith("ok")
            print(f"{folder.name:36} {result}", flush=True)
    print(f"{good} of {count} agree within {LIMITS[arguments.precision]:g}")
    return 0 if good == count else 1


if __name__ == "__main__":
    sys.exit(main())
