// SPDX-License-Identifier: Apache-2.0
#include "toolchain/project/operator_library.hpp"

#include <filesystem>
#include <fstream>
#include <vector>

#include <gmock/gmock.h>

#include "sim/base/error.hpp"
#include "toolchain/project/operator_kernel.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class OperatorLibrary : public testing::Test {
protected:
    fs::path folder =
        fs::temp_directory_path() /
        (std::string{"ascendsim_library_"} + testing::UnitTest::GetInstance()->current_test_info()->name());

    void SetUp() override {
        fs::remove_all(folder);
        write("norm/my_norm/op_host/my_norm_def.cpp",
              "OP_ADD(MyNorm);\nthis->AICore().AddConfig(\"ascend910b\");\nAddConfig(\"ascend950\");\n");
        write("norm/my_norm/op_host/my_norm_tiling.cpp", "IMPL_OP_OPTILING(MyNorm)");
        write("norm/my_norm/op_host/my_norm_proto.cpp", "IMPL_OP_INFERSHAPE(MyNorm)");
        write("norm/my_norm/op_host/fallback_my_norm.cpp", "IMPL_OP(MyNorm).OpExecuteFunc(f)");
        write("norm/my_norm/op_host/op_api/aclnn_my_norm.cpp", "IMPL_OP(MyNorm)");
        write("norm/my_norm/op_host/arch22/my_norm_tiling_arch22.cpp", "");
        write("norm/my_norm/op_host/arch35/my_norm_tiling_arch35.cpp", "");
        write("norm/my_norm/op_host/op_tiling/deep/my_norm_tiling_deep.cpp", "");
        write("norm/my_norm/CMakeLists.txt",
              "set(SUPPORT_COMPUTE_UNIT \"ascend950\" \"ascend910b\")  # chips\n"
              "set(SUPPORT_TILING_DIR \"arch35\" \"arch22\")\n");
        write("norm/my_norm/op_kernel/my_norm.cpp",
              "#define SECOND 20\ntemplate <typename T, int DEPTH>\n__global__ __aicore__ void "
              "my_norm(GM_ADDR x) {\n"
              "KERNEL_TASK_TYPE(SECOND, KERNEL_TYPE_MIX_AIC_1_2);\n}\n");
        write("norm/my_norm/op_kernel/arch35/my_norm.cpp", "__global__ void my_norm()");
        write("norm/my_norm/tests/op_host/my_norm_def.cpp", "OP_ADD(OfATest);");
    }

    void TearDown() override { fs::remove_all(folder); }

    void write(const std::string& name, const std::string& text) const {
        fs::create_directories((folder / name).parent_path());
        std::ofstream{folder / name} << text;
    }

    [[nodiscard]] std::vector<std::string> names(const std::vector<fs::path>& files) const {
        std::vector<std::string> all;
        for (const fs::path& file : files) {
            all.push_back(file.lexically_relative(folder / "norm" / "my_norm" / "op_host").string());
        }
        return all;
    }
};

TEST_F(OperatorLibrary, ThatIsNotThereNamesTheNearestFolder) {
    try {
        static_cast<void>(operators_in(folder / "nor"));
        FAIL();
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr("nor: no such folder, did you mean 'norm'?"));
    }
}

TEST_F(OperatorLibrary, FindsAnOperatorInAnySpelling) {
    ASSERT_EQ(operators_in(folder).size(), 1);
    for (const char* name : {"MyNorm", "my_norm", "aclnnMyNorm", "MY_NORM"}) {
        EXPECT_EQ(operator_named(name, folder).type, "MyNorm") << name;
    }
    EXPECT_THAT(operator_named("MyNorm", folder).chips, ElementsAre("ascend910b", "ascend950"));
    try {
        static_cast<void>(operator_named("my_nrom", folder));
        FAIL();
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr("did you mean 'MyNorm'"));
    }
}

TEST_F(OperatorLibrary, OfSeveralFoldersTakesTheOneForTheChip) {
    write("experimental/norm/my_norm/op_host/my_norm_def.cpp",
          "OP_ADD(MyNorm);\nthis->AICore().AddConfig(\"ascend910_93\");\n");
    const auto chosen = [&](const std::string& chip) {
        return operator_named("MyNorm", folder, chip).folder.lexically_relative(folder).string();
    };
    EXPECT_EQ(chosen("ascend910b"), "norm/my_norm");
    EXPECT_EQ(chosen("ascend910_93"), "experimental/norm/my_norm");
    EXPECT_EQ(chosen("ascend310p"), "norm/my_norm") << "of none for the chip the first";
    EXPECT_EQ(operators_in(folder).size(), 1) << "experiments only where they are asked for";
    const std::vector<LibraryOperator> all = some_operators_in(folder);
    ASSERT_EQ(all.size(), 2);
    EXPECT_FALSE(all[0].experimental);
    EXPECT_TRUE(all[1].experimental);
}

TEST_F(OperatorLibrary, TakesTheHostSourcesOfTheChip) {
    const LibraryOperator one = operator_named("MyNorm", folder);
    EXPECT_THAT(names(host_sources(one, "ascend910b")),
                ElementsAre("arch22/my_norm_tiling_arch22.cpp",
                            "my_norm_def.cpp",
                            "my_norm_proto.cpp",
                            "my_norm_tiling.cpp",
                            "op_tiling/deep/my_norm_tiling_deep.cpp"));
    EXPECT_THAT(names(host_sources(one, "ascend310p")),
                ElementsAre("my_norm_def.cpp",
                            "my_norm_proto.cpp",
                            "my_norm_tiling.cpp",
                            "op_tiling/deep/my_norm_tiling_deep.cpp"));
}

TEST_F(OperatorLibrary, TakesTheHostSourcesThatItsBuildNames) {
    write("norm/common/op_host/arch32/split_rows.cpp", "");
    write("norm/common/op_host/arch35/split_rows.cpp", "");
    write("norm/my_norm/op_host/arch32/my_norm_check.cpp", "");
    write("norm/my_norm/op_host/CMakeLists.txt",
          "target_sources(tiling PRIVATE\n    ../../common/op_host/arch32/split_rows.cpp # rows\n"
          "    ../../common/op_host/arch35/split_rows.cpp ${ELSEWHERE}/../my_norm_def.cpp\n"
          "    fallback_my_norm.cpp not_there.cpp op_api/aclnn_my_norm.cpp\n"
          "    \"${CMAKE_CURRENT_SOURCE_DIR}/arch32/my_norm_check.cpp\")\n");
    EXPECT_THAT(names(host_sources(operator_named("MyNorm", folder), "ascend310p")),
                UnorderedElementsAre("../../common/op_host/arch32/split_rows.cpp",
                                     "arch32/my_norm_check.cpp",
                                     "my_norm_def.cpp",
                                     "my_norm_proto.cpp",
                                     "my_norm_tiling.cpp",
                                     "op_tiling/deep/my_norm_tiling_deep.cpp"));
}

TEST_F(OperatorLibrary, TakesTheSourcesThatALoopOverGenerationsNames) {
    write("norm/my_norm/op_host/arch32/my_norm_split.cpp", "");
    write("norm/my_norm/op_host/arch35/my_norm_split.cpp", "");
    write("norm/my_norm/op_host/CMakeLists.txt",
          "foreach(ARCH ${ARCH_DIRECTORY})\n    target_sources(tiling PRIVATE\n"
          "        ${CMAKE_CURRENT_SOURCE_DIR}/${ARCH}/my_norm_split.cpp)\nendforeach()\n");
    const auto found = names(host_sources(operator_named("MyNorm", folder), "ascend310p"));
    EXPECT_THAT(found, testing::Contains("arch32/my_norm_split.cpp"));
    EXPECT_THAT(found, testing::Not(testing::Contains("arch35/my_norm_split.cpp")));
}

TEST_F(OperatorLibrary, TakesTheTilingOfOperatorsThatItDependsOn) {
    write("rows/sum/op_host/sum_tiling_check.cpp", "bool SumTiling::Check() { return true; }\n");
    write("rows/sum/op_host/sum_tiling_register.cpp", "IMPL_OP_OPTILING(Sum);\n");
    write("norm/my_norm/op_host/CMakeLists.txt",
          "set(my_norm_depends rows/sum CACHE INTERNAL \"of MyNorm\")\n");
    const auto found = names(host_sources(operator_named("MyNorm", folder), "ascend310p"));
    EXPECT_THAT(found, testing::Contains("../../../rows/sum/op_host/sum_tiling_check.cpp"));
    EXPECT_THAT(found, testing::Not(testing::Contains(testing::HasSubstr("register"))));
}

TEST_F(OperatorLibrary, TakesWhatItsFamilyRegistersForIt) {
    write("norm/norm_utils/op_host/all_tiling.cpp", "#define TILED(X) IMPL_OP_OPTILING(X)\nTILED(MyNorm);\n");
    write("norm/other/op_host/other_tiling.cpp", "IMPL_OP_OPTILING(MyNormGrad); // unlike (MyNorm)\n");
    EXPECT_THAT(names(host_sources(operator_named("MyNorm", folder), "ascend310p")),
                testing::Contains("../../norm_utils/op_host/all_tiling.cpp"));
    EXPECT_THAT(names(host_sources(operator_named("MyNorm", folder), "ascend310p")),
                testing::Not(testing::Contains("../../other/op_host/other_tiling.cpp")));
}

TEST_F(OperatorLibrary, TakesTheKernelOfItsName) {
    const OperatorKernel kernel = operator_kernel(operator_named("MyNorm", folder), {});
    EXPECT_EQ(kernel.source, folder / "norm/my_norm/op_kernel/my_norm.cpp");
    EXPECT_EQ(kernel.entry.name, "my_norm");
    EXPECT_THAT(kernel.type_parameters, ElementsAre("typename", "int"));
}

TEST_F(OperatorLibrary, ReadsTheCoresOfATilingKey) {
    const Installation installation = Installation::find();
    const fs::path source = folder / "norm/my_norm/op_kernel/my_norm.cpp";
    EXPECT_EQ(cores_of_key(source, 20, installation), CoreUse::mix_1_2);
    EXPECT_EQ(cores_of_key(source, 21, installation), std::nullopt);
}

}  // namespace
}  // namespace ascendsim::toolchain
