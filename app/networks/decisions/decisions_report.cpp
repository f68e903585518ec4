// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/networks/decisions/decisions.hpp"

namespace ascendsim::report {
namespace {

using nlohmann::ordered_json;

/// The chips in the order in which they were decided.
std::vector<std::string> decided_chips(const std::vector<ChipDecision>& decisions) {
    std::vector<std::string> chips;
    for (const ChipDecision& one : decisions) {
        if (chips.empty() || chips.back() != one.chip) {
            chips.push_back(one.chip);
        }
    }
    return chips;
}

std::string point_text(const DecisionPoint& point) {
    return point.refusal.empty() ? fmt::format("{:.2f}", point.gain()) : "-";
}

/// What is joined at the largest size, or why nothing is.
std::string joined_text_of(const ChipDecision& decision) {
    const DecisionPoint& last = decision.points.back();
    if (!last.refusal.empty()) {
        return last.refusal;
    }
    return last.joined.empty() ? last.why : fmt::format("joined: {}", fmt::join(last.joined, "; "));
}

/// Text within a cell of a table.
std::string cell_text(std::string text) {
    std::ranges::replace(text, '|', '/');
    std::ranges::replace(text, '\n', ' ');
    return text;
}

ordered_json point_json(const DecisionPoint& point) {
    return {{"size", point.size},
            {"apart_us", point.apart_us},
            {"fused_us", point.fused_us},
            {"gain", point.gain()},
            {"pays", point.pays()},
            {"joined", point.joined},
            {"why", point.why},
            {"refusal", point.refusal}};
}

std::string stated_text(const StatedDecision& stated) {
    return stated.recommended ? fmt::format("recommended from {}", stated.from)
                              : fmt::format("not recommended at {}", stated.from);
}

std::string chip_table(const std::string& chip, const std::vector<ChipDecision>& decisions) {
    std::string text = fmt::format("\n## {}\n\n| pattern | N | pays from |", chip);
    std::string line = "|---|---|---|";
    const auto first = std::ranges::find(decisions, chip, &ChipDecision::chip);
    for (const DecisionPoint& point : first->points) {
        text += fmt::format(" {} |", point.size);
        line += "--:|";
    }
    text += " at the largest size |\n" + line + "---|\n";
    for (const ChipDecision& one : decisions) {
        if (one.chip != chip) {
            continue;
        }
        text += fmt::format("| {} | {} | {} |", one.pattern.title, one.pattern.size, pays_from(one));
        for (const DecisionPoint& point : one.points) {
            text += fmt::format(" {} |", point_text(point));
        }
        text += fmt::format(" {} |\n", cell_text(joined_text_of(one)));
    }
    return text;
}

}  // namespace

ordered_json decisions_json(const DecisionCatalogue& catalogue, const std::vector<ChipDecision>& decisions) {
    ordered_json json{{"chips", ordered_json::array()}, {"stated", ordered_json::array()}};
    for (const std::string& chip : decided_chips(decisions)) {
        ordered_json patterns = ordered_json::array();
        for (const ChipDecision& one : decisions) {
            if (one.chip != chip) {
                continue;
            }
            patterns.push_back({{"name", one.pattern.name},
                                {"title", one.pattern.title},
                                {"size", one.pattern.size},
                                {"pays_from", pays_from(one)},
                                {"points", ordered_json::array()}});
            for (const DecisionPoint& point : one.points) {
                patterns.back()["points"].push_back(point_json(point));
            }
        }
        json["chips"].push_back({{"chip", chip}, {"patterns", std::move(patterns)}});
    }
    for (const StatedDecision& stated : catalogue.stated) {
        const StatedVerdict verdict = judge_stated(stated, decisions);
        json["stated"].push_back({{"stands_for", stated.stands_for},
                                  {"chip", stated.chip},
                                  {"rule", stated.rule},
                                  {"pattern", stated.pattern},
                                  {"from", stated.from},
                                  {"recommended", stated.recommended},
                                  {"verdict", verdict.verdict},
                                  {"text", verdict.text}});
    }
    return json;
}

void print_decisions(std::ostream& out,
                     const DecisionCatalogue& catalogue,
                     const std::vector<ChipDecision>& decisions) {
    for (const std::string& chip : decided_chips(decisions)) {
        out << fmt::format("{}\n\n  {:<30}{:<18}gain by size N\n", chip, "pattern", "pays from");
        for (const ChipDecision& one : decisions) {
            if (one.chip != chip) {
                continue;
            }
            out << fmt::format("  {:<30}{:<18}", one.pattern.title, pays_from(one));
            for (const DecisionPoint& point : one.points) {
                out << fmt::format("{}: {}  ", point.size, point_text(point));
            }
            out << fmt::format("\n      N: {}; {}\n", one.pattern.size, joined_text_of(one));
        }
        out << "\n";
    }
    out << "as stated (W2), against this\n";
    for (const StatedDecision& stated : catalogue.stated) {
        const StatedVerdict verdict = judge_stated(stated, decisions);
        out << fmt::format("  {} {}, {}: {}: {}\n",
                           stated.stands_for,
                           stated.rule,
                           stated_text(stated),
                           verdict.verdict,
                           verdict.text);
    }
}

std::string decisions_page(const DecisionCatalogue& catalogue, const std::vector<ChipDecision>& decisions) {
    std::string text =
        "# Fusion: from which size on it pays\n\n"
        "Generated by `ascendsim model --decisions --document docs/fusion.md`; do not edit. The patterns are "
        "the\n"
        "networks of `scenarios/networks/decisions`, each with an open extent N. A number is the gain: the "
        "time of\n"
        "all kernels with `--fuse none`, divided by that with `--fuse all`, float32 held as float16, every "
        "kernel\n"
        "with its launch. Fusion *pays* where it gains a hundredth or more; only powers of two were "
        "simulated. `-`\n"
        "cannot run. [networks.md](networks.md) explains the codes.\n";
    for (const std::string& chip : decided_chips(decisions)) {
        text += chip_table(chip, decisions);
    }
    text +=
        "\n## The table of W2's seed, audited\n\n"
        "The seed gives each pattern a least size (all extents behind the first two) and says whether it is\n"
        "recommended. A row *agrees* if the pattern pays at that size and not at half of it, or, where it is "
        "not\n"
        "recommended, does not pay there.\n\n"
        "| stated chip | simulated | pattern | simulated as | stated | verdict | simulated |\n"
        "|---|---|---|---|---|---|---|\n";
    for (const StatedDecision& stated : catalogue.stated) {
        const auto pattern = std::ranges::find(catalogue.patterns, stated.pattern, &DecisionPattern::name);
        const StatedVerdict verdict = judge_stated(stated, decisions);
        text += fmt::format("| {} | {} | {} | {} | {} | **{}** | {} |\n",
                            stated.stands_for,
                            stated.chip,
                            stated.rule,
                            pattern == catalogue.patterns.end() ? stated.pattern : pattern->title,
                            stated_text(stated),
                            verdict.verdict,
                            cell_text(verdict.text));
    }
    return text;
}

}  // namespace ascendsim::report
