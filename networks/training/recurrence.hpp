// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "networks/graph/graph.hpp"
#include "networks/run/network_plan.hpp"

namespace ascendsim::networks {

/// Replaces each LSTM by the operators of its steps, which have gradients: one direction, the usual
/// activations, all sequences whole. Others stay as they are. `tensors` are those of the network.
void unroll_recurrences(Graph& graph, const Tensors& tensors);

}  // namespace ascendsim::networks
