// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "networks/graph/graph.hpp"
#include "networks/run/network_plan.hpp"

namespace ascendsim::networks {

/// How weights follow their gradients.
enum class Optimiser : std::uint8_t { sgd, adam, adamw };

/// What a step makes smaller.
enum class Loss : std::uint8_t {
    automatic,      // cross_entropy of an output [batch, classes] of several classes, else mean_square
    cross_entropy,  // of softmax over the last axis, against the input "labels"
    mean_square,    // of the difference to the input "target"
    sum             // of all elements; of an output of one element, that element
};

/// How a network is trained.
struct TrainingOptions {
    Optimiser optimiser = Optimiser::adamw;
    Loss loss = Loss::automatic;
    double learning_rate = 1e-3;
    double momentum = 0.9;  // sgd
    double beta1 = 0.9;     // adam, adamw
    double beta2 = 0.999;
    double epsilon = 1e-8;
    double weight_decay = 0;  // adamw: beside the gradient; otherwise added to it
};

/// One step of training as a network: forward pass, loss, backward pass and optimiser.
struct TrainingGraph {
    Graph graph;
    std::map<std::string, host::Shape, std::less<>> shapes;  // of all inputs
    std::vector<std::string> parameters;
    std::vector<std::string>
        gradients;                    // of each parameter, the tensor; empty: the loss does not depend on it
    std::vector<std::string> losses;  // one for each output
    std::map<std::string, double> scalars;  // inputs of one element, at the first step
};

/// Parts of a step.
enum class StepPhase : std::uint8_t { forward, backward, optimiser };

/// The part of the step that makes a tensor of this name.
[[nodiscard]] StepPhase phase_of(std::string_view tensor);
[[nodiscard]] std::string_view name(StepPhase phase);
[[nodiscard]] std::string_view name(Optimiser optimiser);

/// Writes the step of a network whose extents are bound. Weights are its inputs whose names begin with
/// "weights_" and its constants that stand where operators have weights. Throws UserError with each operator
/// that has no gradient, and for a loss that does not fit.
[[nodiscard]] TrainingGraph training_graph(const Graph& graph,
                                           const std::map<std::string, host::Shape, std::less<>>& shapes,
                                           const Lowering& lowering,
                                           const TrainingOptions& options);

/// Floating-point operations of the products and convolutions that a node states, without what its kernels
/// add to fill blocks; 0 of others.
[[nodiscard]] double stated_flops(const PlannedNode& node, const Tensors& tensors);

}  // namespace ascendsim::networks
