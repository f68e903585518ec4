// SPDX-License-Identifier: Apache-2.0
// A kernel of an operator project, whose tiling its own host side fills in.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "sim/process/sandbox.hpp"
#include "sim/process/subprocess.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

struct Outcome {
    int exit = 0;
    std::string output;
};

class OperatorTiling : public testing::Test {
protected:
    fs::path build = toolchain::Installation::find().libraries.parent_path();
    fs::path folder =
        build / "test_cache" / "operator" / testing::UnitTest::GetInstance()->current_test_info()->name();

    void SetUp() override {
        fs::remove_all(folder);
        setenv("XDG_CACHE_HOME", (build / "test_cache").c_str(), 1);
    }

    void write(const std::string& name, const std::string& text) const {
        fs::create_directories((folder / name).parent_path());
        std::ofstream{folder / name} << text;
    }

    [[nodiscard]] Outcome ascendsim(const std::string& words) const {
        process::Subprocess process{{"sh",
                                     "-c",
                                     fmt::format("cd '{}/op_kernel' && '{}' {}",
                                                 folder.string(),
                                                 (build / "bin" / "ascendsim").string(),
                                                 words)}};
        const int exit = process.wait();
        return {exit, process.output()};
    }

    /// An operator that multiplies by an attribute: one core for 1,024 elements, key 7 for float32. Its
    /// tiling function begins with `start`.
    void write_operator(const std::string& start = {}) const {
        write("op_host/scale_tiling.h",
              "#include \"register/tilingdata_base.h\"\nnamespace optiling "
              "{\nBEGIN_TILING_DATA_DEF(ScaleTiling)\n"
              "TILING_DATA_FIELD_DEF(uint32_t, part);\nTILING_DATA_FIELD_DEF(float, "
              "factor);\nEND_TILING_DATA_DEF;\n"
              "REGISTER_TILING_DATA_CLASS(Scale, ScaleTiling)\n}\n");
        write(
            "op_host/scale.cpp",
            "#include \"scale_tiling.h\"\n#include \"tiling/tiling_api.h\"\n#include "
            "\"register/op_def_registry.h\"\nnamespace optiling {\n"
            "static ge::graphStatus TilingFunc(gert::TilingContext* context) {\n" +
                start +
                "    const int64_t all = context->GetInputShape(0)->GetStorageShape().GetShapeSize();\n"
                "    if (all % 1024 != 0) return ge::GRAPH_FAILED;\n    ScaleTiling tiling;\n    "
                "tiling.set_part(512 * sizeof(half));\n"
                "    tiling.set_factor(*context->GetAttrs()->GetFloat(0));\n"
                "    const auto* fast = "
                "context->GetAttrs()->GetAttrPointer<gert::TypedContinuousVector<bool>>(2);\n"
                "    if (fast->GetSize() == 3 && fast->GetData()[2]) return ge::GRAPH_FAILED;\n"
                "    context->SetBlockDim(all / 1024);\n"
                "    context->SetTilingKey(context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT ? 7 : "
                "8);\n"
                "    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), "
                "context->GetRawTilingData()->GetCapacity());\n"
                "    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());\n"
                "    context->GetWorkspaceSizes(1)[0] = 4096;\n    return "
                "ge::GRAPH_SUCCESS;\n}\n}\nnamespace ops {\n"
                "class Scale : public OpDef {\npublic:\n    explicit Scale(const char* name) : OpDef(name) "
                "{\n"
                "        this->Input(\"x\").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT});\n"
                "        this->Output(\"y\").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT});\n"
                "        this->Attr(\"factor\").AttrType(OPTIONAL).Float(2.0);\n"
                "        this->Attr(\"parts\").AttrType(OPTIONAL).ListInt({1024});\n"
                "        this->Attr(\"fast\").AttrType(OPTIONAL).ListBool({true});\n"
                "        this->AICore().SetTiling(optiling::TilingFunc);\n"
                "        this->AICore().AddConfig(\"ascend910b\");\n    }\n};\nOP_ADD(Scale);\n}\n");
        write(
            "op_kernel/scale.cpp",
            "#include \"kernel_operator.h\"\nusing namespace AscendC;\nextern \"C\" __global__ __aicore__ "
            "void "
            "scale(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {\n    GET_TILING_DATA(data, "
            "tiling);\n"
            "    if (!TILING_KEY_IS(7)) return;\n    TPipe pipe;\n    TQue<TPosition::VECIN, 1> in;\n"
            "    TQue<TPosition::VECOUT, 1> out;\n    pipe.InitBuffer(in, 1, data.part * sizeof(DTYPE_X));\n"
            "    pipe.InitBuffer(out, 1, data.part * sizeof(DTYPE_X));\n    GlobalTensor<DTYPE_X> from, to;\n"
            "    from.SetGlobalBuffer((__gm__ DTYPE_X*)x + GetBlockIdx() * data.part);\n"
            "    to.SetGlobalBuffer((__gm__ DTYPE_X*)y + GetBlockIdx() * data.part);\n"
            "    LocalTensor<DTYPE_X> a = in.AllocTensor<DTYPE_X>();\n    DataCopy(a, from, data.part);\n"
            "    in.EnQue(a);\n    a = in.DeQue<DTYPE_X>();\n    LocalTensor<DTYPE_X> b = "
            "out.AllocTensor<DTYPE_X>();\n"
            "    Muls(b, a, (DTYPE_X)data.factor, data.part);\n    out.EnQue(b);\n    b = "
            "out.DeQue<DTYPE_X>();\n"
            "    DataCopy(to, b, data.part);\n    in.FreeTensor(a);\n    out.FreeTensor(b);\n}\n");
    }
};

TEST_F(OperatorTiling, TheOperatorsOwnFunctionFillsItIn) {
    write_operator();
    ASSERT_EQ(ascendsim("new scale.cpp").exit, 0);
    std::ifstream stream{folder / "op_kernel" / "scale.toml"};
    const std::string text{std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}};
    EXPECT_THAT(text, HasSubstr("host = \"../op_host/scale.cpp\""));
    EXPECT_THAT(text, Not(HasSubstr("blocks = 8\ncores")));
    // Ones times the attribute's default, and times the scenario's; float32 is no type that the definition
    // has first.
    const std::string sets =
        " --set args.x.type=float32 --set args.y.type=float32 --set args.x.shape=[3,1024] --set "
        "args.y.shape=[3,1024]"
        " --set args.x.fill=ones --set args.y.file=y.npy --json -";
    for (const auto& [more, factor] : {std::pair{"", 2.0F},
                                       {" --set args.tiling.attributes.factor=5.0", 5.0F},
                                       {process::sandbox_obstacle().empty() ? " --sandbox" : "", 2.0F}}) {
        const Outcome outcome = ascendsim("run scale.cpp --quiet" + sets + more);
        ASSERT_EQ(outcome.exit, 0) << outcome.output;
        EXPECT_EQ(nlohmann::json::parse(outcome.output)["cores_used"], 3);
        std::ifstream result{folder / "op_kernel" / "y.npy", std::ios::binary};
        const std::string bytes{std::istreambuf_iterator<char>{result}, std::istreambuf_iterator<char>{}};
        float last = 0;
        ASSERT_GT(bytes.size(), 3 * 1024 * sizeof last);
        std::memcpy(&last, bytes.data() + bytes.size() - sizeof last, sizeof last);
        EXPECT_EQ(last, factor);
    }
}

TEST_F(OperatorTiling, WhatTheFunctionRefusesIsSaid) {
    write_operator();
    ASSERT_EQ(ascendsim("new scale.cpp").exit, 0);
    const Outcome refused = ascendsim("run scale.cpp --quiet --set args.x.shape=[1000]");
    EXPECT_EQ(refused.exit, 2);
    EXPECT_THAT(refused.output, HasSubstr("the tiling function of Scale refuses these shapes"));
    const Outcome unknown = ascendsim("run scale.cpp --quiet --set args.tiling.attributes.facto=1.0");
    EXPECT_EQ(unknown.exit, 2);
    EXPECT_THAT(unknown.output, HasSubstr("'facto' is no attribute of Scale (it has: factor, parts, fast)"));
}

TEST_F(OperatorTiling, AnAttributeTakesValuesOfItsKind) {
    write_operator();
    ASSERT_EQ(ascendsim("new scale.cpp").exit, 0);
    for (const std::string good : {"factor=3", "parts=[512,256]", "parts=[]", "fast=[true,true,false]"}) {
        const Outcome outcome = ascendsim(
            "run scale.cpp --quiet --set args.y.role=in_out --set "
            "args.tiling.attributes." +
            good);
        EXPECT_EQ(outcome.exit, 0) << good << outcome.output;
    }
    for (const auto& [bad, kind] : {std::pair{"fast=[false,false,true]", "Scale refuses these shapes"},
                                    {"factor=true", "'factor' of Scale is a Float"},
                                    {"factor=fast", "'factor' of Scale is a Float"},
                                    {"parts=[0.5]", "'parts' of Scale is a ListInt"},
                                    {"parts=3", "'parts' of Scale is a ListInt"},
                                    {"fast=[1,0]", "'fast' of Scale is a ListBool"}}) {
        const Outcome outcome =
            ascendsim(std::string{"run scale.cpp --quiet --set args.tiling.attributes."} + bad);
        EXPECT_EQ(outcome.exit, 2) << bad;
        EXPECT_THAT(outcome.output, HasSubstr(kind));
    }
}

TEST_F(OperatorTiling, AFunctionThatDoesNotEndIsEnded) {
    write_operator("    for (volatile int i = 0; i >= 0; i = 1) {}\n");
    ASSERT_EQ(ascendsim("new scale.cpp").exit, 0);
    const Outcome outcome = ascendsim("run scale.cpp --quiet");
    EXPECT_EQ(outcome.exit, 3);
    EXPECT_THAT(outcome.output, HasSubstr("scale.cpp: the tiling function took more than 5 s"));
}

TEST_F(OperatorTiling, AFunctionThatCrashesIsTheProgramsFault) {
    write_operator("    volatile int* nowhere = nullptr;\n    *nowhere = 1;\n");
    ASSERT_EQ(ascendsim("new scale.cpp").exit, 0);
    const Outcome outcome = ascendsim("run scale.cpp --quiet");
    EXPECT_EQ(outcome.exit, 3);
    EXPECT_THAT(outcome.output, HasSubstr("scale.cpp: the tiling function was ended by: Segmentation fault"));
}

TEST_F(OperatorTiling, ATilingLargerThanItsRoomIsRefused) {
    write_operator("    context->GetRawTilingData()->SetDataSize(1 << 20);\n    return ge::GRAPH_SUCCESS;\n");
    ASSERT_EQ(ascendsim("new scale.cpp").exit, 0);
    const Outcome outcome = ascendsim("run scale.cpp --quiet");
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_THAT(outcome.output, HasSubstr("its tiling takes 1048576 B, of at most 65536"));
}

}  // namespace
}  // namespace ascendsim::cli
