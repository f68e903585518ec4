// SPDX-License-Identifier: Apache-2.0
#include "sim/record/recorder.hpp"

#include <csignal>

#include <gmock/gmock.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/error.hpp"
#include "sim/record/format.hpp"
#include "sim/record/recording.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim::record {

namespace {

using testing::TemporaryFile;

// What the crash handler of a run does, on the recorder of a process that dies within a kernel.
TEST(Recorder, FlushInASignalHandlerKeepsEverything) {
    static Recorder* crashing = nullptr;
    const TemporaryFile file;
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        Recorder recorder{file.path()};
        crashing = &recorder;
        recorder.lane(TrackPath::parse("aiv0/vector"));
        for (std::uint64_t i = 0; i < 10'000; ++i) {
            recorder.span(0, {.start = i, .end = i + 1, .complete = i + 1, .op = recorder.op("vadd")});
        }
        std::signal(SIGSEGV, [](int) {
            crashing->flush();
            ::_exit(3);
        });
        std::raise(SIGSEGV);
        ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 3);

    const Recording recording{file.path()};
    EXPECT_EQ(recording.span_count(), 10'000U);
    EXPECT_EQ(recording.name(recording.lane(0).op[9'999]), "vadd");
    EXPECT_FALSE(recording.complete());
}

// The signal may come at any instruction of span(), in the middle of a row or of a chunk's encoding.
TEST(Recorder, AProcessThatDiesAnywhereLeavesWholeRows) {
    static Recorder* dying = nullptr;
    const TemporaryFile file;
    constexpr std::uint64_t settled = 2 * chunk_rows + 100;  // spans before anything goes wrong
    for (int round = 0; round < 40; ++round) {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            Recorder recorder{file.path()};
            dying = &recorder;
            recorder.lane(TrackPath::parse("aiv0/vector"));
            const auto append = [&](std::uint64_t i) {
                recorder.span(0,
                              {.start = i * 3,
                               .end = i * 3 + 2,
                               .complete = i * 3 + 2,
                               .culprit = {0, i},
                               .route = 1,
                               .gm_offset = i});
            };
            std::uint64_t count = 0;
            while (count < settled) {
                append(count++);
            }
            std::signal(SIGALRM, [](int) {
                dying->flush();
                ::_exit(0);
            });
            const itimerval once{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = 100 + round * 37}};
            ::setitimer(ITIMER_REAL, &once, nullptr);
            for (;;) {
                append(count++);
            }
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        const Recording recording{file.path()};
        EXPECT_GE(recording.span_count(), 2 * chunk_rows);  // the signal may hit the third chunk's encoding
        for (std::uint64_t i = 0; i < recording.span_count(); ++i) {
            const Span span = recording.span({0, i});
            ASSERT_EQ(span.start, i * 3) << round;
            ASSERT_EQ(span.culprit.index, i) << round;
            ASSERT_EQ(span.gm_offset, i) << round;
        }
    }
}

TEST(Recorder, WithoutAFileOnlyCounts) {
    Recorder recorder{{}};
    recorder.lane(TrackPath::parse("aiv0/vector"));
    for (std::uint64_t i = 0; i < 10'000; ++i) {
        EXPECT_EQ(recorder.span(0, {.start = i, .end = i + 1}), i);
    }
    EXPECT_EQ(recorder.spans(0), 10'000U);
    recorder.finish({});
}

TEST(Recorder, SaysWhyItCannotWrite) {
    EXPECT_THROW(Recorder{"/nowhere/at/all.rec"}, UserError);
    Recorder recorder{"/dev/full"};
    recorder.lane(TrackPath::parse("aiv0/vector"));
    EXPECT_THAT([&] { recorder.finish({}); },
                ::testing::ThrowsMessage<UserError>(::testing::HasSubstr("No space left")));
}

}  // namespace

}  // namespace ascendsim::record
