// SPDX-License-Identifier: Apache-2.0
// What a cube kernel does to its sums before they leave it: a bias for each column, then an activation.
#pragma once

#include <cstdint>

namespace epilogue {

/// Chips of split cores have `relu` alone on the way out of L0C; the others take vector cores.
enum Activation : std::uint32_t {
    none,
    relu,
    leaky_relu,
    clip,
    hard_swish,
    sigmoid,
    tanh,
    silu,
    gelu_tanh,
    gelu_erf
};

/// Taken by value, behind a kernel's own tiling.
struct Epilogue {
    std::uint32_t bias;        // 1: there is one
    std::uint32_t activation;  // Activation
    float low;                 // clip: the least; leaky_relu: the slope below 0
    float high;                // clip: the most
};

}  // namespace epilogue
