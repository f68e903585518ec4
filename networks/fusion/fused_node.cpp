// SPDX-License-Identifier: Apache-2.0
#include "networks/fusion/fused_node.hpp"

#include <algorithm>
#include <utility>

#include "networks/fusion/loop_form.hpp"

namespace ascendsim::networks {

FusionView::FusionView(const NetworkPlan& planned, const std::vector<std::string>& outputs)
    : plan{planned}, kept{outputs.begin(), outputs.end()} {
    for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
        for (const std::string& output : plan.nodes[i].outputs) {
            makers[output] = i;
        }
        for (const std::string& input : plan.nodes[i].inputs) {
            readers[input].insert(i);
        }
        forms.push_back(loop_form(plan.nodes[i]));
    }
}

namespace {

/// The nodes of a group, joined one after the other.
class GroupInOne {
public:
    GroupInOne(const FusionView& view, const std::vector<std::size_t>& group)
        : view_{view}, group_{group.begin(), group.end()} {
        for (const std::size_t index : group) {
            join(view.plan.nodes[index], *view.forms[index]);
        }
    }

    PlannedNode finished(const ChipSpec& chip) {
        std::vector<std::size_t> values;
        for (const std::size_t index : group_) {
            const PlannedNode& node = view_.plan.nodes[index];
            for (std::size_t i = 0; i < node.results.size() && i < node.outputs.size(); ++i) {
                if (leaves(node.outputs[i])) {
                    fused_.made.push_back(fused_.inputs.size() + values.size());
                    fused_.outputs.push_back(node.outputs[i]);
                    fused_.results.push_back(node.results[i]);
                    values.push_back(values_.at(node.outputs[i]));
                }
            }
        }
        const loops::Loop loop = joined_.finish(values);
        static_cast<void>(loops::generate(loop, chip));
        fused_.tasks.push_back({.kernel = {},
                                .knobs = {},
                                .loop = std::make_shared<const loops::Loop>(loop),
                                .reads = std::move(reads_),
                                .makes = fused_.results});
        return std::move(fused_);
    }

private:
    [[nodiscard]] bool leaves(const std::string& tensor) const {
        const auto readers = view_.readers.find(tensor);
        return view_.kept.contains(tensor) ||
               (readers != view_.readers.end() &&
                std::ranges::any_of(readers->second,
                                    [this](std::size_t reader) { return !group_.contains(reader); }));
    }

    void join(const PlannedNode& node, const LoopForm& form) {
        fused_.op += (fused_.op.empty() ? "" : " + ") + node.op;
        fused_.in_place = node.in_place;  // as what it ends with
        const auto wide =
            std::ranges::find_if(node.results, [](const Tensor& result) { return result.wide != nullptr; });
        if (fused_.note.empty() && wide != node.results.end()) {
            fused_.note = *wide->wide;
        }
        const std::string& name = node.name.empty() ? node.outputs.front() : node.name;
        fused_.name += (fused_.name.empty() ? "" : " + ") + name;
        std::vector<std::size_t> operands;
        for (const Read& read : form.reads) {
            operands.push_back(read.value ? of_tensor(node.inputs.at(*read.value), read.tensor)
                                          : of_table(read.tensor));
        }
        loops::Loop labelled = form.loop;
        for (loops::Step& step : labelled.steps) {
            step.label = node.op;  // not the name: equal groups have equal sources
        }
        const std::vector<std::size_t> results = joined_.append(labelled, operands);
        for (std::size_t i = 0; i < results.size() && i < node.outputs.size(); ++i) {
            values_[node.outputs[i]] = results[i];
        }
    }

    /// One number is written into the kernel.
    std::size_t of_table(const Tensor& tensor) {
        const loops::Value value{.type = tensor.type, .shape = tensor.shape};
        if (tensor.known() && tensor.count() == 1) {
            return joined_.number(value, tensor.values->front());
        }
        reads_.push_back({std::nullopt, tensor});
        return joined_.input(value);
    }

    std::size_t of_tensor(const std::string& name, const Tensor& tensor) {
        if (const auto known = values_.find(name); known != values_.end()) {
            return known->second;
        }
        const loops::Value value{.type = tensor.type, .shape = tensor.shape};
        if (tensor.known() && tensor.count() == 1) {
            return values_[name] = joined_.number(value, tensor.values->front());
        }
        reads_.push_back({fused_.inputs.size(), tensor});
        fused_.inputs.push_back(name);
        return values_[name] = joined_.input(value);
    }

    const FusionView& view_;
    std::set<std::size_t> group_;
    JoinedLoop joined_;
    PlannedNode fused_;
    std::vector<Read> reads_;
    std::map<std::string, std::size_t, std::less<>> values_;
};

}  // namespace

PlannedNode fused_node(const FusionView& view, const std::vector<std::size_t>& group, const ChipSpec& chip) {
    return GroupInOne{view, group}.finished(chip);
}

}  // namespace ascendsim::networks
