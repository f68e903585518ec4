// SPDX-License-Identifier: Apache-2.0
#include "gui/runs/child_process.hpp"

#include <csignal>

#include <gtest/gtest.h>
#include <unistd.h>

#include "gui/runs/testing/fake_simulator.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::gui {
namespace {

class Child : public ::testing::Test {
protected:
    std::filesystem::path out =
        std::filesystem::path{::testing::TempDir()} / ("child." + std::to_string(getpid()));

    std::optional<int> exit_of(ChildProcess& child) {
        static_cast<void>(fake::turn_until([] {}, [&] { return child.poll().has_value(); }));
        return child.poll();
    }

    void TearDown() override { std::filesystem::remove(out); }
};

TEST_F(Child, ExitCodeAndOutputAreKept) {
    ChildProcess child{{"sh", "-c", "echo words; exit 3"}, out, "/dev/null"};
    EXPECT_EQ(exit_of(child), 3);
    EXPECT_EQ(read_tail(out, 100), "words\n");
    EXPECT_EQ(read_tail(out, 3), "ds\n");
}

TEST_F(Child, CrashIsASignalNotOurEnd) {
    ChildProcess child{{"sh", "-c", "kill -SEGV $$"}, out, "/dev/null"};
    EXPECT_EQ(exit_of(child), 128 + SIGSEGV);
}

TEST_F(Child, CancelEndsItAndItsOwnChildren) {
    ChildProcess child{{"sh", "-c", "sleep 60 & sleep 60"}, out, "/dev/null"};
    EXPECT_FALSE(child.poll().has_value());
    child.cancel();
    EXPECT_EQ(exit_of(child), 128 + SIGTERM);
}

TEST_F(Child, OneThatDoesNotListenIsKilled) {
    ChildProcess child{{"sh", "-c", "trap '' TERM; echo up; while :; do sleep 0.05; done"}, out, "/dev/null"};
    ASSERT_TRUE(fake::turn_until([] {}, [&] { return !read_tail(out, 9).empty(); }));
    child.cancel();
    EXPECT_EQ(exit_of(child), 128 + SIGKILL);
}

TEST_F(Child, WhatIsNoProgramCannotBeStarted) {
    EXPECT_THROW((ChildProcess{{"/no/such/program"}, out, "/dev/null"}), UserError);
}

}  // namespace
}  // namespace ascendsim::gui
