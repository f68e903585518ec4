// SPDX-License-Identifier: Apache-2.0
#include "models/node/live_schedule.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace ascendsim::node {
namespace {

/// Each task left to it takes as long as is said beforehand.
class Timed final : public Executor {
public:
    std::map<TaskId, double> us;
    std::vector<TaskId> ended_tasks;

    void start(TaskId task, Picoseconds now) override { ends_[task] = now + picoseconds(us.at(task)); }

    [[nodiscard]] bool busy() const override { return !ends_.empty(); }

    std::vector<Ended> go_on(std::optional<Picoseconds> until) override {
        const auto first =
            std::ranges::min_element(ends_, {}, [](const auto& entry) { return entry.second; });
        if (until && first->second > *until) {
            return {};
        }
        const Ended done{first->first, first->second};
        ends_.erase(first);
        return {done};
    }

    void ended(TaskId task, Picoseconds /*now*/) override { ended_tasks.push_back(task); }

private:
    std::map<TaskId, Picoseconds> ends_;
};

TEST(LiveSchedule, GoesNoFurtherThanAsked) {
    TaskGraph graph;
    const LaneId lane = graph.add_lane({"stream"});
    const TaskId first = graph.add(lane, {.name = "a", .us = 3});
    const TaskId second = graph.add(lane, {.name = "b", .us = 4});
    LiveSchedule live{graph};
    EXPECT_TRUE(live.run_to(first));
    EXPECT_EQ(live.now(), picoseconds(3));
    EXPECT_FALSE(live.run_to(second, picoseconds(5)));
    EXPECT_EQ(live.now(), picoseconds(5));
    // What comes now starts now, or behind what it waits for.
    const TaskId free = graph.add(graph.add_lane({"other"}), {.name = "c", .us = 1}, std::array{first});
    const TaskId behind = graph.add(lane, {.name = "d", .us = 1}, std::array{free});
    live.run_all();
    EXPECT_EQ(live.schedule().start[index(free)], picoseconds(5));
    EXPECT_EQ(live.schedule().gate[index(free)], first);
    EXPECT_EQ(live.schedule().end[index(second)], picoseconds(7));
    EXPECT_EQ(live.schedule().end[index(behind)], picoseconds(8));
}

TEST(LiveSchedule, LetsTheHostWaitForWhatDoesNotCome) {
    TaskGraph graph;
    const LaneId host = graph.add_lane({"host"});
    const TaskId call = graph.add(host, {.name = "call", .kind = TaskKind::host, .us = 1});
    const TaskId work = graph.add(graph.add_lane({"stream"}), {.name = "work", .us = 9}, std::array{call});
    LiveSchedule live{graph};
    EXPECT_TRUE(live.run_to(call));
    EXPECT_FALSE(live.run_to(work, picoseconds(4)));  // the host waits for 3 us
    const TaskId waited = graph.add(host, {.name = "wait", .kind = TaskKind::host, .us = 3});
    live.run_all();
    EXPECT_EQ(live.schedule().start[index(waited)], picoseconds(1));
    EXPECT_EQ(live.schedule().end[index(waited)], picoseconds(4));
}

TEST(LiveSchedule, GivesTheTimesOfAWholeGraphAlsoWhenItComesInParts) {
    const auto build = [](TaskGraph& graph, std::uint32_t part, LinkId link, LaneId one, LaneId two) {
        const TaskId a = graph.add(one, {.name = "a", .us = 2.0 + part, .flow = {90'000, {link}}});
        graph.add(two, {.name = "b", .us = 1, .flow = {50'000, {link}}});
        graph.add(two, {.name = "c", .us = 1}, std::array{a});
    };
    TaskGraph whole;
    TaskGraph parts;
    std::array<LinkId, 2> links{};
    std::array<std::array<LaneId, 2>, 2> lanes{};
    for (TaskGraph* graph : {&whole, &parts}) {
        const std::size_t i = graph == &whole ? 0 : 1;
        links[i] = graph->add_link({"link", 10});
        lanes[i] = {graph->add_lane({"one"}), graph->add_lane({"two"})};
    }
    LiveSchedule live{parts};
    for (std::uint32_t part = 0; part < 5; ++part) {
        build(whole, part, links[0], lanes[0][0], lanes[0][1]);
        build(parts, part, links[1], lanes[1][0], lanes[1][1]);
        live.run_until(picoseconds(part));
    }
    live.run_all();
    const Schedule expected = run(whole);
    EXPECT_EQ(live.schedule().start, expected.start);
    EXPECT_EQ(live.schedule().end, expected.end);
    EXPECT_EQ(live.schedule().gate, expected.gate);
}

TEST(LiveSchedule, LeavesTasksToTheExecutor) {
    TaskGraph graph;
    Timed chip;
    LiveSchedule live{graph, &chip};
    const LaneId one = graph.add_lane({"one"});
    const LaneId two = graph.add_lane({"two"});
    const TaskId before = graph.add(one, {.name = "before", .us = 2});
    const TaskId kernel = graph.add(one, {.name = "kernel"});
    live.leave_to_executor(kernel);
    const TaskId beside = graph.add(two, {.name = "beside", .us = 4});
    const TaskId behind = graph.add(two, {.name = "behind", .us = 1}, std::array{kernel});
    chip.us[kernel] = 5;
    live.run_all();
    EXPECT_EQ(live.schedule().start[index(kernel)], picoseconds(2));
    EXPECT_EQ(live.schedule().end[index(kernel)], picoseconds(7));
    EXPECT_EQ(live.schedule().end[index(behind)], picoseconds(8));
    EXPECT_EQ(chip.ended_tasks, (std::vector{before, beside, kernel, behind}));
}

/// Lanes of tasks of random times, of which some wait for others of any lane and some move bytes.
TaskGraph random_graph(std::uint32_t seed) {
    std::mt19937 random{seed};
    const auto below = [&](std::uint32_t most) { return random() % most; };
    TaskGraph graph;
    std::vector<LaneId> lanes;
    for (int i = 0; i < 4; ++i) {
        lanes.push_back(graph.add_lane({"lane"}));
    }
    const LinkId link = graph.add_link({"link", 10});
    for (std::uint32_t task = 0; task < 400; ++task) {
        Task what{.name = "t", .us = static_cast<double>(below(4))};
        if (below(9) == 0) {
            what.flow = {.bytes = 1 + below(100'000), .route = {link}};
        }
        std::vector<TaskId> after;
        if (task > 0 && below(5) == 0) {
            after.push_back(TaskId{static_cast<std::uint32_t>(below(task))});
        }
        graph.add(lanes[below(4)], what, after);
    }
    return graph;
}

TEST(LiveSchedule, IsTheSameWhereTasksOfALaneTakeNoTurns) {
    for (std::uint32_t seed = 0; seed < 50; ++seed) {
        const TaskGraph graph = random_graph(seed);
        LiveSchedule in_turn{graph};
        in_turn.run_all();
        LiveSchedule whole{graph};
        whole.run_whole();
        EXPECT_EQ(whole.schedule().start, in_turn.schedule().start) << seed;
        EXPECT_EQ(whole.schedule().end, in_turn.schedule().end) << seed;
        EXPECT_EQ(whole.schedule().gate, in_turn.schedule().gate) << seed;
        EXPECT_EQ(whole.schedule().length, in_turn.schedule().length) << seed;
    }
}

/// Adds a task to the graph 3 us after it has been given one, and ends that one 7 us after.
class Adding final : public Executor {
public:
    explicit Adding(TaskGraph& graph) : graph_{graph}, lane_{graph.add_lane({"server"})} {}

    std::optional<TaskId> added;

    void start(TaskId task, Picoseconds now) override {
        task_ = task;
        start_ = now;
    }

    [[nodiscard]] bool busy() const override { return task_.has_value(); }

    std::vector<Ended> go_on(std::optional<Picoseconds> until) override {
        const Picoseconds at = start_ + picoseconds(added ? 7 : 3);
        if (until && at > *until) {
            return {};
        }
        if (!added) {
            added = graph_.add(lane_, {.name = "asked", .us = 2});
            return {{.task = {}, .at = at}};
        }
        return {{.task = std::exchange(task_, {}), .at = at}};
    }

    void ended(TaskId /*task*/, Picoseconds /*now*/) override {}

private:
    TaskGraph& graph_;
    LaneId lane_;
    std::optional<TaskId> task_;
    Picoseconds start_ = 0;
};

TEST(LiveSchedule, StartsWhatAnExecutorAddsWhenItDoes) {
    TaskGraph graph;
    Adding adding{graph};
    LiveSchedule live{graph, &adding};
    const TaskId kernel = graph.add(graph.add_lane({"stream"}), {.name = "kernel"});
    live.leave_to_executor(kernel);
    live.run_all();
    EXPECT_EQ(live.schedule().start[index(*adding.added)], picoseconds(3));
    EXPECT_EQ(live.schedule().end[index(*adding.added)], picoseconds(3 + 2));
    EXPECT_EQ(live.schedule().end[index(kernel)], picoseconds(7));
}

}  // namespace
}  // namespace ascendsim::node
