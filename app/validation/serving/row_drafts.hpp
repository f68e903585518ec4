// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/validation/family.hpp"
#include "app/validation/serving/nightly_runs.hpp"
#include "app/validation/system/system_row.hpp"

namespace ascendsim::validation {

/// A way to draft tokens: see scenarios/measurements/drafts.toml.
struct DraftMethod {
    std::vector<std::string> names;
    std::uint64_t passes = 0;
    bool on_host = false;   // no layer drafts
    double acceptance = 0;  // assumed, of a range; so the next two. 0: as `positions` says
    double least = 0;
    double most = 0;
    std::vector<double> positions;  // of the drafts, those whose first, second, … token was accepted
};

/// Reads drafts.toml. Throws UserError for what is wrong in it.
[[nodiscard]] std::vector<DraftMethod> read_drafts(const std::filesystem::path& file);

/// The probability of each token of a draft, if those before it were accepted, with which so many of
/// `drafted` are accepted on average.
[[nodiscard]] double acceptance_for(double accepted, std::uint64_t drafted);

/// A method and the tokens of a draft, as a row's workload names them: "MTP3", "Eagle3 k3", "DFlash spec 7".
struct StatedDraft {
    const DraftMethod* method = nullptr;
    std::uint64_t drafted = 0;  // 0: not stated
};

/// Nothing where no method is named.
[[nodiscard]] std::optional<StatedDraft> stated_draft(const std::string& workload,
                                                      const std::vector<DraftMethod>& methods);

/// Of the tokens of a draft, the part that was accepted, as a row's notes say: 0.27 of "accept rate 27.0%".
[[nodiscard]] std::optional<double> stated_acceptance(const SystemRow& row);

/// [speculation] of a command that drafts, and what it takes for granted.
struct SpeculationTable {
    std::string table;
    std::string assumed;
};

[[nodiscard]] std::variant<SpeculationTable, WhyNot> speculation_of(const ServerCommand& command,
                                                                    const std::vector<DraftMethod>& methods);

}  // namespace ascendsim::validation
