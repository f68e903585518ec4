// SPDX-License-Identifier: Apache-2.0
#include "toolchain/installation/cache_files.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "sim/base/error.hpp"
#include "sim/process/in_parallel.hpp"
#include "toolchain/installation/installation.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

class CacheFiles : public testing::Test {
protected:
    fs::path folder =
        fs::path{testing::TempDir()} /
        (std::string{"cache_files_"} + testing::UnitTest::GetInstance()->current_test_info()->name());

    void SetUp() override {
        fs::remove_all(folder);
        fs::create_directories(folder);
        setenv("XDG_CACHE_HOME", folder.c_str(), 1);
    }

    void TearDown() override { fs::remove_all(folder); }
};

TEST_F(CacheFiles, ManyWriteOneFileAtOnceAndLeaveNothingBeside) {
    const fs::path file = folder / "a" / "b.h";
    const std::string text(100000, 'x');
    for (int round = 0; round < 20; ++round) {
        fs::remove(file);
        process::in_parallel(
            16, [&](std::size_t /*i*/) { write_whole(file, text); }, 8);
        EXPECT_EQ(process::text_of(file), text);
    }
    EXPECT_EQ(std::distance(fs::directory_iterator{file.parent_path()}, fs::directory_iterator{}), 1);
}

TEST_F(CacheFiles, SourcesOfTheSameNameHaveFoldersOfTheirOwn) {
    EXPECT_NE(cache_folder_of("compile", "/a/k.cpp"), cache_folder_of("compile", "/b/k.cpp"));
    EXPECT_EQ(cache_folder_of("compile", "/a/k.cpp"), cache_folder_of("compile", "/a/../a/k.cpp"));
}

TEST_F(CacheFiles, AFolderThatCannotBeMadeIsTheUsersFault) {
    std::ofstream{cache_folder() / "kernels"} << "a file where the folder would be\n";
    try {
        static_cast<void>(made_cache_folder("kernels/more"));
        FAIL() << "a folder in a file";
    } catch (const UserError& error) {
        EXPECT_NE(std::string{error.what()}.find("XDG_CACHE_HOME"), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace ascendsim::toolchain
