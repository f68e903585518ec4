// SPDX-License-Identifier: Apache-2.0
// Operators of a library by name. The library here is written as public ones are: definition, shape inference
// and tiling in sources of their own, registered by name, with a base class beside its header.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "sim/process/subprocess.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class OperatorOfALibrary : public testing::Test {
protected:
    struct Outcome {
        int exit = 0;
        std::string output;
    };

    fs::path build = toolchain::Installation::find().libraries.parent_path();
    fs::path folder =
        build / "test_cache" / "library" / testing::UnitTest::GetInstance()->current_test_info()->name();

    void SetUp() override {
        fs::remove_all(folder);
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
        fs::create_directories((folder / name).parent_path());
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
    const std::string usual = "op scale_rows --library . --attr factor=3.0 --fill x=ones --dtype x=float32 ";
};

TEST_F(OperatorOfALibrary, RunsByItsNameAsItsOwnHostCodeTilesIt) {
    // 100 rows over the 40 vector cores of this chip are 3 for a core, so 34 cores; ones times the attribute.
    const Outcome outcome =
        ascendsim(usual + "--shape x=128,64 --value rows=100 --save y=y.npy --quiet --json -");
    ASSERT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_EQ(nlohmann::json::parse(outcome.output)["cores_used"], 34);
    EXPECT_EQ(last_float("y.npy"), 3.0F);
    // 100 rows of 64 floats behind a header of 128 bytes: the shape is inferred from the data.
    EXPECT_EQ(fs::file_size(folder / "y.npy"), 128 + 100 * 64 * 4);
}

TEST_F(OperatorOfALibrary, AnOptionalInputIsThereIfItHasAShape) {
    const Outcome outcome = ascendsim(
        usual + "--shape x=128,64 --value rows=100 --shape bias=64 --save y=y.npy --quiet --json -");
    ASSERT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_EQ(last_float("y.npy"), 4.0F);
}

TEST_F(OperatorOfALibrary, WhatIsWrongIsSaid) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"op ScaleRow --library .", "'ScaleRow' is no operator of .*did you mean 'ScaleRows'"},
        {usual + "--value rows=4", "input 'x' needs a shape: --shape x="},
        {usual + "--shape x=4,64 --shape rows=1", "the data of input 'rows' decide"},
        {usual + "--shape x=4,60 --value rows=4",
         "refuses these inputs:\n  scale_rows_tiling.cpp:[0-9]+: 60 columns are no multiple of 16"},
        {usual + "--shape x=4,64 --value rows=4 --shape z=1", "'z' is no input or output of ScaleRows"},
        {"op scale_rows --library . --shape x=4,64 --value rows=4",
         "attribute 'factor', a Float, needs a value"},
        {"op scale_rows --library . --attr factor=1.0 --dtype x=int8 --shape x=4,64 --value rows=4",
         "no column of types of ScaleRows has these: x DT_INT8"},
        {usual + "--shape x=4,64 --value rows=4 --chip 310p3", "ScaleRows is not for ascend310p"}};
    for (const auto& [words, sentence] : cases) {
        const Outcome outcome = ascendsim(words);
        EXPECT_EQ(outcome.exit, 2) << words << "\n" << outcome.output;
        EXPECT_THAT(outcome.output, testing::ContainsRegex(sentence)) << words;
    }
}

TEST_F(OperatorOfALibrary, ASourceThatDoesNotCompileIsLeftOutAndNamedWhereItIsMissed) {
    write("scale/scale_rows/op_host/scale_rows_tiling.cpp", "#include \"of_the_vendor_alone.h\"\n");
    const Outcome outcome = ascendsim(usual + "--shape x=4,64 --value rows=4");
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_THAT(outcome.output, HasSubstr("its host sources register no tiling function"));
    EXPECT_THAT(outcome.output, HasSubstr("scale_rows_tiling.cpp: left out"));
    EXPECT_THAT(outcome.output, HasSubstr("'of_the_vendor_alone.h' file not found"));
}

TEST_F(OperatorOfALibrary, AFunctionThatNoSourceHasIsNamedWhereItIsCalled) {
    fs::remove(folder / "common/src/op_host/row_split.cpp");
    const Outcome outcome = ascendsim(usual + "--shape x=4,64 --value rows=4");
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_THAT(outcome.output,
                HasSubstr("its host code calls split::rows_of_a_core(long, long), which none"));
}

TEST_F(OperatorOfALibrary, AListTellsWhatCanBeCalled) {
    write(
        "scale/other_rows/op_host/other_rows_def.cpp",
        "#include \"register/op_def_registry.h\"\nnamespace ops {\nclass OtherRows : public OpDef "
        "{\npublic:\n"
        "    explicit OtherRows(const char* name) : OpDef(name) { AICore().AddConfig(\"ascend910b\"); }\n};\n"
        "OP_ADD(OtherRows);\n}\n");
    const Outcome outcome = ascendsim("op --list .");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("callable  ScaleRows"));
    EXPECT_THAT(outcome.output, HasSubstr("not       OtherRows: no kernel for this chip"));
    EXPECT_THAT(outcome.output, HasSubstr("1 of 2 can be called by name on 910b3"));
    const Outcome one = ascendsim("op ScaleRows --list .");
    EXPECT_THAT(one.output, HasSubstr("input bias (optional)"));
    EXPECT_THAT(one.output, HasSubstr("attribute factor, a Float"));
}

TEST_F(OperatorOfALibrary, TheScenarioItComesToRunsAsWell) {
    ASSERT_EQ(ascendsim(usual + "--shape x=128,64 --value rows=100 --scenario s.toml").exit, 0);
    const Outcome outcome = ascendsim("run s.toml --quiet --json - --set operator.attributes.factor=5.0");
    ASSERT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_EQ(nlohmann::json::parse(outcome.output)["cores_used"], 34);
}

TEST_F(OperatorOfALibrary, AListOfTensorsIsATableOfAddresses) {
    write("scale/sum_list/op_host/sum_list_def.cpp", R"(#include <register/op_def_registry.h>
namespace optiling {
static ge::graphStatus Tile(gert::TilingContext* context) {
    *context->GetTilingData<uint64_t>() = context->GetIrInputInstanceInfo(0)->GetInstanceNum();
    context->SetBlockDim(1);
    return ge::GRAPH_SUCCESS;
}
}
namespace ops {
class SumList : public OpDef {
public:
    explicit SumList(const char* name) : OpDef(name) {
        this->Input("x").ParamType(DYNAMIC).DataType({ge::DT_FLOAT});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        this->AICore().SetTiling(optiling::Tile);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(SumList);
}
)");
    write("scale/sum_list/op_kernel/sum_list.cpp", R"(#include <kernel_operator.h>
using namespace AscendC;
extern "C" __global__ __aicore__ void sum_list(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    const uint64_t count = *(__gm__ uint64_t*)tiling;
    ListTensorDesc list((__gm__ void*)x);
    TPipe pipe;
    TBuf<TPosition::VECCALC> sums, parts;
    pipe.InitBuffer(sums, 64);
    pipe.InitBuffer(parts, 64);
    LocalTensor<float> sum = sums.Get<float>();
    LocalTensor<float> part = parts.Get<float>();
    Duplicate(sum, 0.0F, 16);
    for (uint64_t i = 0; i < count; ++i) {
        GlobalTensor<float> from;
        from.SetGlobalBuffer(list.GetDataPtr<float>(i));
        PipeBarrier<PIPE_ALL>();
        DataCopy(part, from, 16);
        PipeBarrier<PIPE_ALL>();
        Add(sum, sum, part, 16);
    }
    PipeBarrier<PIPE_ALL>();
    GlobalTensor<float> to;
    to.SetGlobalBuffer((__gm__ float*)y);
    DataCopy(to, sum, 16);
}
)");
    const Outcome outcome = ascendsim(
        "op SumList --library . --shape x=16 --shape x=16 --shape x=16 --shape y=16 --fill x=ones --fill "
        "x=ones "
        "--fill '{constant=5}' --save y=y.npy --quiet --json -");
    EXPECT_EQ(outcome.exit, 2) << "a fill without a name";
    const Outcome named = ascendsim(
        "op SumList --library . --shape x=16 --shape x=16 --shape x=16 --shape y=16 --fill x=ones --fill "
        "x=ones "
        "--fill 'x={constant=5}' --save y=y.npy --quiet --json -");
    ASSERT_EQ(named.exit, 0) << named.output;
    EXPECT_EQ(last_float("y.npy"), 7.0F);  // 1 + 1 + 5
}

}  // namespace
}  // namespace ascendsim::cli
