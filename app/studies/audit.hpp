// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/report/style.hpp"
#include "app/scenario/claims.hpp"
#include "app/studies/baseline.hpp"
#include "models/spec/chip_spec.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::study {

/// The verdict on a claim.
enum class ClaimVerdict : std::uint8_t {
    holds,       // arithmetic or a run agrees
    fails,       // it does not
    impossible,  // beyond what physics or algebra allows
    open,        // within its bound, and no run tells
};

inline constexpr std::array<std::string_view, 4> claim_verdict_names{"holds", "fails", "impossible", "open"};

/// The verdict as reports write it.
[[nodiscard]] constexpr std::string_view name(ClaimVerdict verdict) {
    return claim_verdict_names[static_cast<std::size_t>(verdict)];
}

/// A claim with its verdict.
struct JudgedClaim {
    scenario::Claim claim;
    ClaimVerdict verdict = ClaimVerdict::open;
    double value = 0;
    std::vector<std::string> arithmetic;  // a line each
};

/// The claims of one file.
struct Audit {
    std::string name;  // of the file
    std::string title;
    std::string chip;
    std::vector<JudgedClaim> claims;
};

/// A network whose simulation claims ask for, from [[networks]] of a file that holds claims alone.
struct ClaimNetwork {
    std::string label;                 // figures of it are `<figure>@<label>`
    std::filesystem::path network;     // below scenarios/
    std::vector<std::string> extents;  // "N=32"
    std::string fuse;                  // as `ascendsim model --fuse` takes it
};

/// A serving system or a step of training whose simulation claims ask for, from [[systems]].
struct ClaimSystem {
    std::string label;
    bool serves = false;                // `ascendsim serve`; else `ascendsim train`
    std::filesystem::path file;         // below scenarios/
    std::vector<std::string> settings;  // as --set takes them
};

/// A file with claims, before they are judged: a scenario, or one that holds facts and claims alone.
struct ClaimFile {
    std::string name;
    std::string title;
    ChipSpec chip;
    std::vector<scenario::Fact> facts;
    std::vector<scenario::Claim> claims;
    bool runs = false;  // it is a scenario, or has networks: figures of runs may be asked for
    std::vector<ClaimNetwork> networks{};
    std::vector<ClaimSystem> systems{};
};

/// Reads one. Throws UserError as scenarios do.
[[nodiscard]] ClaimFile read_claim_file(const std::filesystem::path& file,
                                        const toolchain::Installation& installation);

/// All files with claims of the installation: scenarios/*.toml and scenarios/claims/*.toml, by name.
[[nodiscard]] std::vector<std::filesystem::path> claim_files(const toolchain::Installation& installation);

/// Figures of a file's runs by label; a figure asked for without a variant is that of the only run.
using RunFigures = std::map<std::string, Baseline>;

/// Judges all claims of a file. Throws UserError for an invalid expression.
[[nodiscard]] Audit judge_claims(const ClaimFile& file, const RunFigures& runs);

/// For people.
[[nodiscard]] std::string audit_text(const std::vector<Audit>& audits, const report::Style& style);
/// For documentation; the same bytes for the same audits.
[[nodiscard]] std::string audit_markdown(const std::vector<Audit>& audits);
/// For programs.
[[nodiscard]] nlohmann::ordered_json audit_json(const std::vector<Audit>& audits);

}  // namespace ascendsim::study
