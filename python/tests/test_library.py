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
from ascendsim import _program

DEFINITION = """
#include <register/op_def_registry.h>
namespace ops {
class ScaleRows : public OpDef {
public:
    explicit ScaleRows(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16});
        this->Input("rows").ParamType(REQUIRED).ValueDepend(OPTIONAL).DataTypeList({ge::DT_INT64});
        this->Input("bias").ParamType(OPTIONAL).Follow("x");
        this->Output("y").ParamType(REQUIRED).Follow("x");
        this->Attr("factor").AttrType(REQUIRED).Float();
        this->Attr("dst_type").AttrType(OPTIONAL).Int(0);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(ScaleRows);
}
"""

TILING = """
#include "register/tilingdata_base.h"
namespace optiling {
BEGIN_TILING_DATA_DEF(ScaleRowsTiling)
TILING_DATA_FIELD_DEF(uint32_t, columns);
TILING_DATA_FIELD_DEF(uint32_t, biased);
TILING_DATA_FIELD_DEF(float, factor);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ScaleRows, ScaleRowsTiling)
}
"""

# The first `rows` rows, times a factor, and a bias if there is one; 8 rows to a core.
HOST = """
#include <register/op_impl_registry.h>
#include "scale_rows_tiling.h"
namespace optiling {
static ge::graphStatus Tiling(gert::TilingContext* context) {
    const int64_t rows = context->GetInputTensor(1)->GetData<int64_t>()[0];
    ScaleRowsTiling tiling;
    tiling.set_columns(context->GetInputShape(0)->GetStorageShape().GetDim(1));
    tiling.set_biased(context->GetOptionalInputShape(2) != nullptr);
    tiling.set_factor(*context->GetAttrs()->GetFloat(0));
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(rows / 8);
    return ge::GRAPH_SUCCESS;
}
IMPL_OP_OPTILING(ScaleRows).Tiling(Tiling);
static ge::graphStatus Infer(gert::InferShapeContext* context) {
    *context->GetOutputShape(0) = gert::Shape{context->GetInputTensor(1)->GetData<int64_t>()[0], context->GetInputShape(0)->GetDim(1)};
    return ge::GRAPH_SUCCESS;
}
IMPL_OP_INFERSHAPE(ScaleRows).InputsDataDependency({1}).InferShape(Infer);
}
"""

KERNEL = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void scale_rows(GM_ADDR x, GM_ADDR rows, GM_ADDR bias, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    const uint32_t columns = data.columns;
    const uint32_t all = 8 * columns;
    TPipe pipe;
    TBuf<TPosition::VECCALC> tile, added;
    pipe.InitBuffer(tile, all * sizeof(DTYPE_X));
    pipe.InitBuffer(added, columns * sizeof(DTYPE_X));
    GlobalTensor<DTYPE_X> from, more, to;
    from.SetGlobalBuffer((__gm__ DTYPE_X*)x + all * GetBlockIdx(), all);
    to.SetGlobalBuffer((__gm__ DTYPE_X*)y + all * GetBlockIdx(), all);
    more.SetGlobalBuffer((__gm__ DTYPE_X*)bias, columns);
    LocalTensor<DTYPE_X> a = tile.Get<DTYPE_X>();
    LocalTensor<DTYPE_X> b = added.Get<DTYPE_X>();
    DataCopy(a, from, all);
    if (data.biased) DataCopy(b, more, columns);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Muls(a, a, DTYPE_X(data.factor), all);
    PipeBarrier<PIPE_V>();
    for (uint32_t i = 0; data.biased && i < 8; ++i) Add(a[i * columns], a[i * columns], b, columns);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(to, a, all);
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    # The same path in each run: what was compiled is in the cache then.
    folder = Path(os.environ.get("TEST_TMPDIR", tmp_path_factory.mktemp("library"))) / "operators"
    for name, text in (
        ("op_host/scale_rows_def.cpp", DEFINITION),
        ("op_host/scale_rows_tiling.h", TILING),
        ("op_host/scale_rows_tiling.cpp", HOST),
        ("op_kernel/scale_rows.cpp", KERNEL),
    ):
        file = folder / "scale_rows" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.is_file() or file.read_text() != text:
            file.write_text(text)
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
