// SPDX-License-Identifier: Apache-2.0
#include "app/validation/serving/serving_validation.hpp"

#include <optional>

#include <fmt/format.h>

#include "app/validation/serving/served_row.hpp"
#include "app/validation/serving/step_runs.hpp"
#include "models/spec/chip_file.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::validation {
namespace {

using serving::ServeConfig;
using serving::ServeFigures;

double figure_of(const ServeFigures& figures, const ServedCase& served) {
    const auto of = [&](const serving::Distribution& distribution) {
        return served.percentile == 0     ? distribution.mean
               : served.percentile < 0.6  ? distribution.p50
               : served.percentile < 0.95 ? distribution.p90
                                          : distribution.p99;
    };
    switch (served.metric) {
        case ServedMetric::ttft:
            return of(figures.ttft_ms);
        case ServedMetric::tpot:
            return of(figures.tpot_ms);
        case ServedMetric::e2e:
            return of(figures.e2e_ms);
        case ServedMetric::tokens_per_s:
            return (served.batch > 0 ? served.batch * serving::us_a_ms / figures.tpot_ms.mean
                                     : figures.output_tokens_per_s) /
                   served.devices;
        case ServedMetric::requests_per_s:
            return figures.requests_per_s;
    }
    return 0;
}

std::string group_of_metric(ServedMetric metric) {
    switch (metric) {
        case ServedMetric::ttft:
            return "ttft";
        case ServedMetric::tpot:
            return "tpot";
        case ServedMetric::e2e:
            return "e2e";
        default:
            return "throughput";
    }
}

/// The group of a row that did not run, by its metric.
std::string group_of_row(const SystemRow& row) {
    return row.category == "kernel_mean"         ? "kernels"
           : row.unit == "ms" || row.unit == "s" ? "tpot"
                                                 : "throughput";
}

/// A prompt cannot be computed faster than the cubes multiply.
std::string faster_than_the_chip(const SystemRow& row, const ServedCase& served, const ServeConfig& config) {
    if (served.metric != ServedMetric::ttft || row.unit != "ms") {
        return {};
    }
    const double tflops = peak_fp16_tflops(config.chip) * config.layout.tensor *
                          (config.weights == networks::llm::Weights::half ? 1 : 2);
    const double least_ms = 2 * static_cast<double>(config.model.active_parameters()) *
                            static_cast<double>(config.requests.prompt.mean) / (tflops * 1e9);
    return row.value < least_ms
               ? fmt::format(
                     "less than the {:.0f} ms that the products of such a prompt take at the cubes' peak; "
                     "its length is not what it says",
                     least_ms)
               : std::string{};
}

void judge_served(JudgedSystemRow& judged,
                  const toolchain::Installation& installation,
                  const ServingData& data,
                  StepRuns& runs) {
    const auto found = served_case(judged.row, installation, data);
    if (const auto* why = std::get_if<WhyNot>(&found)) {
        judged.group = group_of_row(judged.row);
        judged.why_not = why->reason;
        return;
    }
    const auto& served = std::get<ServedCase>(found);
    judged.group = group_of_metric(served.metric);
    const ServeConfig config = serving::parse_serving(served.file, "row.toml", installation);
    judged.why_not = faster_than_the_chip(judged.row, served, config);
    if (!judged.why_not.empty()) {
        return;
    }
    judged.simulated = figure_of(runs.figures(served.file), served);
    if (judged.row.unit == "s") {
        *judged.simulated /= serving::us_a_ms;
    }
    judged.run = fmt::format("{} on {} of {}{}",
                             config.model.name,
                             config.devices(),
                             config.node.name,
                             served.assumed.empty() ? "" : "; " + served.assumed);
}

bool is_served(const SystemRow& row) {
    return row.category == "serving" || row.category == "serving_nightly" || row.category == "e2e_latency";
}

/// The text of the file that a row's load is served from; nothing if it is not.
std::optional<std::string> load_to_serve(const SystemRow& row,
                                         const toolchain::Installation& installation,
                                         const ServingData& data) {
    try {
        const auto found = served_case(row, installation, data);
        const auto* served = std::get_if<ServedCase>(&found);
        const bool serves =
            served != nullptr &&
            faster_than_the_chip(row, *served, serving::parse_serving(served->file, "row.toml", installation))
                .empty();
        return serves ? std::optional{served->file} : std::nullopt;
    } catch (const UserError&) {
        return std::nullopt;  // which judging the row tells
    }
}

}  // namespace

void judge_step_kernel(JudgedSystemRow& judged,
                       const toolchain::Installation& installation,
                       const ServingData& data,
                       StepRuns& runs) {
    judged.group = "kernels";
    const auto found = step_kernel_case(judged.row, installation, data);
    if (const auto* why = std::get_if<WhyNot>(&found)) {
        judged.why_not = why->reason;
        return;
    }
    const auto& kernel = std::get<StepKernelCase>(found);
    KernelSum sum = runs.kernel_us(kernel);
    judged.simulated = sum.us;
    judged.parts = std::move(sum.parts);
    judged.run = kernel.op + (kernel.assumed.empty() ? "" : "; " + kernel.assumed);
}

const std::vector<SystemGroup>& serving_groups() {
    static const std::vector<SystemGroup> groups{
        {"kernels", "kernels of a step", 0.20},
        {"tpot", "time of a token", 0.15},
        {"ttft", "time to the first token", 0.20},
        {"e2e", "whole requests", 0.20},
        {"throughput", "throughput", 0.20},
    };
    return groups;
}

SystemValidation validate_serving(const std::filesystem::path& data,
                                  const toolchain::Installation& installation,
                                  const networks::TaskOptions& options) {
    const std::filesystem::path file = data.empty() ? installation.measurements() / "serving.csv" : data;
    SystemValidation result{.data = file.string(), .groups = serving_groups(), .rows = {}};
    const ServingData known = read_serving_data(installation);
    StepRuns runs{installation, options};
    const std::vector<SystemRow> rows = read_system_rows(file);
    std::vector<std::string> loads;
    for (const SystemRow& row : rows) {
        if (is_served(row)) {
            if (const auto load = load_to_serve(row, installation, known)) {
                loads.push_back(*load);
            }
        }
    }
    runs.serve(loads);
    for (const SystemRow& row : rows) {
        JudgedSystemRow judged{.row = row};
        try {
            if (is_served(row)) {
                judge_served(judged, installation, known, runs);
            } else if (row.category == "kernel_mean") {
                judge_step_kernel(judged, installation, known, runs);
            }
        } catch (const UserError& error) {
            judged.why_not = error.what();
        }
        result.rows.push_back(std::move(judged));
    }
    return result;
}

}  // namespace ascendsim::validation
