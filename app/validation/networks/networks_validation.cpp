// SPDX-License-Identifier: Apache-2.0
#include "app/validation/networks/networks_validation.hpp"

#include <utility>

#include <fmt/format.h>

#include "app/validation/networks/network_row.hpp"
#include "app/validation/serving/serving_validation.hpp"
#include "models/spec/chip_file.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::validation {
namespace {

constexpr double us_a_second = 1e6;

/// Microseconds in the row's unit; nothing for another unit.
std::optional<double> in_unit(double us, const std::string& unit) {
    if (unit == "us") {
        return us;
    }
    if (unit == "ms") {
        return us / 1000;
    }
    return unit == "s" ? std::optional{us / us_a_second} : std::nullopt;
}

void set_time(JudgedSystemRow& judged, double us) {
    judged.simulated = in_unit(us, judged.row.unit);
    if (!judged.simulated) {
        judged.why_not = fmt::format("a time in '{}'", judged.row.unit);
    }
}

void judge_fusion(JudgedSystemRow& judged,
                  const toolchain::Installation& installation,
                  const networks::TaskOptions& options) {
    judged.group = "fused";
    const auto found = fusion_case(judged.row, installation);
    if (const auto* why = std::get_if<WhyNot>(&found)) {
        judged.why_not = why->reason;
        return;
    }
    const auto& fusion = std::get<FusionCase>(found);
    judged.group = fusion.metric == FusionMetric::gain ? "gains" : "fused";
    const ChipSpec chip = load_chip(fusion.chip, installation.chips());
    const auto us_of = [&](const std::string& fuse) {
        report::FiguredNetwork network = fusion.network;
        network.fuse = fuse;
        return network_figures(network, chip, installation, options.jobs).at("time_us");
    };
    const double us = us_of(fusion.network.fuse);
    if (fusion.metric == FusionMetric::gain) {
        judged.simulated = us_of("none") / us;
    } else {
        set_time(judged, us);
    }
    judged.run = fmt::format("{} on {}{}",
                             fusion.network.file.stem().string(),
                             chip.name,
                             fusion.assumed.empty() ? "" : ", " + fusion.assumed);
}

void judge_sum(JudgedSystemRow& judged, const toolchain::Installation& installation, StepRuns& runs) {
    judged.group = "sums";
    const auto found = step_sum_case(judged.row, installation);
    if (const auto* why = std::get_if<WhyNot>(&found)) {
        judged.why_not = why->reason;
        return;
    }
    const auto& sum = std::get<StepSumCase>(found);
    set_time(judged, runs.prompt_us(sum.file, sum.tokens, sum.one_layer));
    judged.run = fmt::format("{} of a prompt of {} tokens{}",
                             sum.one_layer ? "a layer" : "the kernels",
                             sum.tokens,
                             sum.assumed.empty() ? "" : "; " + sum.assumed);
}

std::vector<SystemRow> rows_of(const std::filesystem::path& data,
                               const toolchain::Installation& installation) {
    if (!data.empty()) {
        return read_system_rows(data);
    }
    std::vector<SystemRow> rows = read_system_rows(installation.measurements() / "serving.csv");
    for (SystemRow& row : read_system_rows(installation.measurements() / "system.csv")) {
        rows.push_back(std::move(row));
    }
    return rows;
}

bool is_of_networks(const SystemRow& row) {
    return row.category == "kernel_mean" || row.category == "step_trace" || row.category == "fusion_gain";
}

}  // namespace

const std::vector<SystemGroup>& networks_groups() {
    static const std::vector<SystemGroup> groups{
        {"kernels", "kernels of a step", 0.20},
        {"sums", "sums of operators", 0.20},
        {"fused", "fused operators", 0.20},
        {"gains", "gains of fusion", 0.15},
    };
    return groups;
}

SystemValidation validate_networks(const std::filesystem::path& data,
                                   const toolchain::Installation& installation,
                                   const networks::TaskOptions& options) {
    SystemValidation result{.data = data.empty()
                                        ? (installation.measurements() / "{serving,system}.csv").string()
                                        : data.string(),
                            .groups = networks_groups(),
                            .rows = {}};
    StepRuns runs{installation, options};
    for (const SystemRow& row : rows_of(data, installation)) {
        if (!is_of_networks(row)) {
            continue;
        }
        JudgedSystemRow judged{.row = row};
        try {
            if (row.category == "fusion_gain") {
                judge_fusion(judged, installation, options);
            } else if (is_step_sum(row)) {
                judge_sum(judged, installation, runs);
            } else {
                judge_step_kernel(judged, installation, runs);
            }
        } catch (const UserError& error) {
            judged.why_not = error.what();
        }
        result.rows.push_back(std::move(judged));
    }
    return result;
}

}  // namespace ascendsim::validation
