// SPDX-License-Identifier: Apache-2.0
#include "app/validation/serving/serving_validation.hpp"

#include <optional>

#include <fmt/format.h>

#include "app/validation/serving/row_bounds.hpp"
#include "app/validation/serving/served_row.hpp"
#include "app/validation/serving/single_launches.hpp"
#include "app/validation/serving/step_runs.hpp"
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

/// A first token that waits for no other request: of a prompt alone, or of a script's batch, which begins as
/// one.
bool is_unloaded(const SystemRow& row, const ServeConfig& config) {
    const serving::RequestPlan& plan = config.requests;
    return row.category == "e2e_latency" || plan.count == 1 ||
           (plan.arrivals == serving::Arrivals::closed && plan.concurrency == 1);
}

std::string group_of_metric(ServedMetric metric, bool unloaded) {
    switch (metric) {
        case ServedMetric::ttft:
            return unloaded ? "prefill" : "ttft";
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
    judged.group = group_of_metric(served.metric, false);
    const ServeConfig config = serving::parse_serving(served.file, "row.toml", installation);
    const NightlyRun* nightly = nightly_run(data.nightly, judged.row);
    judged.group = nightly != nullptr && !nightly->floor.empty()
                       ? "floors"
                       : group_of_metric(served.metric, is_unloaded(judged.row, config));
    judged.why_not = beyond_the_machine(judged.row, served, config);
    if (!judged.why_not.empty()) {
        return;
    }
    judged.configuration = served.file;
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

/// Of the configurations that vllm-ascend runs every night, those that are served.
SystemCoverage nightly_coverage(const std::vector<JudgedSystemRow>& rows) {
    SystemCoverage coverage{
        .name = "nightly", .title = "nightly configurations", .rows = 0, .ran = 0, .target = 0.8};
    for (const JudgedSystemRow& row : rows) {
        coverage.rows += row.row.category == "serving_nightly" ? 1U : 0U;
        coverage.ran += row.row.category == "serving_nightly" && row.simulated ? 1U : 0U;
    }
    return coverage;
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
            beyond_the_machine(row, *served, serving::parse_serving(served->file, "row.toml", installation))
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
    constexpr double order = 0.8;
    static const std::vector<SystemGroup> groups{
        {.name = "kernels", .title = "kernels of a step", .target = 0.20},
        {.name = "tpot", .title = "time of a token", .target = 0.15, .order_target = order},
        {.name = "prefill", .title = "unloaded first token", .target = 0.20, .order_target = order},
        {.name = "ttft", .title = "first token under load", .order_target = order},
        {.name = "e2e", .title = "whole requests", .target = 0.20, .order_target = order},
        {.name = "throughput", .title = "throughput", .target = 0.20, .order_target = order},
        {.name = "floors", .title = "floors of nightly runs"},
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
    StepRuns one_by_one{installation, options, first_task_us(installation)};
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
                judge_step_kernel(judged, installation, known, launched_one_by_one(row) ? one_by_one : runs);
            }
        } catch (const UserError& error) {
            judged.why_not = error.what();
        }
        result.rows.push_back(std::move(judged));
    }
    result.coverage.push_back(nightly_coverage(result.rows));
    return result;
}

}  // namespace ascendsim::validation
