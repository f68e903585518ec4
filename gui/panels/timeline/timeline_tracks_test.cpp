// SPDX-License-Identifier: Apache-2.0
// Recordings hold more than cores: threads of a host, streams, links, power.
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gui/document/run_file.hpp"
#include "gui/panels/testing/view_bench.hpp"

namespace ascendsim::gui {
namespace {

/// A tiled run with tracks outside of cores, two of them on the same host; `extra` adds one more.
void record_tracks(const std::filesystem::path& file, bool extra = false) {
    TiledRun run{file, 2, 6, 2};
    record::Recorder& recorder = run.recorder();
    const std::uint32_t op = recorder.op("elsewhere");
    const std::uint32_t site = recorder.site("host.cpp", 3);
    for (const char* const text :
         {"power", "host/thread1", "host/thread0", "device0/stream2", "link:pcie0", "rack:4"}) {
        const std::uint32_t lane = recorder.lane(record::TrackPath::parse(text));
        recorder.span(lane,
                      {.start = 100,
                       .end = 500,
                       .complete = 500,
                       .op = op,
                       .site = site,
                       .bytes = 4096,
                       .route = 0,
                       .hbm_read_bytes = 4096});
    }
    if (extra) {
        const std::uint32_t lane = recorder.lane(record::TrackPath::parse("host/thread2"));
        recorder.span(lane, {.start = 0, .end = 50, .complete = 50, .op = op});
    }
    run.finish();
}

TEST(OtherTracks, AreRowsOfTheirOwnBehindTheCores) {
    const record::testing::TemporaryFile file;
    record_tracks(file.path());
    ViewBench bench{panels_of_a_run({"parameters", "runs", "lessons"}), 1600, 1200};
    bench.open(file.path());
    bench.play("command timeline.unfold_all\nframes 3\n");
    float top = bench.host.anchor("timeline/aiv1/mte3").value().top;
    for (const std::string_view name : {"device0/stream2",
                                        "host/thread0",
                                        "host/thread1",
                                        "links/link:pcie0",
                                        "power/power",
                                        "rack:4/rack:4"}) {
        const auto box = bench.host.anchor(fmt::format("timeline/{}", name));
        ASSERT_TRUE(box.has_value()) << name;
        EXPECT_GT(box->top, top) << name;
        top = box->top;
    }
    bench.play(
        "click @timeline/host/thread0/0\nframes 3\n"
        "expect inspector.lane == \"host/thread0\"\n"
        "expect inspector.cycles == 400\n"
        "click @timeline/head/host\nframes 3\n");
    EXPECT_FALSE(bench.host.anchor("timeline/host/thread0").has_value()) << "folded";
    EXPECT_TRUE(bench.host.anchor("timeline/power/power").has_value());
}

TEST(OtherTracks, AreStoodByEveryViewAndFigure) {
    const record::testing::TemporaryFile file;
    const record::testing::TemporaryFile other{".b"};
    const record::testing::TemporaryFile cores{".cores"};
    record_tracks(file.path());
    record_tracks(other.path(), true);
    TiledRun{cores.path(), 2, 6, 2}.finish();
    ViewBench bench{panels_of_a_run({"parameters", "runs", "lessons"}), 1600, 1200};
    bench.open(file.path());
    bench.play("command timeline.unfold_all\nframes 3\nclick @timeline/links/link:pcie0/0\nframes 3\n");
    bench.open_b(other.path());
    EXPECT_TRUE(bench.host.anchor("timeline/host/thread2/b").has_value());
    for (const std::unique_ptr<Panel>& panel : panels_of_a_run({"parameters", "runs", "lessons"})) {
        bench.play(fmt::format("command panel.show_{}\nframes 3\n", panel->info().name));
    }
    const auto bytes = [](const std::filesystem::path& path) {
        const RunData data{std::make_shared<record::Recording>(path)};
        return data.traffic.bytes(hbm_curve, 0, 1e9);
    };
    EXPECT_EQ(bytes(file.path()), bytes(cores.path()));
}

}  // namespace
}  // namespace ascendsim::gui
