# SPDX-License-Identifier: Apache-2.0
"""A library of one operator, ScaleRows, as public ones are written."""

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


def write(folder):
    """Writes the library; files that are as wanted keep their time."""
    for name, text in (
        ("op_host/scale_rows_def.cpp", DEFINITION),
        ("op_host/scale_rows_tiling.h", TILING),
        ("op_host/scale_rows_tiling.cpp", HOST),
        ("op_kernel/scale_rows.cpp", KERNEL),
    ):
        write_file(folder / "scale_rows" / name, text)


def write_file(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.is_file() or file.read_text() != text:
        file.write_text(text)
