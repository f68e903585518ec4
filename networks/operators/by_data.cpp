// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "networks/operators/steps.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::networks {
namespace {

std::vector<std::size_t> unknown_operands(const Operator& with) {
    std::vector<std::size_t> unknown;
    for (std::size_t i = 0; i < with.inputs.size(); ++i) {
        if (with.has(i) && !with.inputs[i]->known()) {
            unknown.push_back(i);
        }
    }
    return unknown;
}

/// As many elements as results of the most that can be made have.
HostFunction largest(const std::vector<Tensor>& most) {
    return [most](const std::vector<std::vector<double>>&) {
        std::vector<std::vector<double>> results;
        for (const Tensor& tensor : most) {
            results.emplace_back(tensor.count());
        }
        return results;
    };
}

}  // namespace

Lowered decided_by_data(const Operator& with, const DataFunction& function, const std::vector<Tensor>& most) {
    const std::vector<std::size_t> unknown = unknown_operands(with);
    if (unknown.empty()) {
        std::vector<const std::vector<double>*> operands;
        for (const Tensor* input : with.inputs) {
            operands.push_back(input != nullptr ? input->values.get() : nullptr);
        }
        std::vector<Tensor> results = function(operands);
        results.resize(std::min(results.size(), with.node.outputs.size()));
        const std::size_t count = results.size();
        return {
            .outputs = std::move(results), .tasks = {}, .note = {}, .made = std::vector<std::size_t>(count)};
    }
    if (!with.timing_only) {
        throw Steered{unknown, "how much it makes is decided by elements that are computed"};
    }
    Steps steps{with};
    std::vector<Part> reads;
    for (const std::size_t operand : unknown) {
        reads.push_back(steps.operand(operand));
    }
    std::vector<Tensor> made = most;
    made.resize(std::min(made.size(), with.node.outputs.size()));
    return steps.done(steps.on_host(largest(made), reads, made),
                      "data decides how much it makes: the most that it can");
}

}  // namespace ascendsim::networks
