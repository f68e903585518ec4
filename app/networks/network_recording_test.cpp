// SPDX-License-Identifier: Apache-2.0
#include "app/networks/network_recording.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/analysis/advice/explain.hpp"
#include "app/analysis/testing/small_run.hpp"
#include "app/networks/joined_cores.hpp"
#include "models/spec/chip_file.hpp"
#include "sim/record/occupancy.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::report {
namespace {

using analysis::testing::SmallRun;
using record::Reason;
using testing::ElementsAre;

TEST(LaunchesToRecord, EachKernelOnceAndThenRepeatsWhileThereIsRoom) {
    EXPECT_THAT(launches_to_record({0, 0, 1, 0}, {10, 10, 20, 10}, 100), ElementsAre(true, true, true, true));
    EXPECT_THAT(launches_to_record({0, 0, 1, 0}, {10, 10, 20, 10}, 45), ElementsAre(true, true, true, false));
    EXPECT_THAT(launches_to_record({0, 0, 1, 0}, {10, 10, 20, 10}, 30),
                ElementsAre(true, false, true, false));
    EXPECT_THAT(launches_to_record({0, 1}, {50, 20}, 30), ElementsAre(false, true)) << "one is too large";
}

/// A kernel of one core: the vector unit works in [20, 60) and waits for data before; it ends at 100.
record::Recording add_kernel(SmallRun& run) {
    const auto scalar = run.lane("aiv0", "scalar");
    const auto vector = run.lane("aiv0", "vector");
    const auto mte2 = run.lane("aiv0", "mte2");
    run.busy(scalar, 10, 10, 15, "scalar");
    const auto load = run.busy(mte2, 12, 12, 20, "copy_gm_to_ubuf");
    run.wait(vector, 15, 20, Reason::flag_data, load);
    run.busy(vector, 14, 20, 60, "vadd", 7);
    return run.finish(100);
}

TEST(JoinedCores, GiveEachCycleOfEachLaunchItsReason) {
    SmallRun kernel;
    const record::Recording one = add_kernel(kernel);
    const record::testing::TemporaryFile file{".joined"};
    {
        record::Recorder recorder{file.path()};
        JoinedCores cores{recorder};
        cores.leave_out(50);
        cores.copy(one, 50, 150);
        cores.leave_out(250);
        cores.copy(one, 250, 350);
        EXPECT_EQ(cores.count(), 1U);
        recorder.finish({{"cycles", 350}});
    }
    const record::Recording joined{file.path()};
    ASSERT_EQ(joined.lanes().size(), 3U);
    const record::Lane& vector = joined.lane(1);
    const record::Occupancy cycles = record::occupancy(joined, 1);
    EXPECT_EQ(cycles.total(), 350U);
    EXPECT_EQ(cycles.busy(), 2U * 40);
    EXPECT_EQ(cycles[Reason::flag_data], 2U * 5);
    EXPECT_EQ(cycles[Reason::tail], 2U * 40);
    EXPECT_EQ(cycles[Reason::launch], 2U * 10) << "before the core's first instruction";
    EXPECT_EQ(cycles[Reason::issue], 2U * 5);
    EXPECT_EQ(cycles[Reason::unused], 50U + 100) << "the launches that are not recorded";
    std::size_t waits = 0;
    for (std::size_t i = 0; i < vector.size(); ++i) {
        if (vector.reason[i] == Reason::flag_data) {
            const record::Span load = joined.span(vector.culprit(i));
            EXPECT_EQ(joined.name(load.op), "copy_gm_to_ubuf");
            EXPECT_EQ(load.end, vector.end[i]) << "that of its own launch";
            ++waits;
        }
    }
    EXPECT_EQ(waits, 2U);
}

TEST(NetworkRecording, HasOperatorsKernelsAndPipes) {
    const toolchain::Installation installation = toolchain::Installation::find();
    const ChipSpec chip = load_chip("910b3", installation.chips());  // 1.8 GHz
    SmallRun kernel;
    static_cast<void>(add_kernel(kernel));
    const record::testing::TemporaryFile single{".single"};
    NetworkRun run{.name = "net", .chip = "910b3", .plan = {}, .results = {}, .memory = {}};
    run.plan.nodes = {{.name = "fc", .op = "Gemm", .tasks = {{"matmul", {}}, {"add", {}}}},
                      {.name = "view", .op = "Reshape"},
                      {.name = "act", .op = "Relu", .tasks = {{"relu", {}}}}};
    run.results = {{.time_us = 1, .core_us = 0.5, .head_us = 0.25, .instructions = 5, .key = "m"},
                   {.time_us = 1, .core_us = 0.5, .head_us = 0.25, .instructions = 5, .key = "a"},
                   {.time_us = 2, .core_us = 1, .head_us = 0.5, .instructions = 3'000'000, .key = "r"}};
    const record::testing::TemporaryFile file{".network"};
    const NetworkPicture picture = picture_of(run, chip);
    write_recording(file.path(), run, picture, chip, [&](const std::vector<networks::Task>& tasks) {
        EXPECT_EQ(tasks.size(), 2U) << "the third has too many instructions";
        return std::vector<std::filesystem::path>{kernel.file(), {}};
    });
    const record::Recording recording{file.path()};
    EXPECT_EQ(recording.cycles(), 4U * 1800);
    const record::Lane& operators = recording.lane(recording.find(analysis::operators_track()).value());
    ASSERT_EQ(operators.size(), 2U);
    EXPECT_EQ(recording.name(operators.op[0]), "Gemm 'fc'");
    EXPECT_EQ(operators.end[0], 3600U);
    EXPECT_EQ(operators.end[1], 7200U);
    const std::uint32_t kernels = recording.find(analysis::kernels_track()).value();
    EXPECT_EQ(record::occupancy(recording, kernels).busy(), 2U * 900 + 1800);
    const analysis::Explanation all = analysis::explain(recording);
    ASSERT_TRUE(all.network.has_value());
    EXPECT_EQ(all.network->recorded, 1U);
    EXPECT_EQ(all.network->kernels, 3U);
    EXPECT_EQ(all.network->graph.nodes[2].span, 1U);
    EXPECT_DOUBLE_EQ(all.summary.time_us, 4);
}

}  // namespace
}  // namespace ascendsim::report
