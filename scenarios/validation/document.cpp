// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "scenarios/studies/batch.hpp"
#include "scenarios/validation/report.hpp"

namespace ascendsim::validation {

void write_document(const Validation& validation,
                    const std::filesystem::path& folder,
                    const host::Installation& /*installation*/) {
    study::make_folder(folder / "images");
    study::write_file(folder / "images" / "fidelity.svg", scatter_svg(validation));
    study::write_file(folder / "fidelity.md",
                      "# Fidelity\n\n```\n" + validation_text(validation, report::Style{}) + "```\n");
}

}  // namespace ascendsim::validation
