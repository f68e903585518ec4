// SPDX-License-Identifier: Apache-2.0
// Spatial pyramids: pools of growing windows over one image become equal pools in a chain (SPP to SPPF):
//   max over a (2 w - 1)-window = max over a w-window of the max over a w-window, at stride 1
//   and so 5, 9, 13 of x are 5 of x, 5 of that, 5 of that; in general a window of a + b - 1 is b behind a
#include <algorithm>
#include <functional>

#include "networks/patterns/pattern.hpp"

namespace ascendsim::networks {
namespace {

using Indices = std::vector<std::int64_t>;

/// The taps of a square max pool that keeps the image's extents; 0 if it is none.
std::int64_t same_pool(const Node& node) {
    const Indices window = node.integers("kernel_shape", {});
    if (node.op != "MaxPool" || node.outputs.size() != 1 || window.empty() || window[0] % 2 == 0 ||
        std::ranges::adjacent_find(window, std::not_equal_to{}) != window.end() ||
        node.integer("ceil_mode", 0) != 0 || node.word("auto_pad", "NOTSET") != "NOTSET") {
        return 0;
    }
    const std::size_t rank = window.size();
    const bool keeps = node.integers("strides", Indices(rank, 1)) == Indices(rank, 1) &&
                       node.integers("dilations", Indices(rank, 1)) == Indices(rank, 1) &&
                       node.integers("pads", Indices(2 * rank, 0)) == Indices(2 * rank, window[0] / 2);
    return keeps ? window[0] : 0;
}

std::optional<Rewriting> pyramid(const PatternView& view, std::size_t index) {
    const Node& node = view.node(index);
    const std::int64_t taps = same_pool(node);
    if (taps == 0) {
        return std::nullopt;
    }
    std::size_t best = view.graph().nodes.size();  // the widest smaller one of the same image
    for (const std::size_t other : view.readers(node.inputs[0])) {
        const std::int64_t smaller = same_pool(view.node(other));
        if (smaller != 0 && smaller < taps &&
            (best == view.graph().nodes.size() || smaller > same_pool(view.node(best)))) {
            best = other;
        }
    }
    if (best == view.graph().nodes.size()) {
        return std::nullopt;
    }
    const std::int64_t rest = taps - same_pool(view.node(best)) + 1;
    const std::size_t rank = node.integers("kernel_shape", {}).size();
    return Rewriting{.nodes = {index},
                     .with = {replacing(view,
                                        node.outputs[0],
                                        "MaxPool",
                                        {view.node(best).outputs[0]},
                                        {{"kernel_shape", std::vector<std::int64_t>(rank, rest)},
                                         {"strides", std::vector<std::int64_t>(rank, 1)},
                                         {"pads", std::vector<std::int64_t>(2 * rank, rest / 2)}})}};
}

}  // namespace

Patterns pools_patterns() {
    return {{.name = "SPP to SPPF", .phase = Phase::fold, .rewrite = pyramid}};
}

}  // namespace ascendsim::networks
