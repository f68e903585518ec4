// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "networks/graph/graph.hpp"
#include "networks/run/network_plan.hpp"

namespace ascendsim::networks {

/// How a network is made smaller for inference.
struct Compression {
    bool int8 = false;    // products by weights multiply bytes: rows of x and columns of w have a scale each
    bool sparse = false;  // and of every four weights of a column, only the two largest (4:2)
    std::uint32_t prune = 1;  // of the channels between two products, or of the heads, one in so many stays

    [[nodiscard]] bool any() const { return int8 || sparse || prune > 1; }
};

/// A network with fewer weights, or smaller ones.
struct CompressedNetwork {
    Graph graph;
    std::map<std::string, host::Shape, std::less<>> shapes;  // of its inputs
    std::vector<std::string> quantised;                      // results of products of bytes
    std::vector<std::string> sparse;  // of these, with weights of which two in four stay
    std::vector<std::string> pruned;  // weights that lost channels
};

/// Prunes, then quantises. Weights whose elements `lowering.given` has become constants, computed with these;
/// others are known by their extents alone. Of the channels between two products the first ones stay: a
/// network whose channels are in the order of their worth loses the least. Throws UserError if nothing can be
/// made smaller.
[[nodiscard]] CompressedNetwork compress(const Graph& graph,
                                         const std::map<std::string, host::Shape, std::less<>>& shapes,
                                         const Lowering& lowering,
                                         const Compression& compression);

/// What the int32 sums of a product of `k` bytes are divided by, so that they fit float16: 127^2 k of them
/// do.
[[nodiscard]] std::uint64_t sum_divisor(std::uint64_t k);

}  // namespace ascendsim::networks
