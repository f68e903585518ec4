// SPDX-License-Identifier: Apache-2.0
#include "toolchain/project/sync_option.hpp"

#include <fstream>

#include <gmock/gmock.h>

#include "sim/base/error.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class SyncOptionTest : public testing::Test {
protected:
    fs::path folder =
        fs::path{testing::TempDir()} /
        (std::string{"sync_option_"} + testing::UnitTest::GetInstance()->current_test_info()->name());

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

    [[nodiscard]] static SyncOption option(const fs::path& source, std::string_view arch = "2201") {
        return sync_option_of_project(source, arch, {});
    }

    /// An operator project of add_custom with this CMakeLists.txt for its kernels.
    [[nodiscard]] fs::path operator_project(const std::string& cmake) const {
        write("op_host/add_custom.cpp", "");
        write("op_kernel/CMakeLists.txt", cmake);
        return write("op_kernel/add_custom.cpp", "");
    }
};

TEST_F(SyncOptionTest, ALoneKernelHasItOffAndSaysWhy) {
    const SyncOption found = option(write("k.cpp", ""));
    EXPECT_FALSE(found.on);
    EXPECT_FALSE(found.stated);
    EXPECT_EQ(found.origin, "no project around the source says");
}

TEST_F(SyncOptionTest, AnOperatorProjectHasItOn) {
    const SyncOption found = option(operator_project(""));
    EXPECT_TRUE(found.on);
    EXPECT_THAT(found.origin, HasSubstr("operator project"));
}

TEST_F(SyncOptionTest, TheOperatorsOwnOptionsComeBeforeThoseOfAll) {
    const fs::path source = operator_project(
        "add_ops_compile_options(AddCustom OPTIONS -g --cce-auto-sync=off)\n"
        "add_ops_compile_options(ALL OPTIONS --cce-auto-sync=on)\n");
    const SyncOption found = option(source);
    EXPECT_FALSE(found.on);
    EXPECT_EQ(found.origin, "op_kernel/CMakeLists.txt: add_ops_compile_options");
}

TEST_F(SyncOptionTest, TheLaterOptionCountsAndAnotherOperatorsDoesNot) {
    EXPECT_TRUE(option(operator_project("add_ops_compile_options(ALL OPTIONS --cce-auto-sync=off)\n"
                                        "add_ops_compile_options(ALL OPTIONS --cce-auto-sync=on)\n"
                                        "add_ops_compile_options(SubCustom OPTIONS --cce-auto-sync=off)\n"
                                        "# add_ops_compile_options(ALL OPTIONS --cce-auto-sync=off)\n"))
                    .on);
}

TEST_F(SyncOptionTest, AnOptionForOtherChipsDoesNotCount) {
    const fs::path source = operator_project(
        "add_ops_compile_options(AddCustom COMPUTE_UNIT ascend310p OPTIONS --cce-auto-sync=off)\n");
    EXPECT_TRUE(option(source).on);
    EXPECT_FALSE(option(source, "2002").on);
}

TEST_F(SyncOptionTest, LibrariesNameTheOperatorBehindAKeyword) {
    write("laser/op_kernel/laser.cpp", "");
    write("laser/op_host/CMakeLists.txt",
          "add_ops_compile_options(\n  OP_NAME Laser\n  OPTIONS --cce-auto-sync=off\n -Werror)\n");
    EXPECT_FALSE(option(folder / "laser/op_kernel/laser.cpp").on);
    EXPECT_FALSE(option(write("laser/tests/ut/op_kernel/test_laser.cpp", "")).on);
}

TEST_F(SyncOptionTest, ReadsTheOptionsOfOtherBuilds) {
    const fs::path source =
        operator_project("npu_op_kernel_options(\"\" ALL OPTIONS -g --cce-auto-sync=off)\n");
    EXPECT_FALSE(option(source).on);
    write("tan/op_kernel/CMakeLists.txt",
          "add_kernel_sources(COMPUTE_UNITS ascend950 AUTO_SYNC true)\n"
          "add_kernel_sources(COMPUTE_UNITS ascend910b ascend910_93 AUTO_SYNC false)\n");
    EXPECT_FALSE(option(write("tan/op_kernel/tan.cpp", "")).on);
    write("sin/op_kernel/CMakeLists.txt", "add_kernel_sources(COMPUTE_UNITS ascend910b)\n");
    EXPECT_TRUE(option(write("sin/op_kernel/sin.cpp", "")).on);
}

TEST_F(SyncOptionTest, ReadsTheOperatorsJson) {
    const fs::path source = operator_project("");
    write("add_custom.json",
          R"([{"name": "SubCustom", "auto_sync": true}, {"name": "AddCustom", "auto_sync": false}])");
    const SyncOption found = option(source);
    EXPECT_FALSE(found.on);
    EXPECT_EQ(found.origin, "add_custom.json");
}

TEST_F(SyncOptionTest, AJsonFileThatIsBrokenSaysNothing) {
    const fs::path source = operator_project("");
    write("add_custom.json", R"({"auto_sync": fal)");
    EXPECT_TRUE(option(source).on);
}

TEST_F(SyncOptionTest, AKernelLaunchProjectHasItOnUnlessItSaysOff) {
    const fs::path source = write("add.cpp", "");
    write("CMakeLists.txt", "ascendc_library(kernels SHARED add.cpp)\n");
    const SyncOption found = option(source);
    EXPECT_TRUE(found.on);
    EXPECT_EQ(found.origin, "CMakeLists.txt: a kernel-launch project");
    write("CMakeLists.txt",
          "ascendc_library(kernels SHARED add.cpp)\n"
          "ascendc_compile_options(kernels PRIVATE -g --cce-auto-sync=off)\n");
    EXPECT_FALSE(option(source).on);
}

TEST_F(SyncOptionTest, ALibraryInTheLanguageAscHasItOn) {
    // Its targets list their sources by macros of its own, so that no target can be told.
    write("CMakeLists.txt", "project(${LIBRARY} LANGUAGES ASC CXX)\nadd_subdirectory(blas)\n");
    const SyncOption found = option(write("blas/gemv/arch22/gemv.cpp", ""));
    EXPECT_TRUE(found.on);
    EXPECT_THAT(found.origin, HasSubstr("CMakeLists.txt: a project in the language ASC"));
    write("CMakeLists.txt", "project(${LIBRARY} LANGUAGES CXX)\n");
    EXPECT_FALSE(option(folder / "blas/gemv/arch22/gemv.cpp").on);
}

TEST_F(SyncOptionTest, AnotherTargetsOptionDoesNotCount) {
    const fs::path source = write("add.cpp", "");
    write("CMakeLists.txt",
          "ascendc_library(kernels SHARED add.cpp)\n"
          "ascendc_library(others SHARED sub.cpp)\n"
          "ascendc_compile_options(others PRIVATE --cce-auto-sync=off)\n");
    EXPECT_TRUE(option(source).on);
}

TEST_F(SyncOptionTest, ReadsScriptsThatSayOneThing) {
    const fs::path source = write("csrc/add.cpp", "");
    write("setup.py",
          "# --cce-auto-sync=on\nos.environ['FLAGS'] = '--cce-auto-sync=off --cce-auto-sync-log=x'\n");
    const SyncOption found = option(source);
    EXPECT_FALSE(found.on);
    EXPECT_TRUE(found.stated);
    EXPECT_EQ(found.origin, "setup.py");
    write("setup.py", "a = '--cce-auto-sync'\nb = '--cce-auto-sync=off'\n");
    EXPECT_FALSE(option(source).stated);
}

TEST(SyncOptionFlags, TheLastOneCounts) {
    using Flags = std::vector<std::string>;
    EXPECT_EQ(sync_option_of(Flags{"-O2"}), std::nullopt);
    EXPECT_EQ(sync_option_of(Flags{"--cce-auto-sync"}), true);
    EXPECT_EQ(sync_option_of(Flags{"--cce-auto-sync", "-g", "-cce-auto-sync=off"}), false);
    EXPECT_EQ(sync_option_of(Flags{"--cce-auto-sync-log=f"}), std::nullopt);
    EXPECT_THROW(static_cast<void>(sync_option_of(Flags{"--cce-auto-sync=maybe"})), UserError);
}

TEST(SyncOptionFlags, TheCompilerHereNeverSeesThem) {
    EXPECT_THAT(without_sync_options(
                    {"-O2", "--cce-auto-sync", "-mllvm", "-api-deps-filter", "--cce-auto-sync-log=f", "-g"}),
                ElementsAre("-O2", "-g"));
}

}  // namespace
}  // namespace ascendsim::toolchain
