// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "app/validation/family.hpp"

namespace ascendsim::validation {

/// An attention as a row states it.
struct AttentionShape {
    std::uint64_t batch = 1;
    std::uint64_t q_len = 0;
    std::uint64_t kv_len = 0;
    std::uint64_t heads = 1;
    std::uint64_t kv_heads = 1;
    std::uint64_t head_dim = 128;
    std::uint64_t rope_dim = 0;
    std::uint64_t value_dim = 128;
    std::uint64_t chosen = 0;  // keys that a query sees, by a list of its own; 0: all
    bool by_head = false;
    bool causal = false;

    /// Operations of both products, of what is seen.
    [[nodiscard]] double flops() const;
};

/// True for attention by the kernel's name.
[[nodiscard]] bool attends(const Row& row);

/// Reads "B1 H1 Sq128 Skv4096 D128", "4x1024x32x128; 4x1024x8x128; 4x1024x8x128" and the tensors of latent
/// attention alike.
[[nodiscard]] std::optional<AttentionShape> attention_shape(const Row& row);

/// The run of a row of attention, prefill or decode.
[[nodiscard]] Adapted attention_case(const Row& row, const Context& context);

}  // namespace ascendsim::validation
