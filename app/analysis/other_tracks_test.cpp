// SPDX-License-Identifier: Apache-2.0
// Recordings hold more than cores: threads of a host, streams, links, power. Analysis is of the cores.
#include <gtest/gtest.h>

#include "app/analysis/advice/explain.hpp"
#include "app/analysis/comparison/changed_region.hpp"
#include "app/analysis/comparison/compare.hpp"
#include "app/analysis/core_use.hpp"
#include "app/analysis/recorded_sums.hpp"
#include "app/analysis/run_summary.hpp"
#include "app/analysis/testing/small_run.hpp"

namespace ascendsim::analysis {

namespace {

using record::Reason;
using testing::SmallRun;

enum class Others : std::uint8_t { none, before, behind };

/// Two vector cores that load, compute and store; the second is twice as slow.
record::Recording two_vector_cores(SmallRun& run, Others others) {
    run.recorder().metadata({{"scenario", "small"}, {"mode", "timing"}, {"chip", SmallRun::chip()}});
    if (others == Others::before) {
        run.other_tracks(400);
    }
    for (std::uint32_t core = 0; core < 2; ++core) {
        const std::string name = "aiv" + std::to_string(core);
        const std::uint32_t scalar = run.lane(name, "scalar", core);
        const std::uint32_t load = run.lane(name, "mte2", core);
        const std::uint32_t vector = run.lane(name, "vector", core);
        const std::uint64_t end = 100 * (core + 1);
        run.busy(scalar, 10, 10, 20, "scalar", 3);
        const record::SpanId copy = run.add(load,
                                            {.issue = 20,
                                             .start = 20,
                                             .end = end,
                                             .memory = 1,
                                             .bytes = 4096,
                                             .route = 0,
                                             .limiter = record::Limiter::port,
                                             .requests = 8,
                                             .hbm_read_bytes = 4096},
                                            "copy",
                                            5);
        run.wait(vector, 20, end, Reason::flag_data, copy);
        run.add(vector, {.issue = 20, .start = end, .end = end + 50, .work = 2048}, "vadd", 6);
    }
    if (others == Others::behind) {
        run.other_tracks(400);
    }
    return run.finish(400);
}

TEST(OtherTracks, ChangeNoFigure) {
    SmallRun alone;
    const record::Recording cores = two_vector_cores(alone, Others::none);
    const std::string summary = to_json(summarise(cores)).dump(2);
    const std::string explanation = to_json(explain(cores), cores).dump(2);
    for (const Others others : {Others::before, Others::behind}) {
        SmallRun among;
        const record::Recording all = two_vector_cores(among, others);
        EXPECT_EQ(to_json(summarise(all)).dump(2), summary);
        RunSummary of_sums = summarise(all, among.recorder().take_sums());
        note_active(of_sums, active_cycles_of(all, 0));
        EXPECT_EQ(to_json(of_sums).dump(2), summary);
        EXPECT_EQ(to_json(explain(all), all).dump(2), explanation);
        const std::vector<CoreUse> used = cores_of(all, 0, 400);
        ASSERT_EQ(used.size(), 2U);
        EXPECT_EQ(used[1].name, "aiv1");
        EXPECT_EQ(used[1].group, 1U);
    }
}

TEST(OtherTracks, AreNotWhatTwoRunsAreComparedBy) {
    SmallRun a;
    SmallRun b;
    const record::Recording one = two_vector_cores(a, Others::none);
    const record::Recording two = two_vector_cores(b, Others::before);
    EXPECT_FALSE(first_divergence(one, two).has_value());
    EXPECT_FALSE(first_divergence(two, one).has_value());
    EXPECT_FALSE(changed_region(one, two).has_value());
}

// A core may wait for a link: the chain of causes goes on there and says so.
TEST(OtherTracks, AreNamedWhereACoreWaitedForThem) {
    SmallRun run;
    run.recorder().metadata({{"chip", SmallRun::chip()}});
    const std::uint32_t link = run.recorder().lane(record::TrackPath::parse("link:pcie0"));
    const std::uint32_t scalar = run.lane("aiv0", "scalar");
    const std::uint32_t vector = run.lane("aiv0", "vector");
    const record::SpanId sent = run.add(link, {.start = 10, .end = 300, .bytes = 64}, "send", 7);
    run.busy(scalar, 10, 10, 20);
    run.wait(vector, 20, 300, Reason::flag_data, sent);
    run.add(vector, {.issue = 20, .start = 300, .end = 310, .work = 64}, "vadd", 6);
    const record::Recording recording = run.finish(310);

    const CriticalPath path = critical_path(recording, 0, 310);
    EXPECT_EQ(path[PathKind::transfer], 290U);
    ASSERT_FALSE(path.roots.empty());
    EXPECT_EQ(path.roots.front().pipe, "link:pcie0");
    const RunSummary summary = summarise(recording);
    ASSERT_FALSE(summary.bubbles.empty());
    EXPECT_EQ(summary.bubbles.front().top.pipe, "link:pcie0");
}

}  // namespace

}  // namespace ascendsim::analysis
