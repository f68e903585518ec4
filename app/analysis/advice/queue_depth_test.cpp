// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/advice/queue_depth.hpp"

#include <gtest/gtest.h>

#include "app/analysis/testing/small_run.hpp"

namespace ascendsim::analysis {

namespace {

using testing::SmallRun;

// Two queues of mte2, at lines 10 and 11, with as many buffers.
record::Recording queues(SmallRun& run, std::uint32_t first, std::uint32_t second) {
    run.lane("aiv0", "mte2");
    for (const auto& [line, depth] : {std::pair{10U, first}, {11U, second}}) {
        for (std::uint32_t i = 0; i < depth; ++i) {
            run.recorder().buffer({.core_index = 0,
                                   .memory = 1,
                                   .offset = line * 4096 + i * 512,
                                   .bytes = 512,
                                   .from = 10,
                                   .to = 20,
                                   .site = run.recorder().site("kernel.cpp", line),
                                   .label = "VECIN, mte2"});
        }
    }
    return run.finish(100);
}

TEST(HasDoubleBuffers, WantsTwoOfEveryQueue) {
    SmallRun both;
    EXPECT_TRUE(QueueDepths{queues(both, 2, 3)}.has_double_buffers("mte2"));
    SmallRun one;
    EXPECT_FALSE(QueueDepths{queues(one, 2, 1)}.has_double_buffers("mte2"));
}

TEST(HasDoubleBuffers, OfWhatIsNotToldSaysNo) {
    SmallRun run;
    const record::Recording recording = queues(run, 2, 2);
    EXPECT_FALSE(QueueDepths{recording}.has_double_buffers("mte3"));
}

}  // namespace

}  // namespace ascendsim::analysis
