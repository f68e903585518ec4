// SPDX-License-Identifier: Apache-2.0
#include "app/validation/networks/networks_validation.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/networks/operator_lines.hpp"
#include "app/validation/networks/kernel_launches.hpp"
#include "app/validation/networks/operator_row.hpp"
#include "app/validation/networks/step_sum_row.hpp"
#include "app/validation/serving/serving_validation.hpp"
#include "app/validation/serving/single_launches.hpp"
#include "models/spec/chip_file.hpp"
#include "sim/base/error.hpp"
#include "sim/base/lower_case.hpp"

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

/// "1 x a prompt of 256 tokens, 2 x 16 that decode, of 257 keys"
std::string passes_text(const std::vector<WindowPass>& passes) {
    std::string text;
    for (const WindowPass& pass : passes) {
        text += text.empty() ? "" : ", ";
        text += pass.tokens != 0
                    ? fmt::format("{:.0f} x {} of {} tokens",
                                  pass.count,
                                  pass.prompts == 1 ? std::string{"a prompt"}
                                                    : fmt::format("{} prompts", pass.prompts),
                                  pass.tokens)
                    : fmt::format(
                          "{:.0f} x {} that decode, of {:.0f} keys", pass.count, pass.decoding, pass.keys);
    }
    return text;
}

/// Cores at another clock than the chip's own. What starts them is clocked alike: at 0.8 of 1.85 GHz, each
/// further core starts 62 ns after the one before it instead of 30 (statements.toml, fused_gdn_gating).
void set_clock(ChipSpec& chip, double ghz) {
    const double slower = chip.cores.clock_ghz / ghz;
    chip.cores.clock_ghz = ghz;
    for (double* us : {&chip.launch.head_us, &chip.launch.per_core_us, &chip.launch.tail_us}) {
        *us *= slower;
    }
}

std::string clock_text(const OperatorCase& one) {
    return one.clock_ghz > 0 ? fmt::format(" at {:.2f} GHz", one.clock_ghz) : std::string{};
}

/// Runs operators and steps for rows.
class NetworkJudge {
public:
    NetworkJudge(const toolchain::Installation& installation, const networks::TaskOptions& options)
        : installation_{installation},
          options_{options},
          served_{read_serving_data(installation)},
          statements_{read_statements(installation.measurements() / "statements.toml")},
          first_task_us_{first_task_us(installation)},
          runs_{installation, options},
          runs_one_by_one_{installation, options, first_task_us_} {}

    [[nodiscard]] JudgedSystemRow judge(const SystemRow& row) {
        JudgedSystemRow judged{.row = row};
        try {
            if (row.category == "fusion_gain") {
                judged.group = "fused";
                judge_operator(judged);
            } else if (is_step_sum(row)) {
                judged.group = "sums";
                judge_sum(judged);
            } else {
                judge_kernel(judged);
            }
        } catch (const UserError& error) {
            judged.why_not = error.what();
        }
        return judged;
    }

private:
    /// The launches that its source lists; a kernel of a step of a model; an operator by itself; or else the
    /// kernel that the row names, with its shape.
    void judge_kernel(JudgedSystemRow& judged) {
        const std::optional<SourceStatement> statement = statement_about(judged.row, statements_);
        if (statement && !statement->refused.empty()) {
            judged.group = "kernels";
            judged.why_not = statement->refused;
            return;
        }
        if (statement && !statement->launches.empty()) {
            judge_launches(judged, statement->launches, statement->why);
            return;
        }
        judge_step_kernel(judged, installation_, served_, runs_of(judged.row));
        const std::string why = std::exchange(judged.why_not, {});
        if (!judged.simulated) {
            judge_operator(judged);
        }
        if (!judged.simulated) {
            try {
                judge_launches(judged, {launch_in(judged.row)}, {});
            } catch (const UserError&) {
                judged.why_not = why;
            }
        }
    }

    StepRuns& runs_of(const SystemRow& row) { return launched_one_by_one(row) ? runs_one_by_one_ : runs_; }

    void judge_launches(JudgedSystemRow& judged,
                        const std::vector<StatedLaunch>& launches,
                        const std::string& why) const {
        judged.group = "kernels";
        KernelSum mean = mean_of_launches(launches, judged.row, installation_, options_.jobs);
        set_time(judged, mean.us);
        judged.parts = std::move(mean.parts);
        judged.why_not = judged.simulated ? std::string{} : judged.why_not;
        judged.run = launches.front().kernel + (why.empty() ? "" : "; " + why);
    }

    void judge_operator(JudgedSystemRow& judged) {
        const auto found = operator_case(judged.row, installation_, statement_about(judged.row, statements_));
        if (const auto* why = std::get_if<WhyNot>(&found)) {
            judged.why_not = why->reason;
            return;
        }
        const auto& one = std::get<OperatorCase>(found);
        ChipSpec chip = load_chip(one.chip, installation_.chips());
        if (one.clock_ghz > 0) {
            set_clock(chip, one.clock_ghz);
        }
        if (one.eager || (judged.row.category == "kernel_mean" && launched_one_by_one(judged.row))) {
            chip.launch.per_core_us += first_task_us_;
        }
        networks::TaskOptions options = options_;
        const bool again = lower(judged.row.notes).find("warm") != std::string::npos;
        options.l2 = again ? runtime::L2State::warm : runtime::L2State::chained;
        if (one.metric == OperatorMetric::gain) {
            judged.group = "gains";
            const KernelSum apart = sum_of(one, chip, options, false);
            const KernelSum fused = sum_of(one, chip, options, true);
            judged.simulated = apart.us / fused.us;
            judged.parts = apart.parts;
            judged.parts.push_back(fmt::format("{:.2f} us apart, {:.2f} us fused", apart.us, fused.us));
            judged.parts.insert(judged.parts.end(), fused.parts.begin(), fused.parts.end());
        } else {
            KernelSum sum = sum_of(one, chip, options, one.metric == OperatorMetric::fused);
            set_time(judged, sum.us);
            judged.parts = std::move(sum.parts);
        }
        const std::string name =
            one.kernel && one.metric != OperatorMetric::apart
                ? "the kernel " + one.kernel->kernel
                : one.network.file.stem().string() +
                      (one.metric == OperatorMetric::apart ? ", operator by operator" : ", fused here");
        judged.run = fmt::format("{}, on {}{}{}",
                                 name,
                                 chip.name + clock_text(one),
                                 again ? ", L2 warm" : "",
                                 one.assumed.empty() ? "" : "; " + one.assumed);
    }

    [[nodiscard]] KernelSum sum_of(const OperatorCase& one,
                                   const ChipSpec& chip,
                                   const networks::TaskOptions& options,
                                   bool fused) const {
        if (fused && one.kernel) {
            const networks::TaskResult result =
                run_tasks({*one.kernel}, chip, installation_, options).front();
            if (!result.error.empty()) {
                throw UserError{"{}: {}", one.kernel->kernel, result.error};
            }
            return {.us = result.time_us, .parts = {kernel_text(one.kernel->kernel, result)}};
        }
        report::FiguredNetwork network = one.network;
        network.fuse = fused ? "all" : "none";
        const report::NetworkRun run = timed_network(network, chip, installation_, options);
        KernelSum sum;
        for (const report::Line& line : report::lines_of(run.plan, run.results)) {
            sum.us += line.time_us;
            if (line.time_us > 0) {
                sum.parts.push_back(kernel_text(line.node->op,
                                                {.time_us = line.time_us,
                                                 .core_us = line.core_us,
                                                 .busiest = line.busiest,
                                                 .busy_share = line.busy_share}));
            }
        }
        return sum;
    }

    /// What kernels beside the passes add.
    [[nodiscard]] static std::string share_text(double beside_us, double all_us) {
        return all_us > 0 ? fmt::format(", and {:.1f} % beside them", 100 * beside_us / all_us)
                          : std::string{};
    }

    void judge_sum(JudgedSystemRow& judged) {
        const auto found = step_sum_case(judged.row, installation_, served_);
        if (const auto* why = std::get_if<WhyNot>(&found)) {
            judged.why_not = why->reason;
            return;
        }
        const auto& sum = std::get<StepSumCase>(found);
        if (!sum.exchanges.empty()) {
            KernelSum exchanges = exchanges_sum(sum.file, sum.exchanges, installation_);
            set_time(judged, exchanges.us);
            judged.parts = std::move(exchanges.parts);
            judged.run = "the collectives of " + passes_text(sum.passes) + "; " + sum.assumed;
            return;
        }
        KernelSum kernels = runs_of(judged.row).passes_us(sum.file, sum.passes, sum.one_layer, sum.kernels);
        std::string left_out;
        std::string share;
        if (!sum.beside.empty()) {
            const LaunchesSum beside = sum_of_launches(sum.beside, judged.row, installation_, options_.jobs);
            kernels.us += beside.kernels.us;
            share = share_text(beside.kernels.us, kernels.us);
            kernels.parts.insert(
                kernels.parts.end(), beside.kernels.parts.begin(), beside.kernels.parts.end());
            left_out = fmt::format("{}", fmt::join(beside.left_out, ", "));
        }
        set_time(judged, kernels.us);
        judged.parts = std::move(kernels.parts);
        judged.run = fmt::format("{} of {}{}{}{}",
                                 sum.one_layer ? "a layer" : "the kernels",
                                 passes_text(sum.passes),
                                 share,
                                 left_out.empty() ? "" : "; left out: " + left_out,
                                 sum.assumed.empty() ? "" : "; " + sum.assumed);
    }

    const toolchain::Installation& installation_;
    const networks::TaskOptions& options_;
    ServingData served_;
    std::vector<SourceStatement> statements_;
    double first_task_us_;
    StepRuns runs_;
    StepRuns runs_one_by_one_;
};

/// What the rows "time before" and "time after" of one thing say together; nothing of other rows.
std::optional<JudgedSystemRow> gain_of(const JudgedSystemRow& before, const JudgedSystemRow& after) {
    const auto same = [&](std::string SystemRow::*column) { return before.row.*column == after.row.*column; };
    if (!before.simulated || !after.simulated || before.row.metric != "time before" ||
        after.row.metric != "time after" || !same(&SystemRow::chip) || !same(&SystemRow::workload) ||
        !same(&SystemRow::shape) || !same(&SystemRow::unit)) {
        return std::nullopt;
    }
    JudgedSystemRow gain{.row = before.row, .group = "gains"};
    gain.row.id += "/" + after.row.id;
    gain.row.metric = "before/after";
    gain.row.unit = "x";
    gain.row.value = before.row.value / after.row.value;
    gain.simulated = *before.simulated / *after.simulated;
    gain.run = before.run + " / " + after.run;
    return gain;
}

void add_gains(std::vector<JudgedSystemRow>& rows) {
    std::vector<JudgedSystemRow> gains;
    for (const JudgedSystemRow& before : rows) {
        for (const JudgedSystemRow& after : rows) {
            if (std::optional<JudgedSystemRow> gain = gain_of(before, after)) {
                gains.push_back(*std::move(gain));
                break;
            }
        }
    }
    rows.insert(rows.end(), gains.begin(), gains.end());
}

std::vector<SystemRow> rows_of(const std::filesystem::path& data,
                               const toolchain::Installation& installation) {
    if (!data.empty()) {
        return read_system_rows(data);
    }
    std::vector<SystemRow> rows;
    for (const char* file : {"networks.csv", "serving.csv", "system.csv"}) {
        for (SystemRow& row : read_system_rows(installation.measurements() / file)) {
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

bool is_of_networks(const SystemRow& row) {
    return row.category == "kernel_mean" || row.category == "step_trace" || row.category == "fusion_gain";
}

}  // namespace

const std::vector<SystemGroup>& networks_groups() {
    static const std::vector<SystemGroup> groups{
        {"kernels", "kernels", 0.20},
        {"sums", "sums of operators", 0.20},
        {"fused", "fused operators", 0.20},
        {.name = "gains", .title = "gains of fusion", .target = 0.15, .signed_target = 0.95},
    };
    return groups;
}

SystemValidation validate_networks(const std::filesystem::path& data,
                                   const toolchain::Installation& installation,
                                   const networks::TaskOptions& options) {
    SystemValidation result{
        .data = data.empty() ? (installation.measurements() / "{networks,serving,system}.csv").string()
                             : data.string(),
        .groups = networks_groups(),
        .rows = {}};
    NetworkJudge judge{installation, options};
    for (const SystemRow& row : rows_of(data, installation)) {
        if (is_of_networks(row)) {
            result.rows.push_back(judge.judge(row));
        }
    }
    add_gains(result.rows);
    return result;
}

}  // namespace ascendsim::validation
