// SPDX-License-Identifier: Apache-2.0
// Functions that stand before the C library's answer as those do.
#include "runtime/acl/process/kept_state.hpp"

#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace ascendsim::program {
namespace {

int asked = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

TEST(KeptState, DuplicatesFilesAsTheCLibraryDoes) {
    const int file = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const int other = fcntl(file, F_DUPFD, 100);
    close(other);
    EXPECT_EQ(dup2(file, file), file);
    EXPECT_EQ(dup2(file, other), other);
    EXPECT_EQ(fcntl(other, F_GETFD), 0);  // not closed by exec
    close(other);
    close(file);
    errno = 0;
    EXPECT_EQ(dup2(other, other), -1);
    EXPECT_EQ(errno, EBADF);
}

TEST(KeptState, LeavesVariablesWithoutANameToTheCLibrary) {
    const char* volatile none = nullptr;
    asked = 0;
    set_state_keeper([](const char* /*function*/, const void* /*caller*/) { ++asked; });
    const int set = setenv(none, "x", 1);
    const int unset = unsetenv(none);
    setenv("TMPDIR", "/tmp", 0);
    set_state_keeper(nullptr);
    EXPECT_EQ(set, -1);
    EXPECT_EQ(unset, -1);
    EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace ascendsim::program
