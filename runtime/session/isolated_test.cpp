// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/isolated.hpp"

#include <array>
#include <csignal>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ascendsim::runtime {
namespace {

// A study forks a simulation, which says that it runs and never ends; the test kills the study. That the
// other end of the pipe is closed then tells that the simulation is gone too.
TEST(Isolated, EndsWithWhoeverWaitsForIt) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    const pid_t study = fork();
    if (study == 0) {
        close(ends[0]);
        static_cast<void>(run_isolated([&]() -> nlohmann::ordered_json {
            static_cast<void>(write(ends[1], "r", 1));
            while (true) {
                pause();
            }
        }));
        _exit(0);
    }
    close(ends[1]);
    char byte = 0;
    ASSERT_EQ(read(ends[0], &byte, 1), 1);
    ASSERT_EQ(kill(study, SIGKILL), 0);
    waitpid(study, nullptr, 0);
    pollfd end{.fd = ends[0], .events = POLLIN, .revents = 0};
    constexpr int most_ms = 20'000;
    ASSERT_EQ(poll(&end, 1, most_ms), 1) << "the simulation runs on";
    EXPECT_EQ(read(ends[0], &byte, 1), 0);
    close(ends[0]);
}

// What a kernel forks must not run on when its run is over. That the other end of the pipe is closed tells
// that it does not.
TEST(Isolated, EndsWhatItsWorkHasForked) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    const IsolatedResult result = run_isolated([&]() -> nlohmann::ordered_json {
        if (fork() == 0) {
            while (true) {
                pause();
            }
        }
        return 7;
    });
    EXPECT_EQ(result.value, 7);
    close(ends[1]);
    pollfd end{.fd = ends[0], .events = POLLIN, .revents = 0};
    constexpr int most_ms = 20'000;
    ASSERT_EQ(poll(&end, 1, most_ms), 1) << "what it forked runs on";
    char byte = 0;
    EXPECT_EQ(read(ends[0], &byte, 1), 0);
    close(ends[0]);
}

TEST(Isolated, TellsTheSignalThatEndedIt) {
    const IsolatedResult result = run_isolated([]() -> nlohmann::ordered_json {
        std::raise(SIGTERM);
        return {};
    });
    EXPECT_EQ(result.exit, 3);
    EXPECT_EQ(result.signal, SIGTERM);
}

TEST(Isolated, WhatIsHeldBackComesWithTheResult) {
    const auto work = []() -> nlohmann::ordered_json {
        std::fputs("told\n", stdout);
        std::fflush(stdout);
        std::fputs("warned\n", stderr);
        return 7;
    };
    ::testing::internal::CaptureStdout();
    const IsolatedResult result = run_isolated(work, {.silent = true});
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(result.value, 7);
    EXPECT_NE(result.printed.find("told\n"), std::string::npos);
    EXPECT_NE(result.printed.find("warned\n"), std::string::npos);
}

TEST(Isolated, WhatTakesTooLongIsEnded) {
    const IsolatedResult result = run_isolated(
        []() -> nlohmann::ordered_json {
            while (true) {
                pause();
            }
        },
        {.time = std::chrono::seconds{1}});
    EXPECT_EQ(result.exit, 3);
    EXPECT_NE(result.error.find("longer than 1 s"), std::string::npos) << result.error;
}

TEST(Isolated, WhatTakesTooMuchMemoryIsEnded) {
    constexpr std::uint64_t mib = 1U << 20U;
    const IsolatedResult result = run_isolated(
        []() -> nlohmann::ordered_json {
            std::vector<std::vector<char>> taken;
            while (true) {
                taken.emplace_back(std::size_t{1} << 20U, 'x');
                usleep(100);
            }
        },
        {.memory = 300 * mib});
    EXPECT_EQ(result.exit, 3);
    EXPECT_NE(result.error.find("more than 300 MiB of memory"), std::string::npos) << result.error;
}

TEST(Isolated, AnAnswerThatIsNotOursDoesNotCount) {
    const IsolatedResult result = run_isolated([]() -> nlohmann::ordered_json {
        const std::string forged = R"({"exit":0,"error":"","value":"forged"})";
        for (int file = 3; file < 64; ++file) {
            static_cast<void>(write(file, forged.data(), forged.size()) == 0);
        }
        _exit(0);
    });
    EXPECT_EQ(result.exit, 3);
    EXPECT_NE(result.value, "forged");
    EXPECT_NE(result.error.find("which does not count"), std::string::npos) << result.error;
}

TEST(Isolated, WaitingForACompilationIsNoLoopOfTheKernel) {
    const IsolatedResult result = run_isolated(
        []() -> nlohmann::ordered_json {
            const std::string place = ::testing::TempDir() + "key.lock";  // as MakerLock calls it
            const int file = open(place.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
            sleep(600);
            return file;
        },
        {.time = std::chrono::seconds{1}});
    EXPECT_EQ(result.exit, 2);
    EXPECT_NE(result.error.find("while its sources were compiled"), std::string::npos) << result.error;
}

TEST(Isolated, StoppingEndsWhatRuns) {
    const std::function<nlohmann::ordered_json()> sleeps = []() -> nlohmann::ordered_json {
        std::signal(SIGTERM, SIG_IGN);
        for (unsigned left = 600; left > 0;) {
            left = sleep(left);
        }
        return 1;
    };
    bool stopped = false;
    const std::vector<IsolatedResult> results = run_isolated(
        {[]() -> nlohmann::ordered_json { return 7; }, sleeps, sleeps},
        2,
        [&](std::size_t /*number*/) { stopped = true; },
        {},
        [&] { return stopped; });
    EXPECT_EQ(results[0].value, 7);
    EXPECT_EQ(results[1].error, "not run");
    EXPECT_EQ(results[2].error, "not run");
}

TEST(Isolated, AnEndBeforeTheResultIsNoResult) {
    const IsolatedResult result = run_isolated([]() -> nlohmann::ordered_json { _exit(0); });
    EXPECT_EQ(result.exit, 3);
    EXPECT_NE(result.error.find("with exit code 0, before there was a result"), std::string::npos)
        << result.error;
}

}  // namespace
}  // namespace ascendsim::runtime
