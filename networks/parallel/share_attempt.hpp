// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "networks/parallel/share_layers.hpp"

namespace ascendsim::networks {

/// How a tensor lies over devices: each has an equal part of one axis.
struct Cut {
    std::size_t axis = 0;
    bool experts = false;
    std::set<std::string> weights;  // whose cutting led to it
};

/// Weights whose strips meet an operator that needs the whole.
struct MustStayWhole {
    std::set<std::string> weights;
    std::string where{};  // the operator
};

/// One try to cut a network, with the weights that are known to stay whole.
class ShareAttempt {
public:
    ShareAttempt(const Graph& graph,
                 const std::map<std::string, host::Shape, std::less<>>& shapes,
                 const Tensors& tensors,
                 const LayerSharing& sharing,
                 const std::set<std::string>& whole);

    /// Throws MustStayWhole.
    [[nodiscard]] SharedLayers run();

private:
    using Rule = void (ShareAttempt::*)(const Node&);

    void take(const Node& node);
    [[nodiscard]] static std::map<std::string, Rule, std::less<>> rules();

    // One kind of operator each, of which at least one operand is cut by tensor.
    void elements(const Node& node);
    void product(const Node& node);
    void convolution(const Node& node);
    void batch_norm(const Node& node);
    void pool(const Node& node);
    void transposed_convolution(const Node& node);
    void rows(const Node& node);
    void reduction(const Node& node);
    void transposed(const Node& node);
    void viewed(const Node& node);
    void parts(const Node& node);
    void joined(const Node& node);

    void begin_slabs();
    void slab_convolution(const Node& node, const Cut& cut);
    bool begin_strip(const Node& node);
    bool to_experts(const Node& node);
    void sum_of_strips(Node node, const std::string& bias);
    void pass(Node node, const std::set<std::size_t>& whole_operands, Cut cut);
    void copy(const Node& node);

    [[nodiscard]] const Cut* cut_of(std::string_view tensor) const;
    [[nodiscard]] const host::Shape& shape(std::string_view tensor) const;
    [[nodiscard]] bool is_own_weight(std::string_view tensor) const;
    [[nodiscard]] std::string here(const std::string& tensor) const;

    /// Devices that work on one layer together, but for its experts.
    [[nodiscard]] std::uint32_t ways() const { return std::max(sharing_.tensor, sharing_.slabs); }

    [[noreturn]] void refuse(const Node& node) const;
    std::string entered(const std::string& tensor);
    std::string returned(const std::string& tensor);
    std::string sent(const std::string& tensor);
    void cut_weight(const std::string& weight, std::size_t axis, const Cut& cut);
    std::string integers(const std::string& name, const std::vector<std::int64_t>& values);
    void add(std::string op,
             const std::string& input,
             const std::string& output,
             std::map<std::string, Attribute, std::less<>> attributes);
    [[nodiscard]] std::vector<std::int64_t> list(const Node& node,
                                                 std::string_view attribute,
                                                 std::size_t index) const;
    void finish();

    const Graph& graph_;
    const Tensors& tensors_;
    LayerSharing sharing_;
    const std::set<std::string>& whole_;
    SharedLayers result_;
    std::map<std::string, Cut, std::less<>> cuts_;
    std::map<std::string, std::string, std::less<>> renamed_;  // experts' results that came back
    std::set<std::string, std::less<>> made_;                  // by ShareCopy, ExpertSend, ExpertReturn
    std::set<std::string, std::less<>> weights_;
    std::set<std::string, std::less<>> learned_;  // tensors that depend on a weight
    std::map<std::string, Cut, std::less<>> strips_;
    std::set<std::string, std::less<>> used_whole_;
};

}  // namespace ascendsim::networks
