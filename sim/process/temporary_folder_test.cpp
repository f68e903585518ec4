// SPDX-License-Identifier: Apache-2.0
#include "sim/process/temporary_folder.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/process/program_start.hpp"

namespace ascendsim::process {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolder, IsTheUsersAloneAndGoesWithWhatIsInIt) {
    fs::path path;
    {
        const TemporaryFolder folder;
        path = folder.path();

        struct stat is {};

        ASSERT_EQ(stat(path.c_str(), &is), 0);
        EXPECT_EQ(is.st_mode & 0777U, 0700U);
        EXPECT_NE(path, TemporaryFolder{}.path());
        std::ofstream{path / "file"} << "x";
    }
    EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolder, StaysWhenAForkEnds) {
    const TemporaryFolder folder;
    const pid_t child = fork();
    if (child == 0) {
        folder.~TemporaryFolder();
        _exit(0);
    }
    EXPECT_EQ(exit_code_of(wait_for(child)), 0);
    EXPECT_TRUE(fs::exists(folder.path()));
}

}  // namespace
}  // namespace ascendsim::process
