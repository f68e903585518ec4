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

/// Of the tokens of a draft, those that were accepted on average.
struct AcceptedDraft {
    std::uint64_t drafted = 1;
    double accepted = 0;
};

/// A probability, or a number of tokens, and the range that sources state.
struct DraftRange {
    double value = 0;
    double low = 0;
    double high = 0;
};

/// What is known of a way to draft for some models, by the names of their files.
struct ModelDrafts {
    std::vector<std::string> models;
    std::vector<AcceptedDraft> accepted;
};

/// A way to draft tokens: see scenarios/measurements/drafts.toml.
struct DraftMethod {
    std::vector<std::string> names;
    std::uint64_t passes = 0;              // 0: one for each token
    std::uint64_t layers = 1;              // that draft
    bool block = false;                    // all tokens of a draft in a pass
    bool on_host = false;                  // no layer drafts
    std::optional<DraftRange> acceptance;  // of each token, of models that are not listed; assumed
    std::vector<ModelDrafts> of_models;
};

/// Reads drafts.toml. Throws UserError for what is wrong in it.
[[nodiscard]] std::vector<DraftMethod> read_drafts(const std::filesystem::path& file);

/// The probability of each token of a draft, if those before it were accepted, with which so many of
/// `drafted` are accepted on average.
[[nodiscard]] double acceptance_for(double accepted, std::uint64_t drafted);

/// A method and the tokens of a draft, as a row's workload names them: "MTP3", "Eagle3 k3", "DFlash spec 7".
struct StatedDraft {
    const DraftMethod* method = nullptr;
    std::optional<std::uint64_t> drafted;
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

/// `model`: the name of its file, of which the method may say more than of others.
[[nodiscard]] std::variant<SpeculationTable, WhyNot> speculation_of(const ServerCommand& command,
                                                                    const std::vector<DraftMethod>& methods,
                                                                    const std::string& model);

}  // namespace ascendsim::validation
