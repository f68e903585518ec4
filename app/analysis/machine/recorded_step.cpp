// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/machine/recorded_step.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include "app/analysis/machine/recorded_values.hpp"

namespace ascendsim::analysis {
namespace {

constexpr std::size_t most_ranks = 10'000;
constexpr std::size_t most_tasks = 10'000;
constexpr std::size_t most_shares = 1000;

void sort_shares(std::vector<StepShare>& shares) {
    std::erase_if(shares, [](const StepShare& share) { return share.us <= 0; });
    std::ranges::stable_sort(shares, std::greater{}, &StepShare::us);
}

/// Of an object of times by what they are of.
std::vector<StepShare> shares_from(const nlohmann::json& values) {
    std::vector<StepShare> shares;
    if (values.is_object()) {
        for (auto at = values.begin(); at != values.end() && shares.size() < most_shares; ++at) {
            shares.push_back({.what = at.key(), .us = std::max(0.0, recorded_number(*at))});
        }
    }
    sort_shares(shares);
    return shares;
}

StepRank rank_from(const nlohmann::json& values) {
    StepRank rank{.parts = shares_from(recorded_value(values, "parts")), .bubbles = {}};
    for (const auto& bubble : recorded_list(values, "bubbles")) {
        if (rank.bubbles.size() < most_shares) {
            rank.bubbles.push_back({.what = recorded_text(bubble, "cause"),
                                    .us = recorded_figure(bubble, "us"),
                                    .place = recorded_text(bubble, "place")});
        }
    }
    sort_shares(rank.bubbles);
    return rank;
}

StepTaskTimes task_from(const nlohmann::json& values) {
    return {.name = recorded_text(values, "name"),
            .problem = recorded_text(values, "problem"),
            .calls = recorded_count(values, "calls"),
            .device_us = recorded_figure(values, "device_us"),
            .contended_us = recorded_figure(values, "contended_us"),
            .with_launch_us = recorded_figure(values, "with_launch_us"),
            .critical_us = recorded_figure(values, "critical_us")};
}

StepTrial trial_from(const nlohmann::json& values) {
    return {.text = recorded_text(values, "text"),
            .change = recorded_text(values, "change"),
            .place = recorded_text(values, "place"),
            .step_us = recorded_figure(values, "step_us"),
            .gain = recorded_figure(values, "gain")};
}

bool says_program(const nlohmann::json& values) {
    const nlohmann::json& program = recorded_value(values, "program");
    return program.is_boolean() && program.get<bool>();
}

template <class Value, class Read>
void read_list(const nlohmann::json& list, std::size_t most, std::vector<Value>& to, const Read& read) {
    for (const auto& value : list) {
        if (to.size() < most) {
            to.push_back(read(value));
        }
    }
}

}  // namespace

RecordedStep step_from_json(const nlohmann::json& values) {
    RecordedStep step{.program = says_program(values),
                      .node = recorded_text(values, "node"),
                      .host = recorded_text(values, "host"),
                      .step_us = recorded_figure(values, "step_us"),
                      .ranks = {},
                      .tasks = {},
                      .critical = shares_from(recorded_value(values, "critical_path")),
                      .advice = {},
                      .average_w = recorded_figure(recorded_value(values, "energy"), "average_w"),
                      .limit_w = recorded_figure(recorded_value(values, "energy"), "limit_w")};
    read_list(recorded_list(values, "ranks"), most_ranks, step.ranks, rank_from);
    read_list(recorded_list(values, "tasks"), most_tasks, step.tasks, task_from);
    read_list(recorded_list(values, "advice"), most_shares, step.advice, trial_from);
    return step;
}

bool is_step(const record::Recording& recording) {
    return recorded_value(recording.metadata(), "step").is_object();
}

bool is_program(const record::Recording& recording) {
    return says_program(recorded_value(recording.metadata(), "step"));
}

std::optional<RecordedStep> step_of(const record::Recording& recording) {
    return is_step(recording) ? std::optional{step_from_json(recorded_value(recording.metadata(), "step"))}
                              : std::nullopt;
}

std::size_t slowest_rank(const RecordedStep& step) {
    const auto computing = [](const StepRank& rank) {
        const auto part = std::ranges::find(rank.parts, "computing", &StepShare::what);
        return part == rank.parts.end() ? 0.0 : part->us;
    };
    const auto most = std::ranges::max_element(step.ranks, {}, computing);
    return most == step.ranks.end() ? 0 : static_cast<std::size_t>(most - step.ranks.begin());
}

std::string_view whole_of(const RecordedStep& step) {
    return step.program ? "program" : "step";
}

std::string_view part_of(const RecordedStep& step) {
    return step.program ? "device" : "rank";
}

std::string verdict(const RecordedStep& step) {
    const std::string_view whole = whole_of(step);
    const std::size_t slowest = slowest_rank(step);
    if (slowest >= step.ranks.size() || step.ranks[slowest].parts.empty() || step.step_us <= 0) {
        return fmt::format("Nothing of this {} takes time", whole);
    }
    const StepRank& rank = step.ranks[slowest];
    const StepShare& top = rank.parts.front();
    const double percent = 100 / step.step_us;
    const StepShare* const bubble = rank.bubbles.empty() ? nullptr : &rank.bubbles.front();
    if (top.what == "free") {
        std::string text = fmt::format("The device is free for {:.1f} % of the {}", percent * top.us, whole);
        return bubble == nullptr
                   ? text
                   : text + fmt::format(", longest for {:.1f} %: {}", percent * bubble->us, bubble->what);
    }
    std::string text = fmt::format("{} takes {:.1f} % of the {}", top.what, percent * top.us, whole);
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    if (bubble != nullptr) {
        text +=
            fmt::format("; the device is free longest for {:.1f} %: {}", percent * bubble->us, bubble->what);
    }
    return text;
}

const StepTaskTimes* times_of(const RecordedStep& step, std::string_view span) {
    for (const std::string_view before : {"launch of ", "call of "}) {
        if (span.starts_with(before)) {
            span.remove_prefix(before.size());
        }
    }
    const auto found = std::ranges::find(step.tasks, span, &StepTaskTimes::name);
    return found == step.tasks.end() ? nullptr : &*found;
}

}  // namespace ascendsim::analysis
