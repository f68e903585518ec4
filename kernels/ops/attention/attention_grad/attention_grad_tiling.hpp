// SPDX-License-Identifier: Apache-2.0
// How attention_grad.cpp cuts the gradients of attention: the struct its host side fills and its kernel
// reads, and where things lie in the workspace.
#pragma once

#include "kernels/ops/attention/attention/attention_tiling.hpp"

namespace attention_grad {

using attention::Tiling;

constexpr std::uint32_t most_vectors = 64;  // cores that share the steps

/// Where a vector core begins in the list of all steps, and how many are its.
struct Start {
    std::uint32_t task;    // tile of queries, of all sequences'
    std::uint32_t column;  // key
    std::uint32_t steps;
};

/// Sequences, tiles and steps are those of attention with whole tiles: each vector core works on tiles of its
/// own.
struct GradTiling {
    Tiling attention;
    TCubeTiling scores;      // q k^T and dy v^T: base_m x base_n, of dim columns
    TCubeTiling query_grad;  // dS k: base_m x dim, of base_n columns
    TCubeTiling key_grad;    // dS^T q and P^T dy: base_n x dim, of base_m columns
    Start starts[most_vectors];
};

constexpr std::uint32_t places = 2;  // for a step's scores and probabilities: one step is asked for ahead
constexpr std::uint32_t front_rows = 16;     // rows of dy and o whose products are summed up at a time
constexpr std::uint32_t back_floats = 4096;  // of a gradient that are scaled and rounded at a time

[[nodiscard]] constexpr std::uint64_t block_elements(const Tiling& t) {
    return std::uint64_t{t.base_m} * t.base_n;
}

/// A vector core's part: places of S and dP in fp32, of P and dS as the operands.
[[nodiscard]] constexpr std::uint64_t place_bytes(const Tiling& t) {
    return block_elements(t) * (4 + 4 + 2 + 2);
}

[[nodiscard]] constexpr std::uint64_t query_elements(const Tiling& t) {
    return std::uint64_t{t.batch} * t.heads * t.q_len * t.dim;
}

[[nodiscard]] constexpr std::uint64_t key_elements(const Tiling& t) {
    return std::uint64_t{t.batch} * t.kv_heads * t.kv_len * t.dim;
}

/// Row sums of dy * o, in fp32, padded to whole blocks.
[[nodiscard]] constexpr std::uint64_t sums_bytes(const Tiling& t) {
    return (std::uint64_t{t.sequences} * t.q_len + 15) / 16 * 64;
}

/// What all cores share comes first: sums, then dq, dk and dv in fp32.
[[nodiscard]] constexpr std::uint64_t shared_bytes(const Tiling& t) {
    return sums_bytes(t) + (query_elements(t) + 2 * key_elements(t)) * 4;
}

[[nodiscard]] constexpr std::uint64_t grad_workspace_bytes(const Tiling& t, std::uint32_t vectors) {
    return shared_bytes(t) + std::uint64_t{vectors} * places * place_bytes(t);
}

}  // namespace attention_grad
