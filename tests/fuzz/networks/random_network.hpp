// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "networks/graph/graph.hpp"
#include "networks/run/network_plan.hpp"
#include "networks/run/numbers.hpp"

namespace ascendsim::fuzz {

/// A small network with the elements of its inputs and weights.
struct RandomNetwork {
    networks::Graph graph;
    std::map<std::string, host::Shape, std::less<>> shapes;
    networks::Elements elements;  // of inputs
    networks::Precision precision = networks::Precision::half;
};

/// The network of a seed: three to ten operators, element-wise, broadcast, reductions, norms, softmax,
/// products, views, and the forms that patterns look for. Values stay within a few ones, but for those on the
/// way through numbers that float16 cannot hold, in every eighth network.
[[nodiscard]] RandomNetwork random_network(std::uint32_t seed);

}  // namespace ascendsim::fuzz
