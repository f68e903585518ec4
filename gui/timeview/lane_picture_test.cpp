// SPDX-License-Identifier: Apache-2.0
#include "gui/timeview/lane_picture.hpp"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/canvas/text_canvas.hpp"
#include "gui/shell/testing.hpp"
#include "sim/record/recorder.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim::gui {
namespace {

using record::Reason;
using ::testing::IsEmpty;

/// A lane that works for `busy` of every 100 cycles and waits for data in the others.
class DenseWaits : public ::testing::Test {
protected:
    gui::Run run_with(std::uint64_t busy) {
        record::Recorder recorder{file_.path()};
        const std::uint32_t lane = recorder.lane(record::TrackPath::parse("aiv0/vector"));
        for (std::uint64_t n = 0; n < periods; ++n) {
            const std::uint64_t start = 100 * n;
            recorder.span(lane,
                          {.issue = start, .start = start, .end = start + busy, .complete = start + busy});
            recorder.span(lane,
                          {.issue = start + busy,
                           .start = start + busy,
                           .end = start + 100,
                           .complete = start + 100,
                           .reason = Reason::flag_data});
        }
        recorder.finish({{"cycles", 100 * periods}});
        return gui::Run{
            std::make_shared<const RunData>(std::make_shared<const record::Recording>(file_.path())),
            nullptr,
            true};
    }

    /// Draws the whole run into 200 pixels: two periods a pixel.
    void draw(const gui::Run& run) {
        const TimeAxis axis{{0, run.cycles()}, 0, 200};
        ASSERT_TRUE(is_dense(run, 0, axis));
        draw_lane(canvas, run, 0, axis, {0, 0, 200, 40}, style);
    }

    static constexpr std::uint64_t periods = 400;

    record::testing::TemporaryFile file_;
    TestBench bench_;
    bool settled_ = (bench_.host.settle(), true);
    TextCanvas canvas{bench_.host.shell().fonts()};
    LaneStyle style{.theme = &theme(ThemeName::dark)};
};

TEST_F(DenseWaits, HaveTheHatchAndTheLetterOfTheirCause) {
    draw(run_with(20));
    EXPECT_EQ(canvas.counts().hatches, 1U) << "columns of one height are one box";
    ASSERT_EQ(canvas.words().size(), 1U);
    EXPECT_EQ(canvas.words()[0].text, "D");
    // Four fifths of 40 pixels, from above.
    EXPECT_LE(canvas.words()[0].box.bottom, 32);
}

/// The lane stops in the middle; whether it has nothing left to do is known of a whole recording alone.
TEST(LanePicture, LeavesOutWhatIsNotRecordedYet) {
    TestBench bench;
    bench.host.settle();
    for (const std::uint64_t periods : {3U, 400U}) {  // drawn one by one, and as shares
        for (const bool complete : {false, true}) {
            const record::testing::TemporaryFile file;
            record::Recorder recorder{file.path()};
            const std::uint32_t lane = recorder.lane(record::TrackPath::parse("aiv0/vector"));
            const std::uint32_t longer = recorder.lane(record::TrackPath::parse("aiv0/mte2"));
            for (std::uint64_t start = 0; start < 100 * periods; start += 50) {
                recorder.span(lane,
                              {.issue = start, .start = start, .end = start + 50, .complete = start + 50});
            }
            recorder.span(longer, {.end = 200 * periods, .complete = 200 * periods});
            complete ? recorder.finish({{"cycles", 200 * periods}}) : recorder.flush();
            const gui::Run run{
                std::make_shared<const RunData>(std::make_shared<const record::Recording>(file.path())),
                nullptr,
                true};
            ASSERT_EQ(run.recording().complete(), complete);
            TextCanvas canvas{bench.host.shell().fonts()};
            const TimeAxis axis{{0, run.cycles()}, 0, 200};
            ASSERT_EQ(is_dense(run, lane, axis), periods == 400);
            draw_lane(canvas, run, lane, axis, {0, 0, 200, 40}, {.theme = &theme(ThemeName::dark)});
            EXPECT_EQ(canvas.counts().hatches, complete ? 1U : 0U) << periods;
        }
    }
}

TEST_F(DenseWaits, HaveTheHatchAloneWhereNoLetterFits) {
    draw(run_with(85));  // 6 pixels of 40
    EXPECT_EQ(canvas.counts().hatches, 1U);
    EXPECT_THAT(canvas.words(), IsEmpty());
}

TEST_F(DenseWaits, StepBackBehindACauseThatIsLookedFor) {
    style.cause = Reason::flag_buffer;
    draw(run_with(20));
    EXPECT_EQ(canvas.counts().hatches, 0U);
    EXPECT_THAT(canvas.words(), IsEmpty());
}

}  // namespace
}  // namespace ascendsim::gui
