// SPDX-License-Identifier: Apache-2.0
#include "sim/process/subprocess.hpp"

#include <csignal>

#include <gtest/gtest.h>

#include "sim/base/error.hpp"

namespace ascendsim::process {
namespace {

TEST(Subprocess, KeepsWhatBothStreamsSay) {
    Subprocess program{{"sh", "-c", "echo one; echo two >&2; exit 3"}};
    EXPECT_EQ(program.wait(), 3);
    EXPECT_EQ(program.output(), "one\ntwo\n");
}

TEST(Subprocess, KeepsMoreThanAPipeWouldHold) {
    Subprocess program{{"sh", "-c", "head -c 300000 /dev/zero"}};
    EXPECT_EQ(program.wait(), 0);
    EXPECT_EQ(program.output().size(), 300000U);
}

TEST(Subprocess, HasNoInput) {
    Subprocess program{{"cat"}};
    EXPECT_EQ(program.wait(), 0);
    EXPECT_EQ(program.output(), "");
}

TEST(Subprocess, TellsTheSignalThatEndedIt) {
    Subprocess program{{"sh", "-c", "kill -TERM $$"}};
    EXPECT_EQ(program.wait(), 128 + SIGTERM);
}

TEST(Subprocess, ThatCannotBeStartedIsAnErrorThatNamesIt) {
    try {
        const Subprocess program{{"no-such-program"}};
        ADD_FAILURE() << "it was started";
    } catch (const UserError& error) {
        EXPECT_STREQ(error.what(), "no-such-program cannot be started: No such file or directory");
    }
}

}  // namespace
}  // namespace ascendsim::process
