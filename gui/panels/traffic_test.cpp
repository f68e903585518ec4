// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/traffic.hpp"

#include <cstdint>

#include <gtest/gtest.h>

#include "gui/document/traffic_series.hpp"
#include "gui/panels/testing/view_bench.hpp"

namespace ascendsim::gui {
namespace {

/// A recording that moves bytes along the first `routes` routes to and from global memory, one transfer each.
void write_routes(const std::filesystem::path& file, std::uint8_t routes) {
    record::Recorder recorder{file};
    recorder.metadata({{"title", "every route"}, {"mode", "timing"}, {"chip", round_chip()}});
    for (std::uint8_t route = 0; route < routes; ++route) {
        const std::string pipe{analysis::route_pipes.at(route)};
        const std::uint32_t lane =
            recorder.lane({{record::TrackKind::core, "aiv0"}, {record::TrackKind::pipe, pipe}});
        recorder.span(lane,
                      {.issue = 100,
                       .start = 100,
                       .end = 200,
                       .complete = 200,
                       .op = recorder.op("copy"),
                       .bytes = 4096,
                       .route = route,
                       .requests = 8,
                       .hbm_read_bytes = 4096});
    }
    recorder.finish({{"cycles", 300}});
}

std::unique_ptr<ViewBench> opened(const std::filesystem::path& file, int width, int height) {
    auto bench =
        std::make_unique<ViewBench>(panels_of_a_run({"parameters", "runs", "lessons"}), width, height);
    bench->open(file);
    bench->play("frames 3\n");
    return bench;
}

TEST(TrafficPanel, ManyRowsAreAllSeenWithoutScrolling) {
    const record::testing::TemporaryFile file;
    write_routes(file.path(), 8);
    for (const auto& [width, height] : {std::pair{1280, 720}, std::pair{1366, 768}, std::pair{2560, 1440}}) {
        const std::unique_ptr<ViewBench> bench = opened(file.path(), width, height);
        // The routes, HBM, and L2 in both directions.
        EXPECT_EQ(bench->host.value("traffic.rows"), 11) << width;
        EXPECT_EQ(bench->host.value("traffic.hidden"), 0) << width;
        EXPECT_GT(bench->host.anchor("panel/timeline")->height(),
                  bench->host.anchor("panel/traffic")->height());
    }
}

TEST(TrafficPanel, NamesAreWholeWhereverTheyStandBesideTheirFigures) {
    const record::testing::TemporaryFile file;
    write_routes(file.path(), static_cast<std::uint8_t>(analysis::route_pipes.size()));
    for (const auto& [width, height] : {std::pair{1280, 720}, std::pair{1920, 1080}, std::pair{2560, 1440}}) {
        const std::unique_ptr<ViewBench> bench = opened(file.path(), width, height);
        std::size_t named = 0;
        for (std::size_t curve = 0; curve < curve_count; ++curve) {
            const nlohmann::json cut = bench->host.value(fmt::format("traffic.row.{}.cut", curve));
            named += cut.is_boolean() ? 1U : 0U;
            EXPECT_NE(cut, nlohmann::json(true)) << curve_label(curve) << " at " << width;
        }
        EXPECT_GE(named, 9U) << width;
    }
}

// Seen beside a run of 600 cycles, this one of 300 moves what it moves in 300: 4096 bytes, from cycle 100 to
// 200.
TEST(TrafficPanel, AMeanRateEndsWithItsRun) {
    const record::testing::TemporaryFile file;
    write_routes(file.path(), 1);
    const record::Recording recording{file.path()};
    TrafficSums sums{recording.cycles()};
    for (const record::Lane& lane : recording.lanes()) {
        sums.add(lane);
    }
    const TrafficSeries series{std::move(sums), analysis::ChipNumbers{recording.metadata()}};
    EXPECT_NEAR(series.mean_rate(hbm_curve, 0, 300), 4096.0 / 300, 1e-9);
    EXPECT_NEAR(series.mean_rate(hbm_curve, 0, 600), 4096.0 / 300, 1e-9);
    EXPECT_NEAR(series.mean_rate(hbm_curve, 150, 600), 2048.0 / 150, 1e-9);
    EXPECT_EQ(series.mean_rate(hbm_curve, 400, 600), 0);
}

TEST(TrafficPanel, WhereTheWindowIsTooLowItScrolls) {
    const record::testing::TemporaryFile file;
    write_routes(file.path(), 8);
    const std::unique_ptr<ViewBench> bench = opened(file.path(), 1024, 480);
    EXPECT_GT(bench->host.value("traffic.hidden").get<double>(), 0);
}

TEST(TrafficPanel, AHeightTheUserChoseStays) {
    const record::testing::TemporaryFile file;
    write_routes(file.path(), 8);
    const std::unique_ptr<ViewBench> bench = opened(file.path(), 1280, 720);
    const float before = bench->host.anchor("panel/traffic")->height();
    bench->play("drag @splitter/lower:0.5,0.5 0 60\nframes 3\n");
    EXPECT_EQ(bench->host.anchor("panel/traffic")->height(), before - 60);
}

}  // namespace
}  // namespace ascendsim::gui
