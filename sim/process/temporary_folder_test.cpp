// SPDX-License-Identifier: Apache-2.0
#include "sim/process/temporary_folder.hpp"

#include <array>
#include <csignal>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/process/passing_names.hpp"
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

/// A process that makes a folder with a file in it, waits, and is ended by `signal`. Returns the folder.
fs::path left_by(int signal) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe(ends.data()), 0);
    const pid_t child = fork();
    if (child == 0) {
        const TemporaryFolder folder;
        std::ofstream{folder.path() / "file"} << "x";
        const std::string name = folder.path().string();
        static_cast<void>(write(ends[1], name.data(), name.size()));
        for (;;) {
            pause();
        }
    }
    std::array<char, 512> name{};
    EXPECT_GT(read(ends[0], name.data(), name.size() - 1), 0);
    kill(child, signal);
    EXPECT_EQ(exit_code_of(wait_for(child)), 128 + signal);
    close(ends[0]);
    close(ends[1]);
    return name.data();
}

TEST(TemporaryFolder, GoesWithASignal) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        EXPECT_FALSE(fs::exists(left_by(signal))) << signal;
    }
}

TEST(PassingNames, FilesGoWithASignalUnlessTheyAreKept) {
    const TemporaryFolder folder;
    const pid_t child = fork();
    if (child == 0) {
        for (const char* name : {"part", "kept"}) {
            std::ofstream{folder.path() / name} << "x";
            delete_at_signal(folder.path() / name);
        }
        delete_at_signal(folder.path() / "never made");
        keep_at_signal(folder.path() / "kept");
        std::raise(SIGTERM);
        _exit(0);
    }
    EXPECT_EQ(exit_code_of(wait_for(child)), 128 + SIGTERM);
    EXPECT_FALSE(fs::exists(folder.path() / "part"));
    EXPECT_TRUE(fs::exists(folder.path() / "kept"));
}

TEST(TemporaryFolder, OneOfAKilledProcessGoesWhenTheNextIsMade) {
    const TemporaryFolder mine;
    const fs::path left = left_by(SIGKILL);
    EXPECT_TRUE(fs::exists(left));
    const TemporaryFolder next;
    EXPECT_FALSE(fs::exists(left));
    EXPECT_TRUE(fs::exists(mine.path()));
}

}  // namespace
}  // namespace ascendsim::process
