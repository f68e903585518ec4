// SPDX-License-Identifier: Apache-2.0
#include "toolchain/project/unit_test_project.hpp"

#include <fstream>

#include <gmock/gmock.h>

#include "toolchain/build/program_project.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(TestCases, WordsComeWithTheirVariablesPutIn) {
    const auto cases = test_cases(
        "set(files a.cpp ${HERE}/b.cpp)  # set(files c.cpp)\n"
        "# AddOpTestCase(old \"ascend910b\")\n"
        "if (UT)\n  AddOpTestCase(scale \"ascend910b\" \"-DX=half -DY=float\"\n"
        "      \"${files}\")\nendif()\nAddOpsTestCase(OP_NAME other)\n");
    EXPECT_THAT(cases,
                ElementsAre(ElementsAre("scale", "ascend910b", "-DX=half -DY=float", "a.cpp;${HERE}/b.cpp"),
                            ElementsAre("OP_NAME", "other")));
}

/// A library with one operator, scale, and its unit test.
class UnitTestOfAnOperator : public testing::Test {
protected:
    fs::path folder =
        fs::path{testing::TempDir()} /
        (std::string{"unit_test_"} + testing::UnitTest::GetInstance()->current_test_info()->name());
    Installation installation{.root = folder / "none", .libraries = {}};
    fs::path test = folder / "lib/scale/tests/ut/op_kernel/test_scale.cpp";
    fs::path kernel = folder / "lib/scale/op_kernel/scale.cpp";

    void SetUp() override {
        fs::remove_all(folder);
        write("lib/LICENSE", "");
        write("lib/tests/ut/op_kernel/data.h", "");
        write("lib/tests/ut/op_kernel/data.cpp", "");
        write("lib/tests/ut/op_kernel/unused.cpp", "");
        write("lib/scale/tests/ut/op_kernel/CMakeLists.txt",
              "AddOpTestCase(scale \"ascend950\" \"-DDTYPE_X=float\")\n"
              "AddOpTestCase(scale \"ascend910b\" \"-DDTYPE_X=half -DROWS=4\")\n");
        write("lib/scale/op_kernel/scale.cpp",
              "extern \"C\" __global__ __aicore__ void scale(GM_ADDR tiling) { GET_TILING_DATA(data, "
              "tiling); }\n");
        write("lib/scale/op_host/scale_tiling.h",
              "BEGIN_TILING_DATA_DEF(ScaleTilingData)\nTILING_DATA_FIELD_DEF(uint32_t, rows);\n"
              "END_TILING_DATA_DEF;\nREGISTER_TILING_DATA_CLASS(Scale, ScaleTilingData)\n");
        write("lib/scale/tests/ut/op_kernel/test_scale.cpp",
              "#include \"data.h\"\nint f() { ScaleTilingData data; ICPU_RUN_KF(scale, 1, &data); }\n");
    }

    void TearDown() override { fs::remove_all(folder); }

    fs::path write(const std::string& name, const std::string& text) const {
        fs::create_directories((folder / name).parent_path());
        std::ofstream{folder / name} << text;
        return folder / name;
    }

    [[nodiscard]] ProgramProject project(std::vector<std::string> flags = {},
                                         std::vector<fs::path> forced = {}) const {
        const ProgramSources sources{
            .files = {test}, .flags = std::move(flags), .forced = std::move(forced), .link = {}};
        return program_project(sources, installation, folder / "cache");
    }
};

TEST_F(UnitTestOfAnOperator, TakesTheKernelAndTheHelpersItIncludes) {
    EXPECT_THAT(project().files, ElementsAre(test, kernel, folder / "lib/tests/ut/op_kernel/data.cpp"));
    EXPECT_THAT(project().flags, Contains("-I" + (folder / "lib/tests/ut/op_kernel").string()));
}

TEST_F(UnitTestOfAnOperator, TakesHelpersOfTheFrameworkByTheWayToThem) {
    write("lib/tests/ut/framework_normal/common/stub.h", "int stub();\n");
    const fs::path source =
        write("lib/tests/ut/framework_normal/common/stub.cpp", "int stub() { return 1; }\n");
    write("lib/scale/tests/ut/op_kernel/test_scale.cpp",
          process::text_of(test) + "#include \"../../../../tests/ut/framework_normal/common/stub.h\"\n");
    EXPECT_THAT(project().files, Contains(source));
    EXPECT_THAT(project().flags, Contains("-I" + (folder / "lib/tests/ut/framework_normal").string()));
}

TEST_F(UnitTestOfAnOperator, TakesTheDefinitionsForItsChipAndLeavesThoseOfTheUser) {
    EXPECT_THAT(project({"-DROWS=8"}).flags, Contains("-DDTYPE_X=half"));
    EXPECT_THAT(project({"-DROWS=8"}).flags, Not(Contains("-DROWS=4")));
}

TEST_F(UnitTestOfAnOperator, KnowsTheFolderOfTheBuildFile) {
    write("lib/scale/tests/ut/op_kernel/CMakeLists.txt",
          "AddOpTestCase(scale \"ascend910b\" \"-DDATA=${CMAKE_CURRENT_SOURCE_DIR}/data\")\n");
    EXPECT_THAT(project().flags, Contains("-DDATA=" + (test.parent_path() / "data").string()));
}

TEST_F(UnitTestOfAnOperator, LeavesMacrosThatStandForTypesItHas) {
    write("lib/scale/tests/ut/op_kernel/CMakeLists.txt",
          "AddOpTestCase(scale \"ascend910b\" \"-Dfloat16_t=uint16_t -DROWS=4\")\n");
    EXPECT_THAT(project().flags, Contains("-DROWS=4"));
    EXPECT_THAT(project().flags, Not(Contains("-Dfloat16_t=uint16_t")));
}

TEST_F(UnitTestOfAnOperator, IsForVectorCoresIfItSaysSoEverywhere) {
    EXPECT_FALSE(project().vector_only);
    const std::string mode = "SetKernelMode(KernelMode::AIV_MODE);\n";
    const std::string run = "int f() { ICPU_RUN_KF(scale, 1); }\n";
    write("lib/scale/tests/ut/op_kernel/test_scale.cpp", mode + mode + run);
    EXPECT_TRUE(project().vector_only);
    write("lib/scale/tests/ut/op_kernel/test_scale.cpp",
          mode + "SetKernelMode(KernelMode::MIX_MODE);\n" + run);
    EXPECT_FALSE(project().vector_only);
}

TEST_F(UnitTestOfAnOperator, CompilesHelpersAlikeForAllTests) {
    const fs::path helper = folder / "lib/tests/ut/op_kernel/data.cpp";
    EXPECT_THAT(project().flags_of(helper), ElementsAre("-I" + helper.parent_path().string()));
}

TEST_F(UnitTestOfAnOperator, MakesTheTilingStructsForTestAndKernel) {
    for (const fs::path& file : {test, kernel}) {
        const std::vector<fs::path> headers = project().headers_of(file);
        ASSERT_EQ(headers.size(), 1U);
        EXPECT_THAT(process::text_of(headers[0]), HasSubstr("BEGIN_TILING_DATA_DEF(ScaleTilingData)"));
    }
}

TEST_F(UnitTestOfAnOperator, TakesTheHeaderBesideTheTestInstead) {
    const fs::path header =
        write("lib/scale/tests/ut/op_kernel/scale_tiling.h", "struct ScaleTilingData {};\n");
    EXPECT_THAT(project().headers_of(test), ElementsAre(header));
    EXPECT_THAT(project().headers_of(kernel), ElementsAre(header));
}

TEST_F(UnitTestOfAnOperator, TakesTheHeaderThatTheLibraryLooksFor) {
    write("lib/cmake/ut.cmake", "if(EXISTS \"${HERE}/${opName}_tiling.h\")\nendif()\n");
    write("lib/scale/tests/ut/op_kernel/scale_tiling_def.h", "struct ScaleTilingData {};\n");
    ASSERT_EQ(project().headers_of(test).size(), 1U);
    EXPECT_THAT(process::text_of(project().headers_of(test)[0]),
                HasSubstr("BEGIN_TILING_DATA_DEF(ScaleTilingData)"));
    const fs::path header =
        write("lib/scale/tests/ut/op_kernel/scale_tiling.h", "struct ScaleTilingData {};\n");
    EXPECT_THAT(project().headers_of(test), ElementsAre(header));
}

TEST_F(UnitTestOfAnOperator, MakesTheStructBesideThatOfTheHostSide) {
    const std::string structs =
        "BEGIN_TILING_DATA_DEF(ScaleTilingData)\nTILING_DATA_FIELD_DEF(uint32_t, "
        "rows);\nEND_TILING_DATA_DEF;\n"
        "REGISTER_TILING_DATA_CLASS(Scale, ScaleTilingData)\n";
    write("lib/scale/op_host/scale_tiling.h", "namespace optiling {\n" + structs + "}\n");
    const std::string include = "#include \"../../../op_host/scale_tiling.h\"\n";
    const std::string run = "int f() { ScaleTilingData data; ICPU_RUN_KF(scale, 1, &data); }\n";
    write("lib/scale/tests/ut/op_kernel/test_scale.cpp", include + run);
    ASSERT_EQ(project().headers_of(test).size(), 1U);
    EXPECT_THAT(process::text_of(project().headers_of(test)[0]),
                HasSubstr("BEGIN_TILING_DATA_DEF(ScaleTilingData)"));
    // Names of both would be ambiguous.
    write("lib/scale/tests/ut/op_kernel/test_scale.cpp", include + "using namespace optiling;\n" + run);
    EXPECT_THAT(project().headers_of(test), IsEmpty());
}

TEST_F(UnitTestOfAnOperator, TakesNoHeaderWhereTheUserNamesOne) {
    EXPECT_THAT(project({}, {"own.h"}).headers_of(test), IsEmpty());
}

TEST_F(UnitTestOfAnOperator, LeavesAKernelThatTheTestIncludes) {
    write("lib/scale/tests/ut/op_kernel/test_scale.cpp",
          "#include \"../../../op_kernel/scale.cpp\"\nint f() { ICPU_RUN_KF(scale, 1); }\n");
    EXPECT_THAT(project().files, ElementsAre(test));
}

TEST_F(UnitTestOfAnOperator, LeavesTheKernelWhereTheTestBringsItsOwn) {
    write("lib/scale/tests/ut/op_kernel/test_scale.cpp", "int f() { ICPU_RUN_KF(scale_half, 1); }\n");
    EXPECT_THAT(project().files, ElementsAre(test));
}

TEST_F(UnitTestOfAnOperator, LeavesTheKernelThatTheBuildKeepsOut) {
    write("lib/scale/tests/ut/op_kernel/CMakeLists.txt",
          "AddOpTestCase(scale \"ascend910b\")\n"
          "set_source_files_properties(${copied} PROPERTIES HEADER_FILE_ONLY TRUE)\n");
    EXPECT_THAT(project().files, Not(Contains(kernel)));
}

TEST_F(UnitTestOfAnOperator, TakesTheKernelsHeaderBeforeOneOfTheHostSide) {
    write("lib/scale/op_api/scale.h", "");
    write("lib/scale/op_kernel/scale.h", "");
    write("lib/scale/tests/ut/op_kernel/test_scale.cpp",
          "#include \"scale.h\"\nint f() { ICPU_RUN_KF(scale_half, 1); }\n");
    EXPECT_THAT(project().flags, Contains("-I" + (folder / "lib/scale/op_kernel").string()));
}

TEST_F(UnitTestOfAnOperator, IsNoTestThatLiesElsewhere) {
    test = write("lib/scale/examples/test_scale.cpp", "int f() { ICPU_RUN_KF(scale, 1); }\n");
    EXPECT_THAT(project().files, ElementsAre(test));
    EXPECT_TRUE(project().unit_test);
}

}  // namespace
}  // namespace ascendsim::toolchain
