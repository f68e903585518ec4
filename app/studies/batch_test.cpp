// SPDX-License-Identifier: Apache-2.0
#include "app/studies/batch.hpp"

#include <cstddef>
#include <utility>

#include <gmock/gmock.h>

namespace ascendsim::study {
namespace {

// What is drawn of a progress is taken away at its end, which a stop is, too.
TEST(Batch, TellsItsEndWhenItIsStopped) {
    const toolchain::Installation installation = toolchain::Installation::find();
    const std::vector<BatchRun> runs(3, runs_of(scenario::ScenarioFile{"add", installation, {}}, 0).front());
    std::vector<std::pair<std::size_t, std::size_t>> told;
    const std::vector<BatchResult> results =
        run_batch(runs,
                  installation,
                  {.look = {},
                   .progress = [&](std::size_t done,
                                   std::size_t all,
                                   const std::string& /*label*/) { told.emplace_back(done, all); },
                   .stopped = [] { return true; }});
    EXPECT_THAT(told, testing::ElementsAre(std::pair<std::size_t, std::size_t>{3, 3}));
    for (const BatchResult& result : results) {
        EXPECT_TRUE(result.stopped);
    }
}

}  // namespace
}  // namespace ascendsim::study
