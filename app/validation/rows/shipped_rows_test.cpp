// SPDX-License-Identifier: Apache-2.0
// The shipped measurements of high reliability, planned and not run.
#include <map>

#include <gtest/gtest.h>

#include "app/validation/catalogue.hpp"
#include "app/validation/family.hpp"
#include "models/spec/chip_file.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::validation {
namespace {

/// Whether a row is run, and if not, why.
std::string planned(const Measurement& one,
                    const std::vector<NamedFamily>& families,
                    const Catalogue& catalogue,
                    const ChipSpec& chip) {
    const Row row{one};
    for (const NamedFamily& family : families) {
        if (family.name == one.family()) {
            const Adapted adapted = family.family->adapt(
                row, {.chip = chip, .source = catalogue.source(row), .values = catalogue.values(row)});
            const WhyNot* const why = std::get_if<WhyNot>(&adapted);
            return why != nullptr ? "refused: " + why->reason : row.not_understood();
        }
    }
    return "refused: no family";
}

// A row that is refused silently shrinks what is judged: each must be wholly understood, or have been refused
// by its family for a reason of its own.
TEST(ShippedRows, AreUnderstoodWholly) {
    const auto installation = toolchain::Installation::find();
    const Catalogue catalogue{installation.measurements()};
    const std::vector<NamedFamily> families = make_families();
    const ChipSpec chip = load_chip("910b3", installation.chips());
    std::map<bool, int> counts;
    for (const Measurement& one : read_measurements(installation.measurements() / "measurements.csv")) {
        if (one.reliability == "high" && !one.is_breakdown()) {
            const std::string why = planned(one, families, catalogue, chip);
            const bool refused = why.starts_with("refused");
            ++counts[refused];
            EXPECT_TRUE(why.empty() || refused) << one.id << " " << one.shape << ": " << why;
        }
    }
    EXPECT_GT(counts[false], 50 * counts[true]);  // docs/fidelity.md lists the few that do not run
}

}  // namespace
}  // namespace ascendsim::validation
