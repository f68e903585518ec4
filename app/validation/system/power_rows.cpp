// SPDX-License-Identifier: Apache-2.0
// Rows of power: what a chip draws at work whose kind is stated.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/analysis/energy.hpp"
#include "app/validation/system/system_answer.hpp"
#include "models/spec/chip_file.hpp"
#include "sim/base/lower_case.hpp"

namespace ascendsim::validation {
namespace {

/// The shipped chip a row names, the most specific first; "910B" alone is the 910B3 of Atlas 800T A2.
std::string chip_of(const SystemRow& row) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 10> names{{{"910b2c", ""},
                                                                                   {"910b1", "910b1"},
                                                                                   {"910b2", "910b2"},
                                                                                   {"910b3", "910b3"},
                                                                                   {"910b4", "910b4"},
                                                                                   {"910b", "910b3"},
                                                                                   {"910c", "910c"},
                                                                                   {"910a", "910a"},
                                                                                   {"310p", "310p3"},
                                                                                   {"310 ", "310"}}};
    const std::string chip = lower(row.chip);
    for (const auto& [word, name] : names) {
        if (chip.find(word) != std::string::npos) {
            return std::string{name};
        }
    }
    return {};
}

/// One second of a kind of work at the chip's full rate.
struct SteadyWork {
    analysis::EnergyUse use;
    std::string words;
};

constexpr double second_us = 1e6;

double cube_cycles_per_second(const ChipSpec& chip) {
    return chip.cores.aic * chip.cores.clock_ghz * 1e9;
}

/// Products of operands that stay in L0 and L1, as ascend-dmi's.
SteadyWork resident_products(const ChipSpec& chip) {
    return {{.us = second_us, .cube_cycles = cube_cycles_per_second(chip)},
            "products at full rate, operands in L0"};
}

/// Large products: tiles of 128 x 256 results, whose operands come from L2; a tenth of these from memory.
SteadyWork large_products(const ChipSpec& chip) {
    constexpr double rows = 128;
    constexpr double columns = 256;
    constexpr double from_memory = 0.1;
    const double depth = chip.cube.k0_bytes;  // B of a row that a cycle takes
    const double per_cycle = chip.cube.m0 * chip.cube.n0 / (rows * columns) * (rows + columns) * depth;
    const double cycles = cube_cycles_per_second(chip);
    return {{.us = second_us,
             .cube_cycles = cycles,
             .local_bytes = cycles * per_cycle,
             .l2_bytes = cycles * per_cycle,
             .hbm_bytes = cycles * per_cycle * from_memory},
            "products at full rate, tiles of 128 x 256 from L2"};
}

SteadyWork copies(double gb_per_s, std::string words) {
    const double bytes = gb_per_s * 1e9;
    return {{.us = second_us, .hbm_bytes = bytes, .link_bytes = bytes}, std::move(words)};
}

std::optional<SteadyWork> work_of_row(const SystemRow& row,
                                      const ChipSpec& chip,
                                      const SystemContext& context) {
    if (row.says("idle")) {
        return SteadyWork{{.us = second_us}, "idle"};
    }
    if (row.says("gemm")) {
        return large_products(chip);
    }
    if (row.says("ascend-dmi -f")) {
        return resident_products(chip);
    }
    const std::string machine = machine_of(row);
    if (machine.empty()) {
        return std::nullopt;
    }
    if (row.says("p2p")) {
        return copies(context.machine(machine).hccs_near.read_dd.gb_per_s, "copies from another device");
    }
    if (row.says("h2d")) {
        return copies(context.machine(machine).copy.h2d_gb_per_s, "copies from the host");
    }
    return std::nullopt;
}

}  // namespace

SystemAnswer power_answer(const SystemRow& row, const SystemContext& context) {
    const std::string name = chip_of(row);
    if (name.empty() || row.unit != "W") {
        return WhyNot{name.empty() ? "no chip of this name is described" : "the unit is not W"};
    }
    const ChipFile chip = open_chip(name, context.installation().chips());
    const std::optional<SteadyWork> work = work_of_row(row, chip.spec, context);
    if (!work) {
        return WhyNot{
            "the operators of the job are not stated: how long cores were busy does not say with what"};
    }
    PowerSpec power = chip.power;
    const nlohmann::json metadata{{"power", to_json(fields_of(power))}};
    const analysis::Energy energy = analysis::energy_of(metadata, work->use).value();
    const double watts = std::min(energy.average_w, energy.limit_w);
    return Prediction{
        watts, fmt::format("{}: {}{}", name, work->words, energy.limited_us ? ", at the power limit" : "")};
}

}  // namespace ascendsim::validation
