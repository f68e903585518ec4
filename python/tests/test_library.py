# SPDX-License-Identifier: Apache-2.0
"""Operators of a library by their names. The library is written here as public ones are."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ascendsim
import library_sources
from ascendsim import _program


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    # The same path in each run: what was compiled is in the cache then.
    folder = Path(os.environ.get("TEST_TMPDIR", tmp_path_factory.mktemp("library"))) / "operators"
    library_sources.write(folder)
    return folder


X = np.arange(24 * 64, dtype=np.float32).reshape(24, 64)


def test_inputs_come_first_and_attributes_behind_them(library):
    result = ascendsim.operator("scale_rows", X, [16], None, 3.0, library=library)
    # 16 of 24 rows, 8 to a core.
    np.testing.assert_array_equal(result.outputs["y"], 3 * X[:16])
    assert [cores for _, cores, _, _ in result.launches] == [2]
    assert result.passed and not result.hazards


def test_an_operator_that_a_library_has_twice_is_its_first(library, tmp_path):
    for folder in ("scale_rows", "trial/scale_rows"):
        shutil.copytree(library / "scale_rows", tmp_path / folder)
    kernel = tmp_path / "trial/scale_rows/op_kernel/scale_rows.cpp"
    kernel.write_text(kernel.read_text().replace("DTYPE_X(data.factor)", "DTYPE_X(0)"))
    result = ascendsim.operator("ScaleRows", X, [8], factor=3, library=tmp_path)
    np.testing.assert_array_equal(result.outputs["y"], 3 * X[:8])


def test_names_are_found_in_any_spelling_and_out_is_filled_in(library):
    x, bias, y = X.astype(np.float16), np.ones(64, np.float16), np.zeros((8, 64), np.float16)
    ascendsim.operator("ScaleRows", x, rows=np.array([8]), Bias=bias, factor=2, dst_dtype=1, out={"y": y}, library=[library])
    np.testing.assert_array_equal(y, 2 * x[:8] + 1)


def test_time_alone_needs_no_arithmetic(library):
    result = ascendsim.operator("ScaleRows", X, [8], factor=1, library=library, timing_only=True)
    assert result.time_us > 0 and not result.outputs


@pytest.mark.parametrize(
    "name, arguments, named, sentence",
    [
        ("ScaleRow", [X, [8]], {}, "'ScaleRow' is no operator of .*did you mean 'ScaleRows'"),
        ("ScaleRows", [X, [8]], {"factor": 1, "chip": "310p3"}, "ScaleRows is not for ascend310p"),
        ("ScaleRows", [X], {"factor": 1}, "input 'rows' is missing; its inputs are x, rows, bias"),
        ("ScaleRows", [X, [8]], {"facto": 1}, "has no 'facto', did you mean 'factor'"),
        ("ScaleRows", [X, [8], None, 1.0, 0, 2.0], {}, "takes 3 inputs and 2 attributes; there are more arguments"),
        ("ScaleRows", [X, [8]], {"x": X}, "'x' is given twice"),
        ("ScaleRows", [X, ["a"]], {"factor": 1}, "a list of numbers is wanted, not"),
        ("ScaleRows", [X, [8]], {"factor": X}, "'factor' is an attribute, a Float; an array is given"),
        ("ScaleRows", [X, [8.0]], {"factor": 1}, "rows"),
        ("ScaleRows", [X.astype(np.int8), [8]], {"factor": 1}, "^no column of types of ScaleRows has these: x DT_INT8"),
    ],
)
def test_what_is_wrong_is_said(library, name, arguments, named, sentence):
    with pytest.raises(ascendsim.UserError, match=sentence):
        ascendsim.operator(name, *arguments, library=library, **named)


def test_a_call_without_a_library_says_how_to_name_one(monkeypatch):
    monkeypatch.delenv("ASCENDSIM_LIBRARY", raising=False)
    with pytest.raises(ascendsim.UserError, match="pass library=DIR or set ASCENDSIM_LIBRARY"):
        ascendsim.operator("ScaleRows", X)


def test_scripts_of_torch_npu_find_operators_of_a_library(library, tmp_path):
    pytest.importorskip("torch")
    (tmp_path / "script.py").write_text(
        "import torch, torch_npu\n"
        "x = torch.arange(1024.0).reshape(16, 64)\n"
        "y = torch_npu.npu_scale_rows(x.npu(), [8], factor=0.5, dst_dtype=torch.qint8)\n"
        "assert y.device.type == 'npu' and torch.equal(y.cpu(), 0.5 * x[:8])\n"
        "torch_npu.npu_scale_columns(x.npu())\n"
    )
    words = ["run", "--library", library, "--", sys.executable, "script.py"]
    done = subprocess.run([_program.program(), *map(str, words)], cwd=tmp_path, capture_output=True, text=True, check=False)
    if "PyTorch's headers" in done.stderr or "come with its headers" in done.stderr:
        pytest.skip("PyTorch's headers are not there (libtorch-dev)")
    assert "1 launches of 1 kernels" in done.stdout, done.stdout + done.stderr
    assert f"torch_npu.npu_scale_columns is not in AscendSim's stand-in for torch_npu, nor in {library}" in done.stderr
