// SPDX-License-Identifier: Apache-2.0
#include "networks/fusion/loop_form.hpp"

#include <map>

#include "sim/base/error.hpp"

namespace ascendsim::networks {

std::size_t JoinedLoop::input(const loops::Value& value) {
    inputs_.push_back(value);
    values_.push_back({.input = inputs_.size() - 1, .value = value});
    return values_.size() - 1;
}

std::size_t JoinedLoop::add(loops::Step step) {
    const loops::Value value = step.result;
    steps_.push_back(std::move(step));
    values_.push_back({.input = std::nullopt, .step = steps_.size() - 1, .value = value});
    return values_.size() - 1;
}

std::size_t JoinedLoop::number(const loops::Value& value, double number) {
    return add({.op = loops::Op::constant,
                .inputs = {},
                .result = value,
                .axes = {},
                .constants = {number},
                .label = {}});
}

std::vector<std::size_t> JoinedLoop::append(const loops::Loop& loop, const std::vector<std::size_t>& inputs) {
    check(inputs.size() == loop.inputs.size(), "a loop with other operands than it has inputs");
    std::vector<std::size_t> own;  // this value for each of the loop's
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const loops::Value& wanted = loop.inputs[i];
        check(values_.at(inputs[i]).value.type == wanted.type, "an operand of another type");
        own.push_back(values_[inputs[i]].value.shape == wanted.shape ? inputs[i]
                                                                     : add({.op = loops::Op::reshape,
                                                                            .inputs = {inputs[i]},
                                                                            .result = wanted,
                                                                            .axes = {},
                                                                            .constants = {},
                                                                            .label = {}}));
    }
    for (loops::Step step : loop.steps) {
        for (std::size_t& operand : step.inputs) {
            operand = own.at(operand);
        }
        own.push_back(add(std::move(step)));
    }
    std::vector<std::size_t> outputs;
    for (const std::size_t output : loop.outputs) {
        outputs.push_back(own.at(output));
    }
    return outputs;
}

loops::Loop JoinedLoop::finish(const std::vector<std::size_t>& outputs) const {
    const auto place = [this](std::size_t value) {
        const Made& made = values_.at(value);
        return made.input ? *made.input : inputs_.size() + made.step;
    };
    loops::Loop loop{.name = {}, .inputs = inputs_, .steps = steps_, .outputs = {}};
    for (loops::Step& step : loop.steps) {
        for (std::size_t& operand : step.inputs) {
            operand = place(operand);
        }
    }
    for (const std::size_t output : outputs) {
        loop.outputs.push_back(place(output));
    }
    return loop;
}

namespace {

loops::Value value_of(const Tensor& tensor) {
    return {.type = tensor.type, .shape = tensor.shape};
}

/// A node's tasks in one loop.
class TasksInOne {
public:
    explicit TasksInOne(const PlannedNode& node) : node_{node} {}

    std::optional<LoopForm> form() {
        std::size_t next = node_.inputs.size();
        for (const Task& task : node_.tasks) {
            const loops::Loop* loop = task.loop != nullptr ? task.loop.get() : task.equal.get();
            if (loop == nullptr || !task.arranged.empty() || task.taken) {
                return std::nullopt;
            }
            std::vector<std::size_t> operands;
            for (const Read& read : task.reads) {
                operands.push_back(operand(read));
            }
            for (const std::size_t value : joined_.append(*loop, operands)) {
                values_[next++] = value;
            }
        }
        return finished();
    }

private:
    std::size_t operand(const Read& read) {
        if (read.value) {
            if (const auto known = values_.find(*read.value); known != values_.end()) {
                return known->second;
            }
        }
        const std::size_t value = joined_.input(value_of(read.tensor));
        reads_.push_back(read);
        if (read.value) {
            values_[*read.value] = value;
        }
        return value;
    }

    /// A result in another shape than its task made is a reshape behind it.
    std::optional<LoopForm> finished() {
        std::vector<std::size_t> outputs;
        for (std::size_t i = 0; i < node_.results.size(); ++i) {
            const auto made = i < node_.made.size() ? values_.find(node_.made[i]) : values_.end();
            if (node_.results[i].known() || made == values_.end() || node_.made[i] < node_.inputs.size()) {
                return std::nullopt;
            }
            outputs.push_back(made->second);
        }
        return LoopForm{.loop = joined_.finish(outputs), .reads = std::move(reads_)};
    }

    const PlannedNode& node_;
    JoinedLoop joined_;
    std::vector<Read> reads_;
    std::map<std::size_t, std::size_t> values_;  // of the node, as the joined loop counts them
};

}  // namespace

std::optional<LoopForm> loop_form(const PlannedNode& node) {
    if (node.tasks.empty() || node.on_host || !node.refusal.empty()) {
        return std::nullopt;
    }
    return node.form != nullptr ? *node.form : TasksInOne{node}.form();
}

}  // namespace ascendsim::networks
