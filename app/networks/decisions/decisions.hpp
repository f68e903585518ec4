// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "networks/fusion/decision.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::report {

/// Operators whose joining is decided for each size; a network with an open extent N.
struct DecisionPattern {
    std::string name;  // of its file, <name>.onnxtxt
    std::string title;
    std::string size;  // what N is
};

/// What somebody states about a chip: from which size on a pattern is recommended, or that it is not.
struct StatedDecision {
    std::string stands_for;  // the chip, as stated
    std::string chip;        // that is simulated for it
    std::string rule;        // as stated
    std::string pattern;     // that is simulated for it
    std::uint64_t from = 0;
    bool recommended = false;
};

/// What scenarios/networks/decisions/decisions.toml holds.
struct DecisionCatalogue {
    std::filesystem::path folder;
    std::vector<std::string> chips;
    std::vector<DecisionPattern> patterns;
    std::vector<StatedDecision> stated;
};

/// Reads it. Throws UserError with file and line.
[[nodiscard]] DecisionCatalogue read_decisions(const toolchain::Installation& installation);

/// A pattern at one size, apart and joined as --fuse all does.
struct DecisionPoint {
    std::uint64_t size = 0;
    double apart_us = 0;
    double fused_us = 0;
    std::string refusal;  // why there are no times
    std::string why;      // where nothing was joined: the reason of what is largest
    std::vector<std::string> joined;

    [[nodiscard]] double gain() const { return fused_us > 0 ? apart_us / fused_us : 0; }

    /// Faster by more than a hundredth; less is no reason.
    [[nodiscard]] bool pays() const { return refusal.empty() && gain() >= 1.01; }
};

/// A pattern on a chip, at growing sizes.
struct ChipDecision {
    std::string chip;
    DecisionPattern pattern;
    std::vector<DecisionPoint> points;
};

/// What is simulated.
struct DecisionOptions {
    std::vector<std::string> chips;  // none: those of the catalogue and of what is stated
    std::string only;                // a part of the pattern's name; empty: all
    /// Times tasks on a chip.
    std::function<std::vector<networks::TaskResult>(const std::vector<networks::Task>&, const ChipSpec&)>
        time;
};

/// Simulates each pattern at each power of two from 16 to 256.
[[nodiscard]] std::vector<ChipDecision> decide_patterns(const DecisionCatalogue& catalogue,
                                                        const toolchain::Installation& installation,
                                                        const DecisionOptions& options);

/// From which size on it pays: "every size", "64", "16 to 64", "never", "cannot run".
[[nodiscard]] std::string pays_from(const ChipDecision& decision);

/// A stated row against what was simulated.
struct StatedVerdict {
    std::string verdict;  // "agrees", "disagrees" or "cannot be judged"
    std::string text;
};

[[nodiscard]] StatedVerdict judge_stated(const StatedDecision& stated,
                                         const std::vector<ChipDecision>& decisions);

/// `chips`: [{chip, patterns: [{name, title, size, pays_from, points: [{size, apart_us, fused_us, gain, pays,
/// joined, why, refusal}]}]}], and `stated` [{rule, ..., verdict, text}].
[[nodiscard]] nlohmann::ordered_json decisions_json(const DecisionCatalogue& catalogue,
                                                    const std::vector<ChipDecision>& decisions);

/// Prints a table for each chip.
void print_decisions(std::ostream& out,
                     const DecisionCatalogue& catalogue,
                     const std::vector<ChipDecision>& decisions);

/// The page docs/fusion.md.
[[nodiscard]] std::string decisions_page(const DecisionCatalogue& catalogue,
                                         const std::vector<ChipDecision>& decisions);

}  // namespace ascendsim::report
