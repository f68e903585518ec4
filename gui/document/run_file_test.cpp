// SPDX-License-Identifier: Apache-2.0
#include "gui/document/run_file.hpp"

#include <chrono>
#include <fstream>

#include <gtest/gtest.h>

#include "gui/document/run_documents.hpp"
#include "sim/base/error.hpp"
#include "sim/record/recorder.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim::gui {
namespace {

void add_spans(record::Recorder& recorder, std::uint32_t lane, std::uint64_t from, std::uint64_t count) {
    for (std::uint64_t n = from; n < from + count; ++n) {
        record::Span span{.issue = n * 10, .start = n * 10, .end = n * 10 + 7, .complete = n * 10 + 7};
        span.op = recorder.op("vadd");
        recorder.span(lane, span);
    }
    recorder.flush();
}

/// Waits for what the worker does; a test that hangs fails by its time limit.
template <class Condition>
bool eventually(const Condition& condition) {
    for (int n = 0; n < 2000; ++n) {
        if (condition()) {
            return true;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
    return false;
}

TEST(RunFile, AGrowingRecordingIsFollowedToItsEnd) {
    const record::testing::TemporaryFile file;
    record::Recorder recorder{file.path()};
    const std::uint32_t lane = recorder.lane(record::TrackPath::parse("aiv0/vector"));
    add_spans(recorder, lane, 0, 100);
    RunFile run{file.path(), Loading::background};
    ASSERT_TRUE(eventually([&] { return run.latest() != nullptr && run.latest()->cycles() > 0; }));
    const std::shared_ptr<const gui::Run> early = run.latest();
    EXPECT_EQ(early->recording().span_count(), 100U);
    add_spans(recorder, lane, 100, 5000);
    ASSERT_TRUE(eventually([&] { return run.latest()->recording().span_count() == 5100U; }));
    EXPECT_EQ(early->recording().span_count(), 100U) << "what is shown must not change below the reader";
    recorder.finish({{"cycles", 60'000}});
    ASSERT_TRUE(eventually([&] { return run.latest()->recording().complete(); }));
    ASSERT_TRUE(eventually([&] { return run.latest()->analysis() != nullptr; }));
    EXPECT_EQ(run.latest()->cycles(), 60'000);
    EXPECT_TRUE(run.take_messages().empty());
}

TEST(RunFile, SaysWhatIsOpenedUntilThatIsThere) {
    const record::testing::TemporaryFile file;
    {
        record::Recorder recorder{file.path()};
        add_spans(recorder, recorder.lane(record::TrackPath::parse("aiv0/vector")), 0, 200'000);
        recorder.finish({{"cycles", 2'000'000}});
    }
    RunFile run{file.path(), Loading::background};
    const std::string said = run.opening();
    const bool there = said.empty();
    EXPECT_TRUE(there || said.starts_with("Opening " + file.path().filename().string() + ", ")) << said;
    ASSERT_TRUE(eventually([&] { return run.latest() != nullptr; }));
    EXPECT_EQ(run.opening(), "");
    EXPECT_EQ((RunFile{file.path(), Loading::at_once}.opening()), "");
}

TEST(RunFile, FiguresAreThereBeforeTheRestIsAskedFor) {
    const record::testing::TemporaryFile file;
    {
        record::Recorder recorder{file.path()};
        add_spans(recorder, recorder.lane(record::TrackPath::parse("aiv0/vector")), 0, 100);
        recorder.finish({{"cycles", 1'000}});
    }
    RunFile run{file.path(), Loading::background, analysis::Explained::figures};
    ASSERT_TRUE(eventually([&] { return run.latest() != nullptr && run.latest()->figures() != nullptr; }));
    EXPECT_EQ(run.latest()->figures()->summary.cycles, 1'000U);
    EXPECT_EQ(run.latest()->analysis(), nullptr) << "nobody has asked";
    run.explain_all();
    ASSERT_TRUE(eventually([&] { return run.latest()->analysis() != nullptr; }));
    EXPECT_FALSE(run.latest()->analysis()->verdict.empty());
}

TEST(RunFile, TheOtherRunIsExplainedBehindTheFirst) {
    const record::testing::TemporaryFile file;
    {
        record::Recorder recorder{file.path()};
        add_spans(recorder, recorder.lane(record::TrackPath::parse("aiv0/vector")), 0, 100);
        recorder.finish({{"cycles", 1'000}});
    }
    RunDocuments documents;
    documents.open(file.path().string());
    documents.open_b(file.path().string());
    const auto explained = [](const std::shared_ptr<const Document>& run) {
        return run != nullptr && as_run(run.get())->analysis() != nullptr;
    };
    ASSERT_TRUE(eventually([&] { return explained(documents.run_a()); }));
    EXPECT_TRUE(eventually([&] { return explained(documents.run_b()); })) << "before anybody swaps them";
}

TEST(RunFile, TheOtherRunIsExplainedOnceItIsSwappedIn) {
    const record::testing::TemporaryFile begins{"_begins.rec"};
    begins.write("");  // a run that has written nothing yet: there is nothing to explain
    const record::testing::TemporaryFile file;
    {
        record::Recorder recorder{file.path()};
        add_spans(recorder, recorder.lane(record::TrackPath::parse("aiv0/vector")), 0, 100);
        recorder.finish({{"cycles", 1'000}});
    }
    RunDocuments documents;
    documents.open(begins.path().string());
    documents.open_b(file.path().string());
    ASSERT_TRUE(eventually([&] {
        const std::shared_ptr<const Document> b = documents.run_b();
        return b != nullptr && as_run(b.get())->figures() != nullptr;
    }));
    EXPECT_EQ(as_run(documents.run_b().get())->analysis(), nullptr) << "A's comes first";
    documents.swap_runs();
    EXPECT_TRUE(eventually([&] { return as_run(documents.run_a().get())->analysis() != nullptr; }));
}

// Two recordings of the file are read in turn; both may be in use by views that still show older states.
TEST(RunFile, TheLastStateIsShownWhoeverHoldsOlderOnes) {
    const record::testing::TemporaryFile file;
    record::Recorder recorder{file.path()};
    const std::uint32_t lane = recorder.lane(record::TrackPath::parse("aiv0/vector"));
    add_spans(recorder, lane, 0, 100);
    RunFile run{file.path(), Loading::at_once};
    const std::shared_ptr<const gui::Run> first = run.latest();
    add_spans(recorder, lane, 100, 100);
    ASSERT_TRUE(eventually([&] { return run.latest()->recording().span_count() == 200U; }));
    const std::shared_ptr<const gui::Run> second = run.latest();
    add_spans(recorder, lane, 200, 100);
    recorder.finish({{"cycles", 4'000}});
    run.hurry();
    EXPECT_FALSE(run.settled());
    EXPECT_EQ(run.latest()->recording().span_count(), 300U);
    EXPECT_TRUE(run.latest()->recording().complete());
    EXPECT_TRUE(run.settled());
    EXPECT_EQ(first->recording().span_count(), 100U);
    EXPECT_EQ(second->recording().span_count(), 200U);
}

TEST(RunFile, AnInterruptedRecordingSettlesAtItsEnd) {
    const record::testing::TemporaryFile file;
    {
        record::Recorder recorder{file.path()};
        add_spans(recorder, recorder.lane(record::TrackPath::parse("aiv0/vector")), 0, 3000);
    }
    RunFile run{file.path(), Loading::background};
    run.hurry();
    ASSERT_TRUE(eventually([&] { return run.settled(); }));
    EXPECT_EQ(run.latest()->recording().span_count(), 3000U);
    EXPECT_FALSE(run.latest()->recording().complete());
}

TEST(RunFile, WhatIsNoRecordingIsRefusedAtOnce) {
    const record::testing::TemporaryFile file;
    file.write("not a recording at all");
    RunDocuments documents;
    EXPECT_THROW(documents.open(file.path().string()), UserError);
    EXPECT_THROW(documents.open("/no/such/file.rec"), UserError);
    EXPECT_EQ(documents.run_a(), nullptr);
}

TEST(RunFile, DamageIsReportedAndWhatCameBeforeIsKept) {
    const record::testing::TemporaryFile file;
    {
        record::Recorder recorder{file.path()};
        const std::uint32_t lane = recorder.lane(record::TrackPath::parse("aiv0/vector"));
        add_spans(recorder, lane, 0, 50);
    }
    RunFile run{file.path(), Loading::background};
    ASSERT_TRUE(eventually([&] { return run.latest() != nullptr; }));
    std::ofstream{file.path(), std::ios::app | std::ios::binary}
        << std::string("\1\0\0\0\4\0\0\0checksumbody", 20);
    std::vector<std::string> messages;
    ASSERT_TRUE(eventually([&] {
        messages = run.take_messages();
        return !messages.empty();
    }));
    EXPECT_NE(messages.front().find("damaged"), std::string::npos) << messages.front();
    EXPECT_EQ(run.latest()->recording().span_count(), 50U);
}

}  // namespace
}  // namespace ascendsim::gui
