# SPDX-License-Identifier: Apache-2.0
"""Functions of torch_npu by sources as op-plugin has them. The checkout and the library are written here."""

import os
import subprocess
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

import library_sources  # noqa: E402
from ascendsim import _program  # noqa: E402

if not (Path(torch.__file__).parent / "include" / "torch" / "extension.h").exists() and not Path("/usr/include/torch/extension.h").exists():
    pytest.skip("PyTorch's headers are not there (libtorch-dev)", allow_module_level=True)

FUNCTIONS = """
all_version: [v2.1]

custom:
  - func: npu_first_rows(Tensor self, int[] rows, *, Tensor? bias=None, float factor=1.0) -> Tensor
    op_api: all_version

  - func: npu_scale_all(Tensor self, float factor=1.0, *, ScalarType? dtype=None) -> Tensor
    op_api: all_version
    gen_opapi:
      out:
        size: self
        dtype: out_type
      new_params:
        out_type: "dtype.has_value() ? dtype.value() : self.scalar_type()"
        none: 'c10::optional<at::Tensor>()'
        rows: scaled_rows(self)
        code: (int64_t)0
      exec: aclnnScaleRows, self, rows, none, factor, code, out

  - func: npu_scale_all_backward(Tensor grad, float factor) -> Tensor
    op_api: all_version

  - func: npu_older(Tensor self) -> Tensor
    acl_op: all_version
"""

DERIVATIVES = """
- name: npu_scale_all(Tensor self, float factor=1.0, *, ScalarType? dtype=None) -> Tensor
  self: npu_scale_all_backward(grad, factor)
  version: [v2.1, newest]
"""

# Chooses by what libraries have, checks, and falls back to ACL's older interface, as op-plugin does.
FIRST_ROWS = """
#include "op_plugin/AclOpsInterface.h"
#include "op_plugin/OpApiInterface.h"
#include "op_plugin/utils/op_api_common.h"

namespace op_api {
using npu_preparation = at_npu::native::OpPreparation;

at::Tensor npu_first_rows(
    const at::Tensor& self, at::IntArrayRef rows, const c10::optional<at::Tensor>& bias, double factor) {
  DO_COMPATIBILITY(aclnnScaleRows, acl_op::npu_first_rows(self, rows, bias, factor));
  TORCH_CHECK(rows.size() == 1, "rows has one number, not ", rows.size(), OPS_ERROR(ErrCode::PARAM));
  if (check_aclnn_kernel_available("aclnnScaleRowsV9")) {
    return acl_op::npu_first_rows(self, rows, bias, factor);
  }
  at::Tensor out = npu_preparation::apply_tensor_without_format({rows[0], self.size(1)}, self.options());
  int64_t type = 0;
  EXEC_NPU_CMD(aclnnScaleRows, self, rows, bias, factor, type, out);
  return out;
}

at::Tensor npu_scale_all_backward(const at::Tensor& grad, double factor) {
  return op_api::npu_first_rows(grad.contiguous(), {grad.size(0)}, c10::nullopt, factor);
}
} // namespace op_api
"""

SHAPES = """
#pragma once
#include "op_plugin/utils/Export.h"
#include <ATen/ATen.h>
namespace op_infer {
OP_PLUGIN_HIDDEN std::vector<int64_t> scaled_rows(const at::Tensor& self);
}
"""

SUITE = """
import torch
import torch_npu
from torch_npu.testing.testcase import TestCase
from torch_npu.testing.common_utils import SupportedDevices

X = torch.arange(1024.0).reshape(16, 64)


class Scaling(TestCase):
    def test_source(self):
        out = torch_npu.npu_first_rows(X.npu(), [8], bias=torch.ones(64).npu(), factor=2.0)
        assert out.device.type == "npu"
        self.assertRtolEqual(2 * X[:8] + 1, out.cpu())

    def test_source_checks(self):
        with self.assertRaisesRegex(RuntimeError, "rows has one number, not 2"):
            torch_npu.npu_first_rows(X.npu(), [8, 8])

    def test_generated(self):
        self.assertRtolEqual(3 * X, torch.ops.npu.npu_scale_all(X.npu(), 3.0).cpu())

    def test_gradient(self):
        x = X.npu().requires_grad_(True)
        torch_npu.npu_scale_all(x, factor=0.5).backward(torch.ones(16, 64).npu())
        self.assertRtolEqual(torch.full((16, 64), 0.5), x.grad.cpu())

    def test_absent(self):
        torch_npu.npu_older(X.npu())

    @SupportedDevices(["Ascend950"])
    def test_of_another_chip(self):
        raise AssertionError

    def test_newer_pytorch(self):
        half = X.half()
        assert torch.nn.functional.gelu(half).dtype == torch.float16 and (half @ half.t()).dtype == torch.float16
        assert torch.equal(X[torch.tensor([1, 2], dtype=torch.int32)], X[1:3])
"""


def test_a_suite_runs_by_op_plugins_sources(tmp_path):
    # The same paths in each run: what was compiled is in the cache then.
    place = Path(os.environ.get("TEST_TMPDIR", tmp_path)) / "op_plugin_checkout"
    library_sources.write(place / "library")
    for name, text in (
        ("config/op_plugin_functions.yaml", FUNCTIONS),
        ("config/derivatives.yaml", DERIVATIVES),
        ("ops/opapi/FirstRowsKernelNpuOpApi.cpp", FIRST_ROWS),
        ("utils/Export.h", "#pragma once\n#define OP_PLUGIN_HIDDEN\n"),
        ("utils/KernelNpuOutputSize.h", SHAPES),
        (
            "utils/KernelNpuOutputSize.cpp",
            '#include "op_plugin/utils/KernelNpuOutputSize.h"\n#include "torch_npu/csrc/core/npu/NPUException.h"\n'
            "namespace op_infer {\nstd::vector<int64_t> scaled_rows(const at::Tensor& self) { return {self.size(0)}; }\n}\n",
        ),
    ):
        library_sources.write_file(place / "op-plugin/op_plugin" / name, text)
    for name in ("KernelNpuOutputDtype", "KernelNpuNewParams", "NamedTensorCompat", "OpConstants", "OpUtils", "StdVarCorrectionUtils"):
        library_sources.write_file(place / f"op-plugin/op_plugin/utils/{name}.h", "#pragma once\n")
    (tmp_path / "test_scaling.py").write_text(SUITE)
    words = ["pytest", "--library", place / "op-plugin", "--library", place / "library", "--", "-rsf", "-p", "no:cacheprovider", "test_scaling.py"]
    done = subprocess.run([_program.program(), *map(str, words)], cwd=tmp_path, capture_output=True, text=True, check=False)
    text = done.stdout + done.stderr
    assert "1 failed, 5 passed, 1 skipped" in text, text
    assert "FAILED test_scaling.py::Scaling::test_absent" in text
    assert f"torch_npu.npu_older is not in AscendSim's stand-in for torch_npu, nor in {place / 'op-plugin'}" in text
    assert "is for Ascend950; Ascend910B3 is simulated" in text
    assert "4 launches of 1 kernels on 910b3" in text  # by source, generated, and the same forward and backward
