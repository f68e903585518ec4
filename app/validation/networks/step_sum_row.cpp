// SPDX-License-Identifier: Apache-2.0
#include "app/validation/networks/step_sum_row.hpp"

#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace ascendsim::validation {
namespace {

/// The one pass that a row by itself states.
std::variant<WindowPass, WhyNot> stated_pass(const SystemRow& row, bool one_layer) {
    if (row.notes.find("window of fixed length") != std::string::npos ||
        row.notes.find("forward passes") != std::string::npos) {
        return WhyNot{"a window of passes, whose number and sizes are not stated"};
    }
    if (!row.says("prefill")) {
        return WhyNot{"decoding steps of a number or of contexts that are not stated"};
    }
    const std::optional<std::uint64_t> tokens = number_after(row.shape, one_layer ? "seq" : "isl");
    if (!tokens || *tokens == 0) {
        return WhyNot{"the length of the prompt is not stated"};
    }
    return WindowPass{.tokens = *tokens, .results = 1};
}

}  // namespace

bool is_step_sum(const SystemRow& row) {
    return row.category == "step_trace" ||
           (row.category == "kernel_mean" && row.says("sum of compute kernels of one layer"));
}

std::variant<StepSumCase, WhyNot> step_sum_case(const SystemRow& row,
                                                const toolchain::Installation& installation,
                                                const ServingData& data) {
    const bool one_layer = row.category == "kernel_mean";
    const std::optional<SourceStatement> statement =
        statement_about(row, read_statements(installation.measurements() / "statements.toml"));
    const bool communicates =
        row.metric == "Communication(Not Overlapped)" && statement && !statement->exchanges.empty();
    if (!one_layer && row.metric != "Computing" && !communicates) {
        return WhyNot{"a part of a step that holds waiting, or overheads of the profiler"};
    }
    if (statement && !statement->refused.empty()) {
        return WhyNot{statement->refused};
    }
    std::vector<WindowPass> passes = statement ? statement->passes : std::vector<WindowPass>{};
    if (passes.empty()) {
        const std::variant<WindowPass, WhyNot> stated = stated_pass(row, one_layer);
        if (const auto* why = std::get_if<WhyNot>(&stated)) {
            return *why;
        }
        passes = {std::get<WindowPass>(stated)};
    }
    const std::variant<ServedSystem, WhyNot> found =
        system_of(row, installation, data, UnstatedLayout::all_devices_if_dense);
    if (const auto* why = std::get_if<WhyNot>(&found)) {
        return *why;
    }
    const auto& system = std::get<ServedSystem>(found);
    StepSumCase sum{.file = system.for_one_request(),
                    .passes = std::move(passes),
                    .one_layer = one_layer,
                    .kernels = statement ? statement->kernels : std::vector<std::string>{},
                    .beside = statement ? statement->beside : std::vector<StatedLaunch>{},
                    .exchanges = communicates ? statement->exchanges : std::vector<StatedExchange>{},
                    .assumed = system.assumed};
    if (statement) {
        sum.assumed += (sum.assumed.empty() ? "" : "; ") + statement->why;
    }
    return sum;
}

KernelSum exchanges_sum(const std::string& file,
                        const std::vector<StatedExchange>& exchanges,
                        const toolchain::Installation& installation) {
    const serving::ServeConfig config = serving::parse_serving(file, "row.toml", installation);
    KernelSum sum;
    for (const StatedExchange& exchange : exchanges) {
        std::vector<std::uint32_t> ranks(exchange.ranks);
        std::iota(ranks.begin(), ranks.end(), 0U);
        const double us = node::collective_us(
            config.node, {.kind = exchange.kind, .bytes = exchange.bytes, .ranks = std::move(ranks)});
        sum.us += us * exchange.count;
        sum.parts.push_back(fmt::format("{} of {} B by {}: {:.0f} of {:.1f} us",
                                        node::name(exchange.kind),
                                        exchange.bytes,
                                        exchange.ranks,
                                        exchange.count,
                                        us));
    }
    return sum;
}

}  // namespace ascendsim::validation
