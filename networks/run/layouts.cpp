// SPDX-License-Identifier: Apache-2.0
#include "networks/run/layouts.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "networks/run/channel_moves.hpp"
#include "networks/run/layout_steps.hpp"

namespace ascendsim::networks {
namespace {

bool alike(const ChannelBlocks& a, const ChannelBlocks& b) {
    return !a.beside && !b.beside && a.batch == b.batch && a.channels == b.channels && a.image == b.image &&
           a.blocks == b.blocks && a.c0 == b.c0;
}

/// Goes through the nodes in order and knows each tensor's layouts.
class Converter {
public:
    Converter(const NetworkPlan& plan, const std::vector<std::string>& outputs)
        : plan_{plan}, outputs_{outputs.begin(), outputs.end()} {}

    [[nodiscard]] NetworkPlan run() {
        NetworkPlan result = plan_;
        for (const PlannedNode& node : plan_.nodes) {
            take(node);
        }
        for (const std::string& output : outputs_) {
            want_plain(output);
        }
        for (const PlannedNode& node : nodes_) {
            for (std::size_t i = 0; i < node.outputs.size() && i < node.results.size(); ++i) {
                result.tensors[node.outputs[i]] = node.results[i];
            }
        }
        result.nodes = std::move(nodes_);
        return result;
    }

private:
    /// A tensor in blocks.
    struct Native {
        std::string name;
        ChannelBlocks blocks;
        bool alone = false;  // nobody has made the tensor as the network states it
    };

    void take(PlannedNode node) {
        if (is_convolution(node)) {
            convolution(std::move(node));
            return;
        }
        if (const std::optional<ChannelBlocks> blocks = passes(node)) {
            pass(std::move(node), *blocks);
            return;
        }
        if (const std::vector<ChannelBlocks> parts = parts_of(node); !parts.empty()) {
            part(std::move(node), parts);
            return;
        }
        if (const std::optional<ChannelBlocks> blocks = pooled_blocks(node)) {
            pool(std::move(node), *blocks);
            return;
        }
        for (const std::string& input : node.inputs) {
            want_plain(input);
        }
        nodes_.push_back(std::move(node));
    }

    [[nodiscard]] static bool is_convolution(const PlannedNode& node) {
        return node.tasks.size() == 1 && node.tasks[0].blocks_read && node.tasks[0].blocks_made &&
               node.tasks[0].makes.size() == 1 && node.outputs.size() == 1 && !node.tasks[0].reads.empty() &&
               node.tasks[0].reads[0].value && *node.tasks[0].reads[0].value < node.inputs.size() &&
               node.tasks[0].reads[0].begin == 0;
    }

    void convolution(PlannedNode node) {
        Task& task = node.tasks[0];
        const std::size_t operand = *task.reads[0].value;
        const std::string x = node.inputs[operand];
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            if (i != operand) {
                want_plain(node.inputs[i]);
            }
        }
        const bool twice = std::ranges::count(node.inputs, x) > 1;
        if (!twice && !task.reads[0].tensor.known() && convertible(*task.blocks_read)) {
            node.inputs[operand] = in_blocks(x, task.reads[0].tensor, *task.blocks_read);
            task.reads[0].tensor = blocked(task.reads[0].tensor, *task.blocks_read);
            task.arranged.at(0) = nullptr;
        } else {
            want_plain(x);
        }
        if (!convertible(*task.blocks_made)) {
            nodes_.push_back(std::move(node));
            return;
        }
        const std::string y = node.outputs[0];
        const Tensor made = node.results.at(0);
        node.outputs[0] = y + "/NC1HWC0";
        node.results[0] = blocked(made, *task.blocks_made);
        task.makes = {node.results[0]};
        task.taken = nullptr;
        plain_[y] = made;
        natives_.insert_or_assign(y, Native{node.outputs[0], *task.blocks_made, true});
        nodes_.push_back(std::move(node));
        if (natives_.at(y).blocks.beside) {
            want_plain(y);
            natives_.erase(y);
        }
    }

    /// The name of a tensor in blocks, converted if it is not there.
    std::string in_blocks(const std::string& x, const Tensor& tensor, const ChannelBlocks& blocks) {
        const auto found = natives_.find(x);
        if (found != natives_.end() && alike(found->second.blocks, blocks)) {
            return found->second.name;
        }
        want_plain(x);
        PlannedNode node = to_blocks(x, tensor, blocks);
        if (blocks.beside || found != natives_.end()) {  // another layout than that of others
            node.outputs[0] += "/" + std::to_string(nodes_.size());
        } else {
            natives_.emplace(x, Native{node.outputs[0], blocks, false});
        }
        const std::string name = node.outputs[0];
        nodes_.push_back(std::move(node));
        return name;
    }

    void want_plain(const std::string& name) {
        const auto found = natives_.find(name);
        if (found == natives_.end() || !found->second.alone) {
            return;
        }
        found->second.alone = false;
        nodes_.push_back(from_blocks(name, plain_.at(name), found->second.blocks));
    }

    /// The blocks in which a node takes and makes tensors that others hold in blocks already; nothing if its
    /// elements must lie as the network states, or more operands would be converted than not.
    [[nodiscard]] std::optional<ChannelBlocks> passes(const PlannedNode& node) const {
        if (node.outputs.size() != 1 || node.results.size() != 1 || node.inputs.empty()) {
            return std::nullopt;
        }
        const bool view = node.tasks.empty() && node.op == "Identity";
        const bool join = node.tasks.size() == 1 && joins_channels(node.tasks[0]);
        if (!view && !join && !works_by_elements(node)) {
            return std::nullopt;
        }
        ChannelBlocks blocks;
        std::uint64_t channels = 0;
        std::size_t there = 0;
        std::size_t missing = 0;
        for (const std::size_t operand : full_operands(node)) {
            const auto found = natives_.find(node.inputs[operand]);
            if (found == natives_.end()) {
                ++missing;
                continue;
            }
            if (!found->second.blocks.whole() ||
                (there != 0 && !join && !alike(blocks, found->second.blocks)) ||
                (there != 0 && join && blocks.image != found->second.blocks.image)) {
                return std::nullopt;
            }
            ++there;
            blocks = found->second.blocks;
            channels += blocks.channels;
        }
        if (there == 0 || missing > (join || view ? 0 : there)) {
            return std::nullopt;
        }
        if (join) {
            blocks.channels = channels;
            blocks.blocks = channels / blocks.c0;
        }
        return blocks;
    }

    [[nodiscard]] static bool works_by_elements(const PlannedNode& node) {
        if (node.tasks.size() != 1 || node.tasks[0].makes.size() != 1 || node.tasks[0].on_host ||
            node.results[0].shape.size() < 3) {
            return false;
        }
        const Task& task = node.tasks[0];
        return by_elements(task, node.results[0].shape) &&
               std::ranges::all_of(task.reads, [&](const Read& read) {
                   return read.tensor.count() == 1 ||
                          (read.value && *read.value < node.inputs.size() && read.begin == 0);
               });
    }

    /// Operands that hold more than one number.
    [[nodiscard]] static std::vector<std::size_t> full_operands(const PlannedNode& node) {
        std::vector<std::size_t> operands;
        if (node.tasks.empty()) {
            return {0};
        }
        for (const Read& read : node.tasks[0].reads) {
            if (read.tensor.count() != 1 && read.value) {
                operands.push_back(*read.value);
            }
        }
        return operands;
    }

    /// The node on tensors in blocks: its kernel stays, as elements lie alike in all of them.
    void pass(PlannedNode node, const ChannelBlocks& blocks) {
        const bool join = node.tasks.size() == 1 && joins_channels(node.tasks[0]);
        const std::vector<std::size_t> full = full_operands(node);
        for (const std::string& input : node.inputs) {
            const auto at = static_cast<std::size_t>(&input - node.inputs.data());
            if (std::ranges::find(full, at) == full.end()) {
                want_plain(input);
            }
        }
        for (const std::size_t operand : std::set<std::size_t>{full.begin(), full.end()}) {
            const std::string x = node.inputs[operand];
            const Tensor tensor = tensor_of(node, operand);
            node.inputs[operand] =
                join || node.tasks.empty() ? natives_.at(x).name : in_blocks(x, tensor, blocks);
        }
        const std::string y = node.outputs[0];
        plain_[y] = node.results[0];
        node.outputs[0] = y + "/NC1HWC0";
        natives_.insert_or_assign(y, Native{node.outputs[0], blocks, true});
        nodes_.push_back(std::move(node));
    }

    /// The blocks that a pool makes of an operand in blocks; zeros that fill one up stay among themselves.
    [[nodiscard]] std::optional<ChannelBlocks> pooled_blocks(const PlannedNode& node) const {
        if (node.tasks.size() != 1 || !takes_either(node.tasks[0]) || node.outputs.size() != 1 ||
            node.tasks[0].reads[0].value != std::size_t{0}) {
            return std::nullopt;
        }
        const auto found = natives_.find(node.inputs.at(0));
        constexpr std::uint64_t of_kernel = 16;  // channels of a block
        if (found == natives_.end() || found->second.blocks.beside || found->second.blocks.c0 != of_kernel) {
            return std::nullopt;
        }
        ChannelBlocks made = found->second.blocks;
        const host::Shape& shape = node.results.at(0).shape;
        made.image = host::elements({shape.begin() + 2, shape.end()});
        return made;
    }

    void pool(PlannedNode node, const ChannelBlocks& made) {
        Task& task = node.tasks[0];
        const Native from = natives_.at(node.inputs[0]);
        for (auto& [name, value] : task.knobs) {
            if (name == "shape") {
                std::get<host::Shape>(value)[1] = made.blocks * made.c0;
            }
        }
        task.knobs.emplace_back("layout", std::string{"blocks"});
        task.reads[0].tensor = blocked(task.reads[0].tensor, from.blocks);
        node.inputs[0] = from.name;
        const std::string y = node.outputs[0];
        plain_[y] = node.results[0];
        node.outputs[0] = y + "/NC1HWC0";
        node.results[0] = blocked(node.results[0], made);
        task.makes = {node.results[0]};
        natives_.insert_or_assign(y, Native{node.outputs[0], made, true});
        nodes_.push_back(std::move(node));
    }

    /// The blocks of each result of a node that takes an operand's channels apart between blocks; none if it
    /// does not, or the operand is not in blocks.
    [[nodiscard]] std::vector<ChannelBlocks> parts_of(const PlannedNode& node) const {
        if (node.tasks.size() != 1 || !parts_channels(node.tasks[0]) || node.inputs.empty() ||
            node.tasks[0].reads[0].value != std::size_t{0} || node.results.size() != node.outputs.size()) {
            return {};
        }
        const auto found = natives_.find(node.inputs[0]);
        if (found == natives_.end() || !found->second.blocks.whole() || found->second.blocks.beside ||
            !begins_with_block(node.tasks[0], found->second.blocks.c0)) {
            return {};
        }
        std::vector<ChannelBlocks> parts;
        for (const Tensor& result : node.results) {
            ChannelBlocks part = found->second.blocks;
            part.channels = result.shape.size() < 3 ? 1 : result.shape[1];
            part.blocks = part.channels / part.c0;
            if (!part.whole()) {
                return {};
            }
            parts.push_back(part);
        }
        return parts;
    }

    void part(PlannedNode node, const std::vector<ChannelBlocks>& parts) {
        for (std::size_t i = 1; i < node.inputs.size(); ++i) {
            want_plain(node.inputs[i]);
        }
        node.inputs[0] = natives_.at(node.inputs[0]).name;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const std::string y = node.outputs[i];
            plain_[y] = node.results[i];
            node.outputs[i] = y + "/NC1HWC0";
            natives_.insert_or_assign(y, Native{node.outputs[i], parts[i], true});
        }
        nodes_.push_back(std::move(node));
    }

    [[nodiscard]] static Tensor tensor_of(const PlannedNode& node, std::size_t operand) {
        for (const Task& task : node.tasks) {
            for (const Read& read : task.reads) {
                if (read.value == operand) {
                    return read.tensor;
                }
            }
        }
        return node.results[0];
    }

    const NetworkPlan& plan_;
    std::set<std::string> outputs_;
    std::map<std::string, Native> natives_;
    std::map<std::string, Tensor> plain_;  // of tensors that are made in blocks
    std::vector<PlannedNode> nodes_;
};

}  // namespace

NetworkPlan with_conversions(const NetworkPlan& plan,
                             const std::vector<std::string>& outputs,
                             const ChipSpec& chip) {
    return chip.arch == "2201" ? Converter{plan, outputs}.run() : plan;
}

}  // namespace ascendsim::networks
