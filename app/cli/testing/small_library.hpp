// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/process/subprocess.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::cli {

/// Tests with a library of one operator, written as public ones are: definition, shape inference and tiling
/// in sources of their own, registered by name, with a base class beside its header.
class SmallLibrary : public ::testing::Test {
protected:
    struct Outcome {
        int exit = 0;
        std::string output;
    };

    std::filesystem::path build = toolchain::Installation::find().libraries.parent_path();
    std::filesystem::path folder =
        build / "test_cache" / "library" /
        fmt::format("{}.{}",
                    ::testing::UnitTest::GetInstance()->current_test_info()->test_suite_name(),
                    ::testing::UnitTest::GetInstance()->current_test_info()->name());

    void SetUp() override {
        std::filesystem::remove_all(folder);
        setenv("XDG_CACHE_HOME", (build / "test_cache").c_str(), 1);
        write("LICENSE", "of nobody\n");
        write("common/inc/op_host/row_split.h", row_split_header);
        write("common/src/op_host/row_split.cpp", row_split_source);
        write("scale/scale_rows/op_host/scale_rows_def.cpp", definition);
        write("scale/scale_rows/op_host/scale_rows_infershape.cpp", inference);
        write("scale/scale_rows/op_host/scale_rows_tiling.h", tiling_header);
        write("scale/scale_rows/op_host/scale_rows_tiling.cpp", tiling);
        write("scale/scale_rows/op_kernel/scale_rows.cpp", kernel);
        // Of another generation: not compiled.
        write("scale/scale_rows/op_host/arch35/scale_rows_tiling_arch35.cpp", "#error not for this chip\n");
    }

    void write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories((folder / name).parent_path());
        std::ofstream{folder / name} << text;
    }

    [[nodiscard]] Outcome ascendsim(const std::string& words) const {
        process::Subprocess process{
            {"sh",
             "-c",
             fmt::format(
                 "cd '{}' && '{}' {}", folder.string(), (build / "bin" / "ascendsim").string(), words)}};
        const int exit = process.wait();
        return {exit, process.output()};
    }

    [[nodiscard]] float last_float(const std::string& name) const {
        std::ifstream stream{folder / name, std::ios::binary};
        const std::string bytes{std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}};
        float last = 0;
        if (bytes.size() > sizeof last) {
            std::memcpy(&last, bytes.data() + bytes.size() - sizeof last, sizeof last);
        }
        return last;
    }

    static constexpr const char* row_split_header = R"(#pragma once
#include <cstdint>
namespace split { int64_t rows_of_a_core(int64_t rows, int64_t cores); }
)";
    static constexpr const char* row_split_source = R"(#include <op_host/row_split.h>
namespace split { int64_t rows_of_a_core(int64_t rows, int64_t cores) { return (rows + cores - 1) / cores; } }
)";
    static constexpr const char* definition = R"(#include <register/op_def_registry.h>
namespace ops {
class ScaleRows : public OpDef {
public:
    explicit ScaleRows(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Input("rows").ParamType(REQUIRED).ValueDepend(OPTIONAL).DataTypeList({ge::DT_INT64});
        this->Input("bias").ParamType(OPTIONAL).Follow("x");
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
        this->Attr("factor").AttrType(REQUIRED).Float();
        OpAICoreConfig config;
        config.DynamicShapeSupportFlag(true).ExtendCfgInfo("opFile.value", "scale_rows");
        this->AICore().AddConfig("ascend910b", config);
        this->AICore().AddConfig("ascend910_95");
    }
};
OP_ADD(ScaleRows);
}
)";
    static constexpr const char* inference = R"(#include <log/log.h>
#include <register/op_impl_registry.h>
namespace ops {
static ge::graphStatus Infer(gert::InferShapeContext* context) {
    const gert::Shape* x = context->GetInputShape(0);
    OP_CHECK_NULL_WITH_CONTEXT(context, x);
    *context->GetOutputShape(0) = gert::Shape{context->GetInputTensor(1)->GetData<int64_t>()[0], x->GetDim(1)};
    return ge::GRAPH_SUCCESS;
}
IMPL_OP_INFERSHAPE(ScaleRows).InputsDataDependency({1}).InferShape(Infer);
}
)";
    static constexpr const char* tiling_header = R"(#pragma once
#include <register/tilingdata_base.h>
namespace optiling {
BEGIN_TILING_DATA_DEF(ScaleRowsTiling)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, part);
TILING_DATA_FIELD_DEF(uint32_t, columns);
TILING_DATA_FIELD_DEF(float, factor);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ScaleRows, ScaleRowsTiling)
struct ScaleRowsInfo { uint32_t cores = 0; };
}
)";
    static constexpr const char* tiling = R"(#include "scale_rows_tiling.h"
#include <log/log.h>
#include <op_host/row_split.h>
#include <register/op_impl_registry.h>
#include <tiling/platform/platform_ascendc.h>
#include <util/math_util.h>
namespace optiling {
static ge::graphStatus Parse(gert::TilingParseContext* context) {
    auto info = context->GetCompiledInfo<ScaleRowsInfo>();
    info->cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    return ge::GRAPH_SUCCESS;
}
static ge::graphStatus Tile(gert::TilingContext* context) {
    auto info = context->GetCompileInfo<ScaleRowsInfo>();
    const int64_t rows = context->GetOutputShape(0)->GetStorageShape().GetDim(0);
    const int64_t columns = context->GetInputShape(0)->GetStorageShape().GetDim(1);
    OP_CHECK_IF(columns % 16 != 0, OP_LOGE(context->GetNodeName(), "%ld columns are no multiple of 16", columns),
                return ge::GRAPH_FAILED);
    const int64_t part = split::rows_of_a_core(rows, info->cores);
    ScaleRowsTiling tiling;
    tiling.set_rows(rows);
    tiling.set_part(part);
    tiling.set_columns(columns);
    const float factor = *context->GetAttrs()->GetFloat(0);
    tiling.set_factor(context->GetOptionalInputShape(2) == nullptr ? factor : factor + 1);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(Ops::Base::CeilDiv(rows, part));
    context->SetTilingKey(context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT ? 1 : 2);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
IMPL_OP_OPTILING(ScaleRows).Tiling(Tile).TilingParse<ScaleRowsInfo>(Parse);
}
)";
    static constexpr const char* kernel = R"(#include <kernel_operator.h>
using namespace AscendC;
extern "C" __global__ __aicore__ void scale_rows(GM_ADDR x, GM_ADDR rows, GM_ADDR bias, GM_ADDR y, GM_ADDR workspace,
                                                 GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, data.columns * sizeof(DTYPE_X));
    pipe.InitBuffer(out, 1, data.columns * sizeof(DTYPE_X));
    GlobalTensor<DTYPE_X> from, to;
    from.SetGlobalBuffer((__gm__ DTYPE_X*)x);
    to.SetGlobalBuffer((__gm__ DTYPE_X*)y);
    const uint32_t first = GetBlockIdx() * data.part;
    for (uint32_t row = first; row < data.rows && row < first + data.part; ++row) {
        LocalTensor<DTYPE_X> a = in.AllocTensor<DTYPE_X>();
        DataCopy(a, from[row * data.columns], data.columns);
        in.EnQue(a);
        a = in.DeQue<DTYPE_X>();
        LocalTensor<DTYPE_X> b = out.AllocTensor<DTYPE_X>();
        Muls(b, a, (DTYPE_X)data.factor, data.columns);
        out.EnQue(b);
        b = out.DeQue<DTYPE_X>();
        DataCopy(to[row * data.columns], b, data.columns);
        in.FreeTensor(a);
        out.FreeTensor(b);
    }
}
)";
};

}  // namespace ascendsim::cli
