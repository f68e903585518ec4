// SPDX-License-Identifier: Apache-2.0
#include "toolchain/project/operator_project.hpp"

#include <fstream>

#include <gmock/gmock.h>

#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A project of two operators: scale, whose kernel includes a file of shared.
class OperatorProject : public testing::Test {
protected:
    fs::path folder =
        fs::path{testing::TempDir()} /
        (std::string{"project_"} + testing::UnitTest::GetInstance()->current_test_info()->name());
    Installation installation{.root = folder / "none", .libraries = {}};

    void SetUp() override {
        fs::remove_all(folder);
        write("LICENSE", "");
    }

    void TearDown() override { fs::remove_all(folder); }

    fs::path write(const std::string& name, const std::string& text) const {
        fs::create_directories((folder / name).parent_path());
        std::ofstream{folder / name} << text;
        return folder / name;
    }

    [[nodiscard]] std::vector<std::string> flags(const fs::path& source) const {
        return project_flags(source, installation, folder / "cache");
    }

    /// The text of the file behind `flag`.
    [[nodiscard]] static std::string file_behind(const std::vector<std::string>& flags,
                                                 const std::string& flag) {
        const auto at = std::ranges::find(flags, flag);
        return at == flags.end() ? std::string{} : process::text_of(*(at + 1));
    }
};

TEST_F(OperatorProject, AddsNothingForASourceThatStandsAlone) {
    EXPECT_THAT(flags(write("k.cpp", "#include <vector>\n#include \"kernel_operator.h\"\nvoid f();\n")),
                IsEmpty());
}

TEST_F(OperatorProject, BlanksLaunchesOfHostFunctionsBesideAKernel) {
    const fs::path source =
        write("k.cpp", "void add();\nvoid add_do() { add<<<1, nullptr, s>>>(x); }  // <<<\n");
    EXPECT_THAT(file_behind(flags(source), "-ivfsoverlay"), HasSubstr("k.cpp"));
    const ProjectPlace program{.kernel = {}, .provided = {}, .with_launches = true};
    EXPECT_THAT(project_flags(source, installation, folder / "cache", program), IsEmpty());
}

TEST_F(OperatorProject, ReadsNoTilingThatIsSwitchedOff) {
    write("scale/op_host/scale_tiling.h",
          "#if 0\nBEGIN_TILING_DATA_DEF(ScaleTiling)\n#ifdef X\n#endif\nTILING_DATA_FIELD_DEF(uint32_t, "
          "gone);\n"
          "END_TILING_DATA_DEF;\n#else\nBEGIN_TILING_DATA_DEF(ScaleTiling)\nTILING_DATA_FIELD_DEF(uint32_t, "
          "here);\n"
          "END_TILING_DATA_DEF;\n#endif\nREGISTER_TILING_DATA_CLASS(Scale, ScaleTiling)\n");
    const fs::path source =
        write("scale/op_kernel/scale.cpp", "void f() { GET_TILING_DATA(data, tiling); }\n");
    const std::string header = file_behind(flags(source), "-include");
    EXPECT_THAT(header, HasSubstr("here"));
    EXPECT_THAT(header, Not(HasSubstr("gone")));
}

TEST_F(OperatorProject, KnowsTheInterfaceByItsOlderName) {
    EXPECT_THAT(flags(write("k.cpp", "using namespace tik2;\n")), Contains("-Dtik2=AscendC"));
}

TEST_F(OperatorProject, FindsTheHostSideOfAProjectWithoutGit) {
    fs::remove(folder / "LICENSE");
    write(
        "scale/op_host/scale_tiling.h",
        "BEGIN_TILING_DATA_DEF(ScaleTiling)\nTILING_DATA_FIELD_DEF(uint32_t, tiles);\nEND_TILING_DATA_DEF;\n"
        "REGISTER_TILING_DATA_CLASS(Scale, ScaleTiling)\n");
    const fs::path source =
        write("scale/op_kernel/scale.cpp", "void f() { GET_TILING_DATA(data, tiling); }\n");
    EXPECT_THAT(file_behind(flags(source), "-include"),
                HasSubstr("using AscendSimDefaultTiling = ScaleTiling"));
}

TEST_F(OperatorProject, LeavesParametersOfTemplatesThatAreNamedLikeTypeMacros) {
    const fs::path source = write("k.cpp", "template <typename DTYPE_C>\nvoid f(DTYPE_C c) { DTYPE_X x; }\n");
    const std::string header = file_behind(flags(source), "-include");
    EXPECT_THAT(header, HasSubstr("#define DTYPE_X half"));
    EXPECT_THAT(header, Not(HasSubstr("DTYPE_C")));
}

TEST_F(OperatorProject, FindsIncludesByTheirNames) {
    const fs::path source =
        write("scale/op_kernel/scale.cpp", "#include \"common/sizes.h\"\n#include \"../shared/rows.h\"\n");
    write("lib/common/sizes.h", "");
    write("shared/op_kernel/rows.h", "");
    write("tests/common/sizes.h", "");  // a stand-in
    const auto found = flags(source);
    EXPECT_THAT(found, Contains("-I" + (folder / "lib").string()));
    ASSERT_EQ(found.size(), 2);
    const fs::path forward = fs::path{found[1].substr(2)} / "../shared/rows.h";
    EXPECT_EQ(process::text_of(forward.lexically_normal()),
              "#include \"" + (folder / "shared/op_kernel/rows.h").string() + "\"\n");
}

TEST_F(OperatorProject, TakesASharedHeaderBeforeOneOfAnotherOperator) {
    const fs::path source = write("attention/scale/op_kernel/scale.cpp", "#include \"common.h\"\n");
    write("attention/grad/op_kernel/common.h", "");  // nearer, and of no concern to scale
    write("common/include/kernel/common.h", "");
    EXPECT_THAT(flags(source), Contains("-I" + (folder / "common/include/kernel").string()));
    write("attention/grad/tiling_base/log.h", "");
    write("common/include/tiling_base/log.h", "");
    EXPECT_THAT(flags(write("attention/scale/op_kernel/log.cpp", "#include \"tiling_base/log.h\"\n")),
                Contains("-I" + (folder / "common/include").string()));
}

TEST_F(OperatorProject, LeadsHeadersOfTheInterfaceToTheOneThatIsThere) {
    const auto found = flags(write("k.cpp", "#include \"adv_api/math/asin.h\"\n"));
    ASSERT_EQ(found.size(), 1);
    EXPECT_EQ(process::text_of(found[0].substr(2) + "/adv_api/math/asin.h"),
              "#include \"kernel_operator.h\"\n");
}

TEST_F(OperatorProject, TakesTilingStructsFromTheHostSide) {
    const fs::path source = write("scale/op_kernel/scale.cpp", "GET_TILING_DATA(data, tiling);\n");
    write("scale/op_host/scale_tiling.h",
          "#include \"host_only.h\"\nnamespace optiling {\nconstexpr uint32_t CORES = 48;\nconst float inner "
          "= 1;\n"
          "BEGIN_TILING_DATA_DEF(Outer)\nTILING_DATA_FIELD_DEF_STRUCT(Inner, inner);\nEND_TILING_DATA_DEF;\n"
          "BEGIN_TILING_DATA_DEF(Inner)\nTILING_DATA_FIELD_DEF_ARR(uint32_t, CORES, "
          "rows);\nEND_TILING_DATA_DEF;\n"
          "REGISTER_TILING_DATA_CLASS(Other, Inner)\nREGISTER_TILING_DATA_CLASS(Scale, Outer)\n}\n");
    const std::string header = file_behind(flags(source), "-include");
    EXPECT_THAT(header, Not(HasSubstr("host_only.h")));
    EXPECT_THAT(header, HasSubstr("(uint32_t, ( 48), rows)"));
    const std::size_t inner = header.find("BEGIN_TILING_DATA_DEF(Inner)");
    const std::size_t outer = header.find("BEGIN_TILING_DATA_DEF(Outer)");
    ASSERT_NE(outer, std::string::npos) << header;
    EXPECT_LT(inner, outer);
    EXPECT_THAT(header, HasSubstr("using AscendSimDefaultTiling = Outer;"));
}

TEST_F(OperatorProject, LeavesAStructToTheHeaderThatExportsIt) {
    write("both/op_kernel/both_tiling.h",
          "namespace optiling {\nBEGIN_TILING_DATA_DEF(BothTiling)\nTILING_DATA_FIELD_DEF(uint32_t, n);\n"
          "END_TILING_DATA_DEF;\nREGISTER_TILING_DATA_CLASS(Both, BothTiling)\n}\nusing "
          "optiling::BothTiling;\n");
    write("both/op_host/both_tiling.h", "#include \"../op_kernel/both_tiling.h\"\n");
    const fs::path source =
        write("both/op_kernel/both.cpp", "#include \"both_tiling.h\"\nGET_TILING_DATA(data, tiling);\n");
    EXPECT_THAT(file_behind(flags(source), "-include"), Not(HasSubstr("BEGIN_TILING_DATA_DEF(BothTiling)")));
}

TEST_F(OperatorProject, FindsTheTilingHeaderThatAFamilyOfOperatorsShares) {
    const fs::path source = write("abs/op_kernel/foreach_abs.cpp", "GET_TILING_DATA(data, tiling);\n");
    write("abs/op_host/foreach_abs.cpp", "");
    write("utils/op_host/foreach_tiling_def.h",
          "BEGIN_TILING_DATA_DEF(Common)\nTILING_DATA_FIELD_DEF(uint32_t, n);\nEND_TILING_DATA_DEF;\n"
          "REGISTER_TILING_DATA_CLASS(ForeachAbs, Common)\n");
    EXPECT_THAT(file_behind(flags(source), "-include"), HasSubstr("using AscendSimDefaultTiling = Common;"));
}

TEST_F(OperatorProject, KnowsAnOperatorByItsFunctionsAndItsFolder) {
    const std::string tiling =
        "BEGIN_TILING_DATA_DEF(Rnn)\nTILING_DATA_FIELD_DEF(uint32_t, n);\nEND_TILING_DATA_DEF;\n";
    write("rnn/op_host/lstm_tiling.h", tiling + "REGISTER_TILING_DATA_CLASS(DynamicRNNV2, Rnn)\n");
    write("gru/op_host/gru_tiling.h", tiling + "REGISTER_TILING_DATA_CLASS(GRU, Rnn)\n");
    for (const char* kernel : {"rnnv2/op_kernel/rnn_910b.cpp", "gru/op_kernel/gates.cpp"}) {
        const fs::path source = write(kernel,
                                      "extern \"C\" __global__ __aicore__ void dynamic_rnn_v2(GM_ADDR x) {\n"
                                      "    GET_TILING_DATA(data, x);\n}\n");
        EXPECT_THAT(file_behind(flags(source), "-include"), HasSubstr("using AscendSimDefaultTiling = Rnn;"))
            << kernel;
    }
}

TEST_F(OperatorProject, LeavesAnAlignedStructThatTheKernelDefinesItself) {
    const fs::path source = write("scale/op_kernel/scale.cpp",
                                  "struct alignas(8) Plain { int n; };\nGET_TILING_DATA(data, tiling);\n");
    write("scale/op_host/scale_tiling.h",
          "BEGIN_TILING_DATA_DEF(Plain)\nEND_TILING_DATA_DEF;\nREGISTER_TILING_DATA_CLASS(Scale, Plain)\n");
    EXPECT_THAT(file_behind(flags(source), "-include"), Not(HasSubstr("BEGIN_TILING_DATA_DEF(Plain)")));
}

TEST_F(OperatorProject, FreesNamesOfTheCLibraryThatTheKernelDefines) {
    const fs::path source =
        write("k.cpp", "constexpr int32_t INT_MAX = 2147483647;\nbool last = n == INT_MIN;\n");
    const std::string header = file_behind(flags(source), "-include");
    EXPECT_THAT(header, HasSubstr("#undef INT_MAX\n"));
    EXPECT_THAT(header, Not(HasSubstr("INT_MIN")));
}

TEST_F(OperatorProject, MakesAggregatesOfClassesThatCallTheirConstructorDefault) {
    const fs::path source = write("k.cpp", "struct Wait { DEVICE Wait() = default; int stage; };\n");
    const std::string overlay = file_behind(flags(source), "-ivfsoverlay");
    const std::size_t at = overlay.find("contents\": \"") + 12;
    EXPECT_EQ(process::text_of(overlay.substr(at, overlay.find('"', at) - at)),
              "struct Wait { " + std::string(24, ' ') + " int stage; };\n");
}

TEST_F(OperatorProject, NamesTheFirstTilingKey) {
    EXPECT_EQ(first_tiling_key("// TILING_KEY_IS(1)\nif constexpr (TILING_KEY_IS(20UL)) {} else if "
                               "(TILING_KEY_IS(3)) {}"),
              "20UL");
    EXPECT_EQ(first_tiling_key("int main();"), "");
}

TEST_F(OperatorProject, LeavesAStructThatTheKernelDefinesItself) {
    const fs::path source =
        write("scale/op_kernel/scale.cpp", "struct Plain { int n; };\nGET_TILING_DATA(data, tiling);\n");
    write("scale/op_host/scale_tiling.h", "REGISTER_TILING_DATA_CLASS(Scale, Plain)\n");
    EXPECT_THAT(file_behind(flags(source), "-include"), HasSubstr("#define AscendSimDefaultTiling Plain\n"));
}

TEST_F(OperatorProject, TakesTypesFromTheOperatorsDefinition) {
    const fs::path source =
        write("scale/op_kernel/scale.cpp",
              "#if ORIG_DTYPE_X == DT_BF16\n#endif\nDTYPE_X a; DTYPE_OTHER b; FORMAT_X; FORMAT_OTHER;\n"
              "constexpr int DTYPE_BYTES = 2; int c = DTYPE_BYTES;\n");
    write("scale/op_host/scale_def.cpp",
          "this->Input(\"x\").ParamType(REQUIRED).DataType({ge::DT_BF16, ge::DT_FLOAT})\n"
          ".Format({ge::FORMAT_FRACTAL_NZ, ge::FORMAT_ND});\n");
    const std::string header = file_behind(flags(source), "-include");
    EXPECT_THAT(header, HasSubstr("#define DTYPE_X bfloat16_t\n"));
    EXPECT_THAT(header, HasSubstr("#define ORIG_DTYPE_X DT_BF16\n"));
    EXPECT_THAT(header, HasSubstr("#define DTYPE_OTHER half\n"));  // unknown
    EXPECT_THAT(header, HasSubstr("#define FORMAT_X FORMAT_FRACTAL_NZ\n"));
    EXPECT_THAT(header, HasSubstr("#define FORMAT_OTHER FORMAT_ND\n"));
    EXPECT_THAT(header, Not(HasSubstr("DTYPE_BYTES")));  // the kernel's own
}

TEST_F(OperatorProject, HidesTheCompilersOwnAttribute) {
    const fs::path source = write("k.cce", "#define __aicore__ [aicore]\nvoid [host, aicore] f();\n");
    const std::string overlay = file_behind(flags(source), "-ivfsoverlay");
    EXPECT_THAT(overlay, HasSubstr("\"name\": \"" + source.string() + "\""));
    const std::size_t at = overlay.find("contents\": \"") + 12;
    EXPECT_EQ(process::text_of(overlay.substr(at, overlay.find('"', at) - at)),
              "#define __aicore__ " + std::string(8, ' ') + "\nvoid " + std::string(14, ' ') + " f();\n");
}

}  // namespace
}  // namespace ascendsim::toolchain
