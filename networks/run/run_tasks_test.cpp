// SPDX-License-Identifier: Apache-2.0
#include "networks/run/run_tasks.hpp"

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "models/spec/chip_file.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::networks {
namespace {

using testing::HasSubstr;

/// Compiled kernels are shared by all tests, results of tasks by none: each test has a chip of its own, whose
/// clock is some picoseconds off.
class RunTasks : public testing::Test {
protected:
    void SetUp() override {
        const std::filesystem::path cache = installation_.libraries.parent_path() / "test_cache";
        setenv("XDG_CACHE_HOME", cache.c_str(), 1);
        constexpr double ghz_a_process = 1e-9;
        chip_.cores.clock_ghz += ghz_a_process * static_cast<double>(getpid());
    }

    /// The results; `simulated_` counts the simulations it took.
    std::vector<TaskResult> run(const std::vector<Task>& tasks) {
        simulated_ = 0;
        return run_tasks(tasks,
                         chip_,
                         installation_,
                         {.jobs = 2, .progress = [this](std::size_t, std::size_t) { ++simulated_; }});
    }

    static Task softmax(const host::Shape& shape) {
        return {.kernel = "softmax", .knobs = {{"shape", shape}, {"dtype", std::string{"float16"}}}};
    }

    toolchain::Installation installation_ = toolchain::Installation::find();
    ChipSpec chip_ = load_chip("910b3", installation_.chips());
    int simulated_ = 0;
};

TEST_F(RunTasks, SimulatesEqualTasksOnceAndThenTakesThemFromTheCache) {
    const std::vector<Task> tasks{softmax({64, 256}), softmax({64, 256}), softmax({64, 512})};
    const std::vector<TaskResult> first = run(tasks);
    EXPECT_EQ(simulated_, 2);
    const std::vector<TaskResult> second = run(tasks);
    EXPECT_EQ(simulated_, 0);
    ASSERT_EQ(second.size(), 3U);
    EXPECT_EQ(first[0].error, "");
    EXPECT_GT(first[0].time_us, first[0].core_us);
    EXPECT_EQ(first[0].least_bytes, 2.0 * 2 * 64 * 256);
    EXPECT_EQ(first[0].work_type, "AI_VECTOR_CORE");
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(first[i].time_us, second[i].time_us) << i;
        EXPECT_EQ(first[i].busiest, second[i].busiest) << i;
    }
    EXPECT_LT(first[0].core_us, first[2].core_us);
}

TEST_F(RunTasks, KeepsEachResultBeforeTheNextTaskEnds) {
    const std::vector<Task> tasks{softmax({48, 256}), softmax({48, 512})};
    std::size_t ended = 0;
    const auto look = [&](std::size_t done, std::size_t) {
        ++ended;
        (void)run({tasks[done - 1]});  // one at a time, in their order
        EXPECT_EQ(simulated_, 0) << done;
    };
    (void)run_tasks(tasks, chip_, installation_, {.jobs = 1, .progress = look});
    EXPECT_EQ(ended, 2U);
}

TEST_F(RunTasks, RecordsEqualTasksOnceAndAsLongAsTheyTake) {
    const std::vector<Task> tasks{softmax({64, 256}), softmax({64, 256}), softmax({})};
    int recorded = 0;
    const TaskOptions options{.jobs = 2, .progress = [&](std::size_t, std::size_t) { ++recorded; }};
    const std::vector<std::filesystem::path> files = record_tasks(tasks, chip_, installation_, options);
    ASSERT_EQ(files.size(), 3U);
    EXPECT_EQ(files[0], files[1]);
    EXPECT_EQ(files[2], "") << "it cannot run";
    EXPECT_EQ(recorded, 2);
    const record::Recording recording{files[0]};
    EXPECT_TRUE(recording.complete());
    constexpr double ns_a_us = 1000;
    const TaskResult result = run(tasks)[0];
    EXPECT_DOUBLE_EQ(static_cast<double>(recording.cycles()) / chip_.cores.clock_ghz / ns_a_us,
                     result.time_us);
    EXPECT_LT(result.head_us + result.core_us, result.time_us);
    EXPECT_EQ(record_tasks(tasks, chip_, installation_, options)[0], files[0]);
    EXPECT_EQ(recorded, 3) << "only what cannot run is tried again";
}

TEST_F(RunTasks, ATaskThatCannotRunHasASentenceAndTheOthersRun) {
    const std::vector<TaskResult> results = run({softmax({}), softmax({64, 256})});
    EXPECT_THAT(results[0].error, HasSubstr("needs at least one extent"));
    EXPECT_EQ(results[1].error, "");
}

TEST_F(RunTasks, AnotherChipIsAnotherResult) {
    const std::vector<TaskResult> before = run({softmax({64, 256})});
    chip_.cores.clock_ghz /= 2;
    const std::vector<TaskResult> after = run({softmax({64, 256})});
    EXPECT_EQ(simulated_, 1);
    EXPECT_GT(after[0].time_us, before[0].time_us);
}

}  // namespace
}  // namespace ascendsim::networks
