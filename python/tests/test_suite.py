# SPDX-License-Identifier: Apache-2.0
"""Suites as they are: an extension built from sources, its launches simulated in a program of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from ascendsim import UserError, _program, extension  # noqa: E402
from extension_sources import BINDING, KERNELS, SUITE  # noqa: E402

if not (Path(torch.__file__).parent / "include" / "torch" / "extension.h").exists() and not Path("/usr/include/torch/extension.h").exists():
    pytest.skip("PyTorch's headers are not there (libtorch-dev)", allow_module_level=True)


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    folder = tmp_path_factory.mktemp("suite")
    # The same paths in each run: what was compiled is in the cache then.
    sources = Path(os.environ.get("TEST_TMPDIR", folder)) / "extension"
    sources.mkdir(exist_ok=True)
    for name, text in (("kernels.cpp", KERNELS), ("binding.cpp", BINDING)):
        if not (sources / name).is_file() or (sources / name).read_text() != text:
            (sources / name).write_text(text)
    extension.build("scaling_ops", [sources / "binding.cpp", sources / "kernels.cpp"], out=folder)
    (folder / "test_scaling.py").write_text(SUITE)
    return folder


def run(*words, folder):
    done = subprocess.run([_program.program(), *map(str, words)], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_a_failing_kernel_fails_its_test_alone(suite):
    code, text, error = run("pytest", "--chip", "910b3", "--out", "out", "--", "-rsfE", "-p", "no:cacheprovider", "test_scaling.py", folder=suite)
    assert "2 failed, 5 passed, 1 skipped" in text, text + error
    assert "FAILED test_scaling.py::test_crash" in text and "RuntimeError: aiv0" in text and "accessed address 0x70000000" in text
    assert "torch_npu.npu_fusion_attention is not in AscendSim's stand-in" in text
    assert "needs a newer PyTorch than" in text and "torch.no_such_function_yet is not there" in text
    # Behind pytest's own words: two scale_float before the crash and one behind it, one of scale_any, one crash.
    report = text[text.index("ascendsim: ") :]
    assert "scale_float" in report and "scale_any<half>" in report
    assert code == 1  # pytest's own
    assert list((suite / "out").glob("*.rec")) and list((suite / "out").glob("*.csv"))


def test_json_stands_alone_on_standard_output(suite):
    code, text, error = run("pytest", "--json", "-", "--", "-p", "no:cacheprovider", "test_scaling.py", folder=suite)
    told = json.loads(text)
    assert told["schema"] == "ascendsim.pytest/1" and told["chip"] == "910b3" and told["exit"] == code == 1
    assert "2 failed, 5 passed, 1 skipped" in error, "what pytest prints goes to standard error"
    assert {one["name"] for one in told["kernels"]} >= {"scale_float", "scale_any<half>"}
    assert told["launches"] == sum(one["launches"] for one in told["kernels"])
    assert told["folder"] is None and told["failed"]


def test_a_profiler_writes_the_vendors_files(suite):
    (suite / "profiled.py").write_text(
        """
import torch, torch_npu, scaling_ops
handler = torch_npu.profiler.tensorboard_trace_handler("./prof")
plan = torch_npu.profiler.schedule(wait=1, warmup=0, active=2, repeat=1)
with torch_npu.profiler.profile(schedule=plan, on_trace_ready=handler) as prof:
    for _ in range(4):
        scaling_ops.scale(torch.ones(64).npu(), 2.0)
        prof.step()
"""
    )
    code, text, error = run("run", "--", sys.executable, "profiled.py", folder=suite)
    assert code == 0 and "4 launches of 1 kernels on 910b3" in text, text + error
    (table,) = (suite / "prof").glob("*/ASCEND_PROFILER_OUTPUT/kernel_details.csv")
    rows = table.read_text().splitlines()
    assert rows[0].startswith("Step Id,Name,Type,OP State") and len(rows) == 3  # of two active steps
    columns = dict(zip(rows[0].split(","), rows[1].split(",")))
    assert columns["Accelerator Core"] == "AI_VECTOR_CORE"  # the source has no cube instruction
    trace = json.loads(table.with_name("trace_view.json").read_text())
    assert [one["name"] for one in trace if one["ph"] == "X"] == ["scale_float"] * 2


def test_the_device_is_the_chip_and_autocast_takes_the_type_asked_for(tmp_path):
    (tmp_path / "device.py").write_text(
        """
import warnings
import torch, torch_npu
chip = torch.npu.get_device_properties()
print(chip.name, chip.cube_core_num, chip.vector_core_num, chip.total_memory >> 30)
x = torch.ones(2, 2).npu()
with torch.npu.amp.autocast(dtype=torch.bfloat16):
    print(torch.mm(x, x).dtype)
with warnings.catch_warnings(record=True) as said, torch.npu.amp.autocast():
    warnings.simplefilter("always")
    made = torch.mm(x, x).dtype
print(made is torch.float16 or made is torch.float32)
"""
    )
    for chip, words in (("910b1", "Ascend910B1 24 48 64"), ("910b4", "Ascend910B4 20 40 32")):
        code, text, error = run("run", "--chip", chip, "--", sys.executable, "device.py", folder=tmp_path)
        assert code == 0 and text.splitlines()[:3] == [words, "torch.bfloat16", "True"], text + error


def test_says_what_does_not_compile(tmp_path):
    (tmp_path / "kernels.cpp").write_text(KERNELS.replace("Muls(", "Mulz("))
    (tmp_path / "host.cpp").write_text("int x = y;\n")
    with pytest.raises(UserError, match="(?s)kernels do not compile: .*kernels.cpp:17:5: error: .*Mulz"):
        extension.build("bad", [tmp_path / "kernels.cpp"], torch=False)
    (tmp_path / "kernels.cpp").write_text(KERNELS)
    with pytest.raises(UserError, match="the host's part does not compile:\n.*host.cpp:1:9: error: .*y"):
        extension.build("bad", [tmp_path / "kernels.cpp", tmp_path / "host.cpp"], torch=False)
    with pytest.raises(UserError, match="none of its 1 sources has a kernel"):
        extension.build("bad", [tmp_path / "host.cpp"])
    with pytest.raises(UserError, match="there is no such source"):
        extension.build("bad", ["no_such.cpp"])


def test_says_what_cannot_be_started(tmp_path):
    code, _, error = run("run", "--", "./no_such_program", folder=tmp_path)
    assert code == 2 and "no_such_program" in error
    code, _, error = run("run", folder=tmp_path)
    assert code == 2 and "names nothing to run" in error
