// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "app/report/style.hpp"
#include "app/validation/validation.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::validation {

/// For people: the table by class and family, the worst rows, pipes, and a small scatter plot.
[[nodiscard]] std::string validation_text(const Validation& validation, const report::Style& style);

/// For programs. `rows`: {id, class, family, chip, kernel, shape, measured_us, simulated_us, error, why_not,
/// command, …}; `pipes`: {id, run, pipe, class, measured_us,
/// simulated_us, error}; `summary.known_source` and
/// `summary.black_box`: {rows, ran, mape, median_ape, p90_ape, bias, kendall}; the same of each family under
/// `families.<F>.known_source` and `.black_box`, and `summary.<class>.families.<F>`; of each
/// pipe's times under `summary.pipes.<pipe>` and `summary.<class>.pipes.<pipe>`. Errors are fractions;
/// what did not run has null.
[[nodiscard]] nlohmann::ordered_json validation_json(const Validation& validation);

/// One line a row.
[[nodiscard]] std::string validation_csv(const Validation& validation);

/// A page of its own with the scatter plot.
[[nodiscard]] std::string validation_html(const Validation& validation);

/// Measured against simulated time on logarithmic axes, a dot a row, as an SVG picture.
[[nodiscard]] std::string scatter_svg(const Validation& validation);

/// Writes `folder`/fidelity.md and its plot `folder`/images/fidelity.svg.
void write_document(const Validation& validation,
                    const std::filesystem::path& folder,
                    const toolchain::Installation& installation);

}  // namespace ascendsim::validation
