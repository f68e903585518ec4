// SPDX-License-Identifier: Apache-2.0
#include "sim/process/interruption.hpp"

#include <csignal>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ascendsim::process {
namespace {

/// The signal that ended a child which does `work`; 0 if it ended by itself.
template <class Work>
int signal_of_child(Work work) {
    const pid_t child = fork();
    if (child == 0) {
        work();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST(Interruption, TheFirstSignalIsNotedAndTheSecondEnds) {
    EXPECT_EQ(signal_of_child([] {
                  const Interruption interruption;
                  std::raise(SIGINT);
                  if (!Interruption::came()) {
                      std::raise(SIGABRT);
                  }
              }),
              0);
    EXPECT_EQ(signal_of_child([] {
                  const Interruption interruption;
                  std::raise(SIGINT);
                  std::raise(SIGINT);
              }),
              SIGINT);
}

TEST(Interruption, EndsForksAtOnceAndNothingBehindIt) {
    const Interruption interruption;
    EXPECT_EQ(signal_of_child([] { std::raise(SIGINT); }), SIGINT);
    EXPECT_FALSE(Interruption::came());
}

}  // namespace
}  // namespace ascendsim::process
