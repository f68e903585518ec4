// SPDX-License-Identifier: Apache-2.0
#include "app/networks/decisions/decisions.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "app/networks/fuse_network.hpp"
#include "models/spec/chip_file.hpp"
#include "networks/onnx/read_onnx.hpp"
#include "sim/base/error.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::report {
namespace {

using networks::Decision;

constexpr std::array<std::uint64_t, 5> decided_sizes{16, 32, 64, 128, 256};

/// A network's operators one after the other.
double time_of_plan(const networks::NetworkPlan& plan,
                    const networks::TimeTasks& time,
                    std::string& refusal) {
    std::vector<networks::Task> tasks;
    for (const networks::PlannedNode& node : plan.nodes) {
        refusal = refusal.empty() ? node.refusal : refusal;
        std::ranges::copy_if(node.tasks, std::back_inserter(tasks), &networks::Task::timed);
    }
    double sum = 0;
    if (refusal.empty()) {
        for (const networks::TaskResult& result : time(tasks)) {
            refusal = refusal.empty() ? result.error : refusal;
            sum += result.time_us;
        }
    }
    return sum;
}

/// "BatchNormalization + Relu", or the pattern.
std::string joined_name(const Decision& decision) {
    return decision.pattern.empty() ? decision.kinds : decision.pattern;
}

/// Of what was not joined, the reason of what takes longest.
std::string why_nothing(const FusedNetwork& fused) {
    const Decision* longest = nullptr;
    for (const Decision& decision : fused.decisions) {
        if (!decision.taken && (longest == nullptr || decision.apart.time_us > longest->apart.time_us)) {
            longest = &decision;
        }
    }
    if (longest != nullptr) {
        return fmt::format("{}: {}: {}", joined_name(*longest), longest->code, longest->text);
    }
    if (fused.not_joined.empty()) {
        return "no pattern, and no neighbours";
    }
    const networks::NotJoined& first = fused.not_joined.front();
    return fmt::format("{}: {}", first.code, first.text);
}

DecisionPoint decided(const networks::Graph& graph,
                      std::uint64_t size,
                      const ChipSpec& chip,
                      const networks::TimeTasks& time) {
    DecisionPoint point{.size = size, .refusal = {}, .why = {}, .joined = {}};
    const auto shapes = networks::bind_inputs(graph, {fmt::format("N={}", size)}, 1);
    const networks::Lowering lowering{.chip = chip};
    const networks::NetworkPlan plan = networks::plan_network(graph, shapes, lowering);
    point.apart_us = time_of_plan(plan, time, point.refusal);
    if (!point.refusal.empty()) {
        return point;
    }
    const FusedNetwork fused = fuse_network({graph, shapes, lowering}, plan, Fusing::all, time);
    point.fused_us = time_of_plan(fused.plan, time, point.refusal);
    for (const Decision& decision : fused.decisions) {
        if (decision.taken && decision.apart.time_us > decision.fused.time_us) {
            point.joined.push_back(joined_name(decision));
        }
    }
    if (point.joined.empty()) {
        point.why = why_nothing(fused);
    }
    return point;
}

std::vector<std::string> chips_of(const DecisionCatalogue& catalogue, const DecisionOptions& options) {
    std::vector<std::string> chips = options.chips.empty() ? catalogue.chips : options.chips;
    for (const StatedDecision& stated : catalogue.stated) {
        if (options.chips.empty() && std::ranges::find(chips, stated.chip) == chips.end()) {
            chips.push_back(stated.chip);
        }
    }
    return chips;
}

/// A chip that only stands for a stated one needs the stated patterns alone.
bool wanted(const DecisionCatalogue& catalogue,
            const DecisionOptions& options,
            const std::string& chip,
            const std::string& pattern) {
    if (!options.only.empty() && pattern.find(options.only) == std::string::npos) {
        return false;
    }
    const bool listed =
        !options.chips.empty() || std::ranges::find(catalogue.chips, chip) != catalogue.chips.end();
    return listed || std::ranges::any_of(catalogue.stated, [&](const StatedDecision& one) {
               return one.chip == chip && one.pattern == pattern;
           });
}

const DecisionPoint* point_at(const std::vector<ChipDecision>& decisions,
                              const StatedDecision& stated,
                              std::uint64_t size) {
    const auto found = std::ranges::find_if(decisions, [&](const ChipDecision& one) {
        return one.chip == stated.chip && one.pattern.name == stated.pattern;
    });
    if (found == decisions.end()) {
        return nullptr;
    }
    const auto point = std::ranges::find(found->points, size, &DecisionPoint::size);
    return point == found->points.end() ? nullptr : &*point;
}

std::string gain_text(const DecisionPoint& point) {
    return fmt::format(
        "{:.2f} us apart, {:.2f} us joined, {:.2f} x", point.apart_us, point.fused_us, point.gain());
}

}  // namespace

DecisionCatalogue read_decisions(const toolchain::Installation& installation) {
    DecisionCatalogue catalogue;
    catalogue.folder = installation.scenarios() / "networks" / "decisions";
    TableReader root = TomlFile::open(catalogue.folder / "decisions.toml").reader();
    catalogue.chips = root.require("chips").list<std::string>();
    for (TableReader& table : root.tables("pattern")) {
        catalogue.patterns.push_back({.name = table.get<std::string>("name"),
                                      .title = table.get<std::string>("title"),
                                      .size = table.get<std::string>("size")});
        table.finish();
    }
    for (TableReader& table : root.tables("stated")) {
        catalogue.stated.push_back({.stands_for = table.get<std::string>("stands_for"),
                                    .chip = table.get<std::string>("chip"),
                                    .rule = table.get<std::string>("rule"),
                                    .pattern = table.get<std::string>("pattern"),
                                    .from = table.get<std::uint64_t>("from"),
                                    .recommended = table.get<bool>("recommended")});
        table.finish();
    }
    root.finish();
    return catalogue;
}

std::vector<ChipDecision> decide_patterns(const DecisionCatalogue& catalogue,
                                          const toolchain::Installation& installation,
                                          const DecisionOptions& options) {
    std::vector<ChipDecision> decisions;
    for (const std::string& name : chips_of(catalogue, options)) {
        const ChipSpec chip = load_chip(name, installation.chips());
        const networks::TimeTasks time = [&](const std::vector<networks::Task>& tasks) {
            return options.time(tasks, chip);
        };
        for (const DecisionPattern& pattern : catalogue.patterns) {
            if (!wanted(catalogue, options, name, pattern.name)) {
                continue;
            }
            const networks::Graph graph = networks::read_onnx(catalogue.folder / (pattern.name + ".onnxtxt"));
            ChipDecision decision{.chip = name, .pattern = pattern, .points = {}};
            for (const std::uint64_t size : decided_sizes) {
                decision.points.push_back(decided(graph, size, chip, time));
            }
            decisions.push_back(std::move(decision));
        }
    }
    if (decisions.empty()) {
        throw UserError{
            "--only {}: no pattern of {} has this in its name", options.only, catalogue.folder.string()};
    }
    return decisions;
}

std::string pays_from(const ChipDecision& decision) {
    const std::vector<DecisionPoint>& points = decision.points;
    const auto first = std::ranges::find_if(points, &DecisionPoint::pays);
    if (first == points.end()) {
        const bool none =
            std::ranges::all_of(points, [](const DecisionPoint& point) { return !point.refusal.empty(); });
        return none ? "cannot run" : "never";
    }
    const auto end = std::find_if_not(first, points.end(), [](const auto& point) { return point.pays(); });
    if (end != points.end()) {
        return std::any_of(end, points.end(), [](const auto& point) { return point.pays(); })
                   ? fmt::format("{}, not always", first->size)
                   : fmt::format("{} to {}", first->size, std::prev(end)->size);
    }
    return first == points.begin() ? "every size" : fmt::format("{}", first->size);
}

StatedVerdict judge_stated(const StatedDecision& stated, const std::vector<ChipDecision>& decisions) {
    const DecisionPoint* at = point_at(decisions, stated, stated.from);
    if (at == nullptr) {
        return {"cannot be judged", "it was not simulated"};
    }
    if (!at->refusal.empty()) {
        return {"cannot be judged", fmt::format("at {}: {}", stated.from, at->refusal)};
    }
    const std::string found = fmt::format("at {}: {}", stated.from, gain_text(*at));
    if (!stated.recommended) {
        return at->pays() ? StatedVerdict{"disagrees", found + ": it pays, and is not recommended"}
                          : StatedVerdict{"agrees", found + ": it does not pay"};
    }
    if (!at->pays()) {
        return {"disagrees", found + ": it does not pay, and is recommended"};
    }
    const DecisionPoint* below = point_at(decisions, stated, stated.from / 2);
    if (below != nullptr && below->pays()) {
        return {"disagrees",
                fmt::format("{}; it pays below, too: at {}: {}", found, below->size, gain_text(*below))};
    }
    return {"agrees", below == nullptr ? found + "; nothing smaller was simulated" : found};
}

}  // namespace ascendsim::report
