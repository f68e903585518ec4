// SPDX-License-Identifier: Apache-2.0
#include "networks/fusion/search.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ascendsim::networks {
namespace {

using Knobs = std::vector<std::pair<std::string, host::KnobValue>>;

Knobs numbers(std::initializer_list<std::pair<const char*, std::int64_t>> list) {
    Knobs knobs;
    for (const auto& [name, value] : list) {
        knobs.emplace_back(name, value);
    }
    return knobs;
}

/// What shipped kernels are tried with, besides fewer cores: tiles around those that they choose themselves,
/// and other orders of the work.
std::vector<Knobs> knobs_to_try(std::string_view kernel) {
    if (kernel == "matmul") {
        return {numbers({{"base_m", 128}, {"base_n", 256}}),
                numbers({{"base_m", 256}, {"base_n", 128}}),
                numbers({{"base_m", 128}, {"base_n", 128}}),
                numbers({{"base_m", 64}, {"base_n", 128}}),
                numbers({{"base_m", 128}, {"base_n", 64}}),
                numbers({{"split_k", 1}}),
                numbers({{"split_k", 2}}),
                numbers({{"split_k", 4}}),
                {{"schedule", std::string{"grid"}}}};
    }
    if (kernel == "matmul_object") {
        return {numbers({{"base_m", 128}, {"base_n", 256}}),
                numbers({{"base_m", 128}, {"base_n", 128}}),
                numbers({{"base_m", 64}, {"base_n", 128}}),
                {{"template", std::string{"mdl"}}}};
    }
    if (kernel == "conv2d") {
        return {numbers({{"base_m", 0}, {"base_n", 128}}),
                numbers({{"base_m", 64}, {"base_n", 128}}),
                numbers({{"base_m", 128}, {"base_n", 64}}),
                numbers({{"base_m", 128}, {"base_n", 128}}),
                numbers({{"base_m", 256}, {"base_n", 128}}),
                numbers({{"base_m", 256}, {"base_n", 64}})};
    }
    if (kernel == "attention") {
        return {numbers({{"tile_m", 64}}),
                numbers({{"tile_m", 128}}),
                numbers({{"tile_n", 128}}),
                numbers({{"tile_n", 256}}),
                numbers({{"tile_n", 512}}),
                numbers({{"stages", 2}}),
                {{"requests", true}}};
    }
    if (kernel == "swiglu") {
        return {numbers({{"base_m", 128}, {"base_n", 128}}),
                numbers({{"base_m", 128}, {"base_n", 64}}),
                numbers({{"base_m", 64}, {"base_n", 128}})};
    }
    return {};
}

bool stops_cores(std::string_view kernel) {
    constexpr std::array with_blocks{"matmul",
                                     "matmul_object",
                                     "conv2d",
                                     "elementwise",
                                     "gelu",
                                     "rotary",
                                     "transpose",
                                     "rearrange",
                                     "index_rows",
                                     "pool",
                                     "row_norm",
                                     "softmax",
                                     "rms_norm"};
    return std::ranges::find(with_blocks, kernel) != with_blocks.end();
}

/// The task with these knobs in place of its own.
Task with_knobs(const Task& task, const Knobs& knobs) {
    Task other = task;
    for (const auto& knob : knobs) {
        std::erase_if(other.knobs, [&](const auto& own) { return own.first == knob.first; });
        other.knobs.push_back(knob);
    }
    return other;
}

/// "base_m = 256, base_n = 128": what a task has that another has not.
std::string tiling_text(const Task& task, const Task& before) {
    std::vector<std::string> words;
    for (const auto& knob : task.knobs) {
        if (std::ranges::find(before.knobs, knob) == before.knobs.end()) {
            words.push_back(fmt::format("{} = {}", knob.first, host::text(knob.second)));
        }
    }
    for (const auto& [name, value] : {std::pair{"rows", task.tiling.rows},
                                      std::pair{"elements of a row", task.tiling.chunk},
                                      std::pair{"cores", task.tiling.cores}}) {
        if (value != 0) {
            words.push_back(fmt::format("{} {}", value, name));
        }
    }
    return fmt::format("{}", fmt::join(words, ", "));
}

/// Equal tasks of a plan.
struct EqualTasks {
    Task task;
    std::vector<Task*> places;
    TaskResult before;
    std::vector<Task> candidates;

    [[nodiscard]] double time_us() const { return static_cast<double>(places.size()) * before.time_us; }
};

std::vector<EqualTasks> equal_tasks(NetworkPlan& plan, const ChipSpec& chip) {
    std::vector<EqualTasks> all;
    std::map<std::string, std::size_t> of_key;
    for (PlannedNode& node : plan.nodes) {
        for (Task& task : node.tasks) {
            if (!task.timed || task.on_host) {
                continue;
            }
            const auto [place, is_new] = of_key.try_emplace(task_key(task, chip), all.size());
            if (is_new) {
                all.push_back({.task = task, .places = {}, .before = {}, .candidates = {}});
            }
            all[place->second].places.push_back(&task);
        }
    }
    return all;
}

class Search {
public:
    Search(const NetworkPlan& plan, const ChipSpec& chip, const TimeTasks& time, std::size_t budget)
        : chip_{chip}, time_{time}, budget_{budget} {
        search_.plan = plan;
        tasks_ = equal_tasks(search_.plan, chip_);
    }

    TilingSearch result() {
        time_as_they_are();
        const std::vector<TaskResult> results = time_(chosen_candidates());
        auto result = results.begin();
        for (EqualTasks& equal : tasks_) {
            take_best(equal, result);
        }
        return std::move(search_);
    }

private:
    void time_as_they_are() {
        std::vector<Task> list;
        for (const EqualTasks& equal : tasks_) {
            list.push_back(equal.task);
        }
        const std::vector<TaskResult> results = time_(list);
        for (std::size_t i = 0; i < tasks_.size(); ++i) {
            tasks_[i].before = results[i];
        }
        std::ranges::stable_sort(tasks_, std::ranges::greater{}, &EqualTasks::time_us);
    }

    /// Of each kernel in turn, so that a small budget reaches all that take long.
    std::vector<Task> chosen_candidates() {
        std::vector<Task> chosen;
        for (EqualTasks& equal : tasks_) {
            if (!equal.before.error.empty()) {
                continue;
            }
            std::vector<Task> others = other_tilings(equal.task, chip_, equal.before.blocks);
            const std::size_t room = budget_ - chosen.size();
            search_.left += others.size() > room ? others.size() - room : 0;
            others.resize(std::min(others.size(), room));
            chosen.insert(chosen.end(), others.begin(), others.end());
            equal.candidates = std::move(others);
        }
        search_.simulations = chosen.size();
        return chosen;
    }

    void take_best(const EqualTasks& equal, std::vector<TaskResult>::const_iterator& result) {
        SearchedKernel kernel{.problem = equal.before.problem,
                              .tiling = {},
                              .count = equal.places.size(),
                              .tried = equal.candidates.size(),
                              .before_us = equal.before.time_us,
                              .after_us = equal.before.time_us};
        const Task* best = nullptr;
        for (const Task& candidate : equal.candidates) {
            if (result->error.empty() && result->time_us < kernel.after_us) {
                kernel.after_us = result->time_us;
                best = &candidate;
            }
            ++result;
        }
        if (best != nullptr) {
            kernel.tiling = tiling_text(*best, equal.task);
            search_.changed.emplace_back(equal.task, *best);
            for (Task* place : equal.places) {
                place->knobs = best->knobs;
                place->tiling = best->tiling;
            }
        }
        if (kernel.tried > 0) {
            search_.kernels.push_back(std::move(kernel));
        }
    }

    const ChipSpec& chip_;
    const TimeTasks& time_;
    std::size_t budget_;
    TilingSearch search_;
    std::vector<EqualTasks> tasks_;
};

}  // namespace

std::vector<Task> other_tilings(const Task& task, const ChipSpec& chip, std::uint32_t blocks) {
    std::vector<Task> others;
    if (task.loop != nullptr) {
        for (const loops::TilingChoice& choice : loops::other_tilings(*task.loop, chip)) {
            others.push_back(task);
            others.back().tiling = choice;
        }
        return others;
    }
    for (const Knobs& knobs : knobs_to_try(task.kernel)) {
        others.push_back(with_knobs(task, knobs));
    }
    if (stops_cores(task.kernel)) {
        for (const std::uint32_t fewer : {blocks / 2, blocks / 4}) {
            if (fewer != 0) {
                others.push_back(with_knobs(task, {{"blocks", std::int64_t{fewer}}}));
            }
        }
    }
    return others;
}

TilingSearch search_tilings(const NetworkPlan& plan,
                            const ChipSpec& chip,
                            const TimeTasks& time,
                            std::size_t budget) {
    return Search{plan, chip, time, budget}.result();
}

}  // namespace ascendsim::networks
