// SPDX-License-Identifier: Apache-2.0
// Random events on the views, of recordings and of runs in the making; runs under the sanitizers too
// (tests/gui).
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "gui/document/testing/networks.hpp"
#include "gui/panels/testing/run_bench.hpp"
#include "gui/panels/testing/view_bench.hpp"
#include "gui/shell/random_user.hpp"

namespace ascendsim::gui {
namespace {

void expect_sane(Headless& host) {
    const TimeRange seen = host.shell().view().visible();
    ASSERT_TRUE(seen.begin >= 0 && seen.length() >= shortest_window * 0.999);
}

TEST(Fuzz, RandomEventsLeaveTheViewsOfEmptySmallAndLargeRunsSane) {
    constexpr unsigned seed = 20261122;
    RandomUser user{seed};
    std::vector<std::unique_ptr<record::testing::TemporaryFile>> files;
    for (const auto& [cores, tiles] : {std::pair<std::uint32_t, std::uint64_t>{0, 0}, {3, 12}, {8, 3000}}) {
        files.push_back(std::make_unique<record::testing::TemporaryFile>(std::to_string(tiles) + ".rec"));
        TiledRun{files.back()->path(), cores, tiles, 2, true}.finish();
    }
    files.push_back(std::make_unique<record::testing::TemporaryFile>("network.rec"));
    record_network(files.back()->path(), layered_network(20));
    const auto any_file = [&] { return files[static_cast<std::size_t>(user.number(0, 3))]->path().string(); };
    ViewBench bench{panels_of_a_run({"parameters", "runs", "lessons"})};
    bench.open(files[1]->path());
    for (int frame = 0; frame < 1500; ++frame) {
        user.act(bench.host);
        if (user.once_in(150)) {
            bench.host.open(any_file());
        }
        if (user.once_in(150)) {
            bench.documents.open_b(any_file());
            bench.host.shell().view().compare = user.once_in(2);
        }
        bench.host.frame();
        ASSERT_NO_FATAL_FAILURE(expect_sane(bench.host)) << "seed " << seed << ", frame " << frame;
    }
}

TEST(Fuzz, RandomEventsLeaveTheViewsOfRunsInTheMakingSane) {
    constexpr unsigned seed = 20261121;
    RandomUser user{seed};
    RunBench bench{{}, 1280, 720};
    bench.open(bench.simulator.scenario_file("lesson"));
    for (int frame = 0; frame < 700; ++frame) {
        user.act(bench.host());
        if (user.once_in(100)) {
            const std::array<const char*, 4> scenarios{"lesson", "add", "crash", "wrong"};
            bench.host().open(
                bench.simulator.scenario_file(scenarios[static_cast<std::size_t>(user.number(0, 3))]));
        }
        bench.host().frame();
        ASSERT_NO_FATAL_FAILURE(expect_sane(bench.host())) << "seed " << seed << ", frame " << frame;
        ASSERT_LE(bench.host().shell().value("runs.b"), bench.host().shell().value("runs.count"))
            << "seed " << seed << ", frame " << frame;
    }
    bench.settle();
}

}  // namespace
}  // namespace ascendsim::gui
