// SPDX-License-Identifier: Apache-2.0
// A report is made from sums kept while recording; the recording itself must say the same.
#include "app/scenario/result.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "app/scenario/recorded_origin.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim::scenario {
namespace {

class RunFigures : public ::testing::Test {
protected:
    toolchain::Installation installation = toolchain::Installation::find();
    record::testing::TemporaryFile scenario{".toml"};
    record::testing::TemporaryFile recording{".rec"};

    RunResult run(const std::string& text) {
        std::ofstream{scenario.path()} << text;
        const ScenarioFile file{scenario.path().string(), installation, {}};
        runtime::SessionProgress progress;
        return execute(file, file.runs().front(), installation, recording.path(), progress);
    }

    static void expect_the_same(const RunResult& result) {
        ASSERT_EQ(result.error, "");
        const analysis::RunSummary& kept = result.summary;
        const analysis::RunSummary read = analysis::summarise(result.content());
        EXPECT_EQ(analysis::to_json(kept).dump(), analysis::to_json(read).dump());
        EXPECT_EQ(kept.main_pipe, read.main_pipe);
        ASSERT_EQ(kept.bubbles.size(), read.bubbles.size());
        for (std::size_t i = 0; i < kept.bubbles.size(); ++i) {
            EXPECT_EQ(kept.bubbles[i].reason, read.bubbles[i].reason) << i;
            EXPECT_EQ(kept.bubbles[i].cycles, read.bubbles[i].cycles) << i;
            EXPECT_EQ(kept.bubbles[i].top, read.bubbles[i].top) << i;
        }
        ASSERT_EQ(kept.lines.size(), read.lines.size());
        ASSERT_GT(kept.lines.size(), 10U);
        for (std::size_t i = 0; i < kept.lines.size(); ++i) {
            EXPECT_EQ(kept.lines[i].site, read.lines[i].site) << i;
            EXPECT_EQ(kept.lines[i].op, read.lines[i].op) << i;
            EXPECT_EQ(kept.lines[i].pipe, read.lines[i].pipe) << i;
            EXPECT_EQ(kept.lines[i].count, read.lines[i].count) << i;
            EXPECT_EQ(kept.lines[i].busy_cycles, read.lines[i].busy_cycles) << i;
            EXPECT_EQ(kept.lines[i].wait_cycles, read.lines[i].wait_cycles) << i;
        }
        for (const analysis::PipeUse& use : kept.pipes) {
            EXPECT_EQ(use.cycles.total(), use.lanes * (kept.to - kept.from)) << use.name;
        }
    }
};

// What made a recording is found again by name where there was no file, with what was set.
TEST_F(RunFigures, OfAShippedKernelNameItAsTheirOrigin) {
    const ScenarioFile file{"add",
                            installation,
                            {parse_override("kernel.shape=[64, 64]"), parse_override("scenario.chip=310p3")}};
    runtime::SessionProgress progress;
    const RunResult result = execute(file, file.runs().front(), installation, recording.path(), progress);
    ASSERT_EQ(result.error, "");
    const RecordedOrigin origin = recorded_origin(record::Recording{recording.path()});
    EXPECT_EQ(origin.file, "add");
    const ScenarioFile again{origin.file.string(), installation, origin.overrides};
    EXPECT_EQ(again.read(again.runs().front()).chip.spec.name, "310p3");
}

// Two operands and a result of 4096 half each.
TEST_F(RunFigures, SayWhatTheTensorsOfAKernelTakeOfTheDevice) {
    const RunResult result = run(R"([scenario]
kernel = "add"
chip = "910b3"

[kernel]
shape = [64, 64]
dtype = "float16"
)");
    ASSERT_EQ(result.error, "");
    EXPECT_EQ(result.json["memory"]["device_bytes"], 3 * 4096 * 2);
}

// Cube and vector cores in one launch, more spans than one chunk holds.
TEST_F(RunFigures, AreThoseOfTheRecordingForMixedCores) {
    const RunResult result = run(R"([scenario]
kernel = "flash_attention"
chip = "910b3"
mode = "timing"
)");
    expect_the_same(result);
    EXPECT_GT(result.content().span_count(), 20'000U);
}

// Several launches an execution, and a first one that does not count.
TEST_F(RunFigures, AreThoseOfTheRecordingWithoutWarmUp) {
    const RunResult result = run(R"([scenario]
kernel = "swiglu"
chip = "910b1"
mode = "timing"

[kernel]
schedule = "native"
shape = [2, 256, 512]
gate = [512, 1024]
up = [512, 1024]

[run]
warm_up = 1
repeat = 2
)");
    expect_the_same(result);
    EXPECT_GT(result.summary.from, 0U);
    EXPECT_EQ(result.summary.executions, 2U);
}

}  // namespace
}  // namespace ascendsim::scenario
