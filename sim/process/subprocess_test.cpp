// SPDX-License-Identifier: Apache-2.0
#include "sim/process/subprocess.hpp"

#include <csignal>

#include <gtest/gtest.h>

#include "sim/base/error.hpp"

namespace ascendsim::host {
namespace {

TEST(Subprocess, keeps_what_both_streams_say) {
    Subprocess program{{"sh", "-c", "echo one; echo two >&2; exit 3"}};
    EXPECT_EQ(program.wait(), 3);
    EXPECT_EQ(program.output(), "one\ntwo\n");
}

TEST(Subprocess, keeps_more_than_a_pipe_would_hold) {
    Subprocess program{{"sh", "-c", "head -c 300000 /dev/zero"}};
    EXPECT_EQ(program.wait(), 0);
    EXPECT_EQ(program.output().size(), 300000U);
}

TEST(Subprocess, has_no_input) {
    Subprocess program{{"cat"}};
    EXPECT_EQ(program.wait(), 0);
    EXPECT_EQ(program.output(), "");
}

TEST(Subprocess, tells_the_signal_that_ended_it) {
    Subprocess program{{"sh", "-c", "kill -TERM $$"}};
    EXPECT_EQ(program.wait(), 128 + SIGTERM);
}

TEST(Subprocess, that_cannot_be_started_is_an_error_that_names_it) {
    try {
        const Subprocess program{{"no-such-program"}};
        ADD_FAILURE() << "it was started";
    } catch (const UserError& error) {
        EXPECT_STREQ(error.what(), "no-such-program cannot be started: No such file or directory");
    }
}

}  // namespace
}  // namespace ascendsim::host
