// SPDX-License-Identifier: Apache-2.0
// Operators of a library by name. The library here is written as public ones are: definition, shape inference
// and tiling in sources of their own, registered by name, with a base class beside its header.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/cli/testing/small_library.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class OperatorOfALibrary : public SmallLibrary {
protected:
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

TEST_F(OperatorOfALibrary, AnOutputBeginsWithoutExtentsSoThatInferenceCanAppend) {
    write("scale/scale_rows/op_host/scale_rows_infershape.cpp", R"(#include <register/op_impl_registry.h>
namespace ops {
static ge::graphStatus Infer(gert::InferShapeContext* context) {
    context->GetOutputShape(0)->AppendDim(context->GetInputTensor(1)->GetData<int64_t>()[0]);
    context->GetOutputShape(0)->AppendDim(context->GetInputShape(0)->GetDim(1));
    return ge::GRAPH_SUCCESS;
}
IMPL_OP_INFERSHAPE(ScaleRows).InputsDataDependency({1}).InferShape(Infer);
}
)");
    const Outcome outcome = ascendsim(usual + "--shape x=4,64 --value rows=4 --save y=y.npy --quiet");
    ASSERT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_EQ(fs::file_size(folder / "y.npy"), 128 + 4 * 64 * 4);
}

TEST_F(OperatorOfALibrary, WhatIsWrongIsSaid) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"op ScaleRow --library .", "'ScaleRow' is no operator of .*did you mean 'ScaleRows'"},
        {usual + "--value rows=4", "ascendsim: op: .*input 'x' needs a shape: --shape x="},
        {"op --list common", "common: holds no operator"},
        {"op ScaleRows --list . --chip 310p3", "ScaleRows is not for ascend310p"},
        {"op ScaleRow --list .", "'ScaleRow' is no operator of .*did you mean 'ScaleRows'"},
        {usual + "--shape x=4,64 --shape rows=1", "the data of input 'rows' decide"},
        {usual + "--shape x=4,60 --value rows=4",
         "refuses these inputs:\n  scale_rows_tiling.cpp:[0-9]+: 60 columns are no multiple of 16"},
        {usual + "--shape x=4,64 --value rows=4 --shape z=1", "'z' is no input or output of ScaleRows"},
        {"op scale_rows --library . --shape x=4,64 --value rows=4",
         "attribute 'factor', a Float, needs a value"},
        {"op scale_rows --library . --attr factor=1.0 --dtype x=int8 --shape x=4,64 --value rows=4",
         "has these: x DT_INT8, rows DT_INT64; 'x' may be DT_FLOAT16 or DT_FLOAT"},
        {"op scale_rows --library . --attr factor=1.0 --dtype x=float16 --dtype y=float32 --shape x=4,64 "
         "--value rows=4",
         "x DT_FLOAT16, y DT_FLOAT, rows DT_INT64; the nearest of 2 columns has y DT_FLOAT16"},
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

TEST_F(OperatorOfALibrary, OfSeveralFoldersTakesTheOneForTheChip) {
    const fs::path usual_folder = folder / "scale/scale_rows";
    fs::create_directories(folder / "experimental/scale");
    fs::copy(usual_folder, folder / "experimental/scale/scale_rows", fs::copy_options::recursive);
    write(
        "scale/scale_rows/op_host/scale_rows_def.cpp",
        "#include \"register/op_def_registry.h\"\nnamespace ops {\nclass ScaleRows : public OpDef "
        "{\npublic:\n"
        "    explicit ScaleRows(const char* name) : OpDef(name) { AICore().AddConfig(\"ascend950\"); }\n};\n"
        "OP_ADD(ScaleRows);\n}\n");
    const Outcome run = ascendsim(usual + "--shape x=4,64 --value rows=4 --save y=y.npy --quiet");
    ASSERT_EQ(run.exit, 0) << run.output;
    EXPECT_EQ(last_float("y.npy"), 3.0F);
    const Outcome list = ascendsim("op ScaleRows --list .");
    EXPECT_THAT(list.output, HasSubstr("callable  ScaleRows (experimental/scale/scale_rows)"));
    EXPECT_THAT(list.output,
                HasSubstr("not       ScaleRows (scale/scale_rows): its definition is for ascend950"));
}

TEST_F(OperatorOfALibrary, WritesWhatARunWrites) {
    const Outcome outcome =
        ascendsim(usual +
                  "--shape x=4,64 --value rows=4 --csv tables --html page.html --trace trace.json --record "
                  "y.rec --strict --timeout 500 --perturb 1 --quiet");
    ASSERT_EQ(outcome.exit, 0) << outcome.output;
    for (const char* file : {"tables", "page.html", "trace.json", "y.rec"}) {
        EXPECT_TRUE(fs::exists(folder / file)) << file;
    }
}

TEST_F(OperatorOfALibrary, ATemplateWithoutAKeyIsThatOfKeyZero) {
    const std::string kernel_file = "scale/scale_rows/op_kernel/scale_rows.cpp";
    write(
        "scale/scale_rows/op_kernel/scale_rows_key.h",
        "#include \"ascendc/host_api/tiling/template_argument.h\"\n"
        "ASCENDC_TPL_ARGS_DECL(ScaleRows, ASCENDC_TPL_UINT_DECL(mode, 1, ASCENDC_TPL_UI_LIST, 0, 1));\n"
        "ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_UINT_SEL(mode, ASCENDC_TPL_UI_LIST, 0, 1)), );\n");
    const auto changed = [&](const std::string& file, const std::string& from, const std::string& to) {
        std::ifstream stream{folder / file};
        std::string text{std::istreambuf_iterator<char>{stream}, {}};
        const std::size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos) << file;
        write(file, text.replace(at, from.size(), to));
    };
    changed(kernel_file, "extern \"C\" __global__", "template <uint32_t mode>\n__global__");
    const std::string tiling_file = "scale/scale_rows/op_host/scale_rows_tiling.cpp";
    changed(tiling_file,
            "context->SetTilingKey(context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT ? 1 : 2);",
            "");
    changed(tiling_file, "namespace", "#include \"../op_kernel/scale_rows_key.h\"\nnamespace");
    const Outcome outcome = ascendsim(usual + "--shape x=4,64 --value rows=4 --save y=y.npy --quiet");
    ASSERT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_EQ(last_float("y.npy"), 3.0F);
}

TEST_F(OperatorOfALibrary, AListRunsExamplesAndWritesItsSectionOfAPage) {
    write("scale/scale_rows/examples/test_aclnn_scale_rows.cpp",
          "#include \"aclnn_scale_row.h\"\nint main() {}\n");
    write("page.md", "# Page\n\nwords\n");
    for (int i = 0; i < 2; ++i) {  // the second time in the place of the first
        const Outcome outcome = ascendsim("op --list scale --examples --document page.md");
        EXPECT_EQ(outcome.exit, 0) << outcome.output;
        EXPECT_THAT(outcome.output, HasSubstr("its example does not run: "));
        EXPECT_THAT(outcome.output, HasSubstr("0 of 1 examples run to their end"));
    }
    std::ifstream stream{folder / "page.md"};
    const std::string page{std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}};
    EXPECT_THAT(page, ::testing::StartsWith("# Page\n\nwords\n"));
    EXPECT_EQ(
        page.find(
            "1 of 1 operators for 910b3 can be called by name; the examples of 0 of 1 run to their end."),
        page.rfind("1 of 1 operators"));
    EXPECT_THAT(page, HasSubstr("| ScaleRows | its example: "));
    EXPECT_THAT(page, HasSubstr("no operator of that name"));
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

/// An operator whose kernel writes the first 16 of its output's 32 floats: 2, and 10 more where its tiling is
/// to be deterministic, and 1 more where it is compiled to be.
class OperatorOfHalfAnOutput : public SmallLibrary {
protected:
    void SetUp() override {
        SmallLibrary::SetUp();
        write("scale/first_half/op_host/first_half_def.cpp", R"(#include <register/op_def_registry.h>
namespace optiling {
static ge::graphStatus Tile(gert::TilingContext* context) {
    *context->GetTilingData<uint64_t>() = context->GetDeterministic();
    context->SetBlockDim(1);
    return ge::GRAPH_SUCCESS;
}
}
namespace ops {
class FirstHalf : public OpDef {
public:
    explicit FirstHalf(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        this->AICore().SetTiling(optiling::Tile);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(FirstHalf);
}
)");
        write("scale/first_half/op_kernel/first_half.cpp",
              R"(#include <kernel_operator.h>
using namespace AscendC;
extern "C" __global__ __aicore__ void first_half(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    const uint64_t deterministic = *(__gm__ uint64_t*)tiling;
    TPipe pipe;
    TBuf<TPosition::VECCALC> parts;
    pipe.InitBuffer(parts, 64);
    LocalTensor<float> part = parts.Get<float>();
    float number = 2.0F + static_cast<float>(deterministic) * 10.0F;
#ifdef DETERMINISTIC_MODE
    number += DETERMINISTIC_MODE;
#endif
    Duplicate(part, number, 16);
    PipeBarrier<PIPE_ALL>();
    GlobalTensor<float> to;
    to.SetGlobalBuffer((__gm__ float*)y);
    DataCopy(to, part, 16);
}
)");
    }

    /// The first and the last float of output y, whose 32 follow a header of 128 bytes.
    [[nodiscard]] std::pair<float, float> ends(const std::string& words) const {
        const Outcome outcome =
            ascendsim("op FirstHalf --library . --shape x=16 --shape y=32 --save y=y.npy --quiet " + words);
        EXPECT_EQ(outcome.exit, 0) << outcome.output;
        std::ifstream stream{folder / "y.npy", std::ios::binary};
        const std::string bytes{std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}};
        constexpr std::size_t header = 128;
        float first = 0;
        if (bytes.size() == header + 32 * sizeof first) {
            std::memcpy(&first, bytes.data() + header, sizeof first);
        }
        return {first, last_float("y.npy")};
    }
};

TEST_F(OperatorOfHalfAnOutput, BeginsAsItIsTold) {
    EXPECT_EQ(ends("--fill 'y={constant=5}'"), (std::pair{2.0F, 5.0F}));
    std::string values = "0";
    for (int i = 1; i < 32; ++i) {
        values += fmt::format(",{}", i);
    }
    EXPECT_EQ(ends("--dtype y=float32 --value 'y=[" + values + "]'"), (std::pair{2.0F, 31.0F}));
    fs::rename(folder / "y.npy", folder / "before.npy");
    EXPECT_EQ(ends("--input y=before.npy"), (std::pair{2.0F, 31.0F}));
}

TEST_F(OperatorOfHalfAnOutput, TellsTilingAndKernelThatItIsToBeDeterministic) {
    EXPECT_EQ(ends("--fill 'y={constant=5}'").first, 2.0F);
    EXPECT_EQ(ends("--fill 'y={constant=5}' --deterministic").first, 13.0F);
}

TEST_F(OperatorOfHalfAnOutput, RunsBesideItselfWithOtherShapes) {
    const auto run = [&](int parts) {
        return ascendsim(fmt::format("op FirstHalf --library . --shape x={} --shape y=32", 16 * parts));
    };
    std::future<Outcome> other = std::async(std::launch::async, run, 2);
    EXPECT_THAT(run(1).output, HasSubstr("FirstHalf x float32 [16]"));
    EXPECT_THAT(other.get().output, HasSubstr("FirstHalf x float32 [32]"));
}

}  // namespace
}  // namespace ascendsim::cli
