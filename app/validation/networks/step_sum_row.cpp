// SPDX-License-Identifier: Apache-2.0
#include "app/validation/networks/step_sum_row.hpp"

#include <optional>

#include <fmt/format.h>

namespace ascendsim::validation {

bool is_step_sum(const SystemRow& row) {
    return row.category == "step_trace" ||
           (row.category == "kernel_mean" && row.says("sum of compute kernels of one layer"));
}

std::variant<StepSumCase, WhyNot> step_sum_case(const SystemRow& row,
                                                const toolchain::Installation& installation,
                                                const ServingData& data) {
    const bool one_layer = row.category == "kernel_mean";
    if (!one_layer && row.metric != "Computing") {
        return WhyNot{"a part of a step that holds waiting, or overheads of the profiler"};
    }
    if (row.notes.find("window of fixed length") != std::string::npos ||
        row.notes.find("forward passes") != std::string::npos) {
        return WhyNot{"a window of steps, whose sizes are not stated"};
    }
    if (!row.says("prefill")) {
        return WhyNot{"a decoding step of a context that is not stated"};
    }
    const std::optional<std::uint64_t> tokens = number_after(row.shape, one_layer ? "seq" : "isl");
    if (!tokens || *tokens == 0) {
        return WhyNot{"the length of the prompt is not stated"};
    }
    const std::variant<ServedSystem, WhyNot> found =
        system_of(row, installation, data, UnstatedLayout::all_devices_if_dense);
    if (const auto* why = std::get_if<WhyNot>(&found)) {
        return *why;
    }
    const auto& system = std::get<ServedSystem>(found);
    return StepSumCase{.file = system.for_one_request(),
                       .tokens = *tokens,
                       .one_layer = one_layer,
                       .assumed = system.assumed};
}

}  // namespace ascendsim::validation
