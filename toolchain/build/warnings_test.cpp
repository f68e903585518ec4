// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/warnings.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class WarningsTest : public testing::Test {
protected:
    fs::path folder =
        fs::path{testing::TempDir()} /
        (std::string{"warnings_"} + testing::UnitTest::GetInstance()->current_test_info()->name());
    Installation installation;

    void SetUp() override {
        fs::remove_all(folder);
        fs::create_directories(folder / "project");
        std::ofstream{folder / "project/LICENSE"};
        installation.root = folder / "simulator";
    }

    void TearDown() override { fs::remove_all(folder); }

    /// What clang says of line 7 of a file, with its line of source.
    [[nodiscard]] std::string said(const fs::path& file, const std::string& kind = "warning") const {
        return fmt::format(
            "{}:7:19: {}: changes value from 300 to 44 [-Wconstant-conversion]\n"
            "    uint8_t repeat = 300;\n            ~~~~~~   ^~~\n",
            (folder / file).string(),
            kind);
    }
};

TEST_F(WarningsTest, AreThoseOfTheProjectEachOnce) {
    const std::string output = "In file included from wrapper.cpp:2:\n" + said("project/k.cpp") +
                               said("vendor/include/v.h") + said("project/k.cpp", "note") +
                               said("simulator/kernels/ascendc/kernel_operator.h") + said("project/k.cpp") +
                               "3 warnings generated.\n";
    EXPECT_THAT(
        warnings_in(output, folder / "project/k.cpp", installation),
        ElementsAre((folder / "project/k.cpp").string() +
                    ":7:19: changes value from 300 to 44 [-Wconstant-conversion]\tuint8_t repeat = 300;"));
}

TEST_F(WarningsTest, AreOfTheCurrentFolderWhereTheSourceIsNamedFromThere) {
    const fs::path here = fs::current_path();
    fs::current_path(folder / "project");
    const std::vector<std::string> found = warnings_in(said("project/k.cpp"), "k.cpp", installation);
    fs::current_path(here);
    EXPECT_EQ(found.size(), 1U);
}

TEST_F(WarningsTest, AreKeptBesideWhatWasCompiled) {
    const fs::path compiled = folder / "key.sum.so";
    keep_warnings({}, compiled);
    EXPECT_THAT(warnings_of(compiled), IsEmpty());
    keep_warnings({"/elsewhere/k.cpp:1:2: a\tcode", fs::current_path().string() + "/k.cpp:3:4: b\t"},
                  compiled);
    EXPECT_THAT(warnings_of(compiled), ElementsAre("/elsewhere/k.cpp:1:2: a\tcode", "k.cpp:3:4: b\t"));
}

// The cache drops what was used longest ago; a plug-in without its warnings would never show them again.
TEST_F(WarningsTest, AreUsedWithWhatWasCompiled) {
    const fs::path compiled = folder / "key.sum.so";
    const fs::path kept = folder / "key.sum.warnings";
    std::ofstream{compiled} << "object";
    keep_warnings({"k.cpp:1:2: a\tcode"}, compiled);
    const fs::file_time_type before = fs::file_time_type::clock::now() - std::chrono::hours{48};
    fs::last_write_time(compiled, before);
    fs::last_write_time(kept, before);
    mark_used_with_warnings(compiled);
    EXPECT_GT(fs::last_write_time(compiled), before + std::chrono::hours{47});
    EXPECT_GE(fs::last_write_time(kept), fs::last_write_time(compiled));
    mark_used_with_warnings(folder / "other.so");  // what is not there is not made
    EXPECT_FALSE(fs::exists(folder / "other.warnings"));
}

TEST_F(WarningsTest, AreAskedForInPlaceOfSilence) {
    const std::vector<std::string> command = with_warnings({"clang++", "-w", "k.cpp"});
    EXPECT_EQ(std::ranges::count(command, "-w"), 0);
    EXPECT_EQ(std::ranges::count(command, "-Wconstant-conversion"), 1);
    EXPECT_EQ(command.back(), "k.cpp");
    EXPECT_THAT(with_warnings({"clang++", "k.cpp"}), ElementsAre("clang++", "k.cpp"));
}

}  // namespace
}  // namespace ascendsim::toolchain
