// SPDX-License-Identifier: Apache-2.0
#include "sim/base/missing_file.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace ascendsim {
namespace {

namespace fs = std::filesystem;

class MissingFile : public ::testing::Test {
protected:
    fs::path folder = fs::path{::testing::TempDir()} / ("missing_file_" + std::to_string(getpid()));

    void SetUp() override {
        fs::create_directories(folder / "inner");
        for (const char* name : {"matmul.toml", "add.toml", ".matmull.toml"}) {
            std::ofstream{folder / name} << "x";
        }
    }

    void TearDown() override { fs::remove_all(folder); }
};

TEST_F(MissingFile, GetsTheNearestNameBesideIt) {
    EXPECT_EQ(why_unreadable(folder / "matmull.toml"), "no such file, did you mean 'matmul.toml'?");
    EXPECT_EQ(why_unreadable(folder / "zzzzzzzzzzzzzz"), "no such file");
    EXPECT_EQ(nearest_file_hint(folder / "ad.toml"), ", did you mean 'add.toml'?");
}

TEST_F(MissingFile, IsNotSaidToMeanItself) {
    fs::create_symlink(folder / "nothing", folder / "broken_link");
    EXPECT_EQ(why_unreadable(folder / "broken_link"), "no such file");
    EXPECT_EQ(nearest_file_hint(folder / "inner"), "");
}

TEST_F(MissingFile, InAFolderThatIsNotThereNamesTheFolder) {
    const fs::path nowhere = folder / "iner";
    EXPECT_EQ(why_unreadable(nowhere / "add.toml"),
              "no such file: there is no folder '" + nowhere.string() + "'");
}

TEST_F(MissingFile, IsToldFromWhatIsThere) {
    EXPECT_EQ(why_unreadable(folder / "inner"), "not a file");
    EXPECT_EQ(why_unreadable(folder / "add.toml"), "cannot be read");  // for whoever failed to
}

TEST_F(MissingFile, OfAFolderGetsTheNearestFolderBesideIt) {
    fs::create_directories(folder / "add.tom");
    EXPECT_EQ(why_no_folder(folder / "iner"), "no such folder, did you mean 'inner'?");
    EXPECT_EQ(why_no_folder((folder / "iner").string() + "/"), "no such folder, did you mean 'inner'?");
    EXPECT_EQ(why_no_folder(folder / "add.tml"), "no such folder, did you mean 'add.tom'?");  // a folder
    EXPECT_EQ(why_no_folder(folder / "zzzzzzzzzzzzzz"), "no such folder");
    EXPECT_EQ(why_no_folder(folder / "add.toml"), "not a folder");
    const fs::path nowhere = folder / "iner";
    EXPECT_EQ(why_no_folder(nowhere / "add"),
              "no such folder: there is no folder '" + nowhere.string() + "'");
}

TEST_F(MissingFile, NamesBesideAreInOrderAndNotHidden) {
    EXPECT_EQ(names_beside(folder / "any"), (std::vector<std::string>{"add.toml", "inner", "matmul.toml"}));
    EXPECT_TRUE(names_beside(folder / "nowhere" / "any").empty());
}

}  // namespace
}  // namespace ascendsim
