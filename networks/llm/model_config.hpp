// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace ascendsim::networks::llm {

/// A mixture of experts: each token goes to `chosen` of `count` experts, and to all shared ones.
struct Experts {
    std::uint32_t count = 0;
    std::uint32_t chosen = 0;
    std::uint64_t width = 0;         // of one expert's gate and up projections
    std::uint64_t shared_width = 0;  // of all shared experts together; 0: none
    std::uint32_t dense_layers = 0;  // first layers, which have a dense feed-forward part
};

/// Attention on latent keys and values (MLA): the cache holds one row of kv_rank + rope_dim for a token.
struct LatentAttention {
    std::uint64_t q_rank = 0;  // 0: queries are projected at once
    std::uint64_t kv_rank = 0;
    std::uint64_t nope_dim = 0;  // of a head, without position
    std::uint64_t rope_dim = 0;  // of a head, rotated
    std::uint64_t value_dim = 0;
};

/// A language model as its config.json of Hugging Face Transformers states it.
struct ModelConfig {
    std::string name;
    std::string kind;  // model_type, as in "qwen3"
    std::uint32_t layers = 0;
    std::uint64_t hidden = 0;
    std::uint64_t width = 0;  // of the dense feed-forward part
    std::uint64_t vocabulary = 0;
    std::uint32_t heads = 0;
    std::uint32_t kv_heads = 0;
    std::uint64_t head_dim = 0;
    bool head_norm = false;        // queries and keys of each head are normalised
    bool tied_embeddings = false;  // the head's weights are the embedding's
    std::optional<Experts> experts = {};
    std::optional<LatentAttention> latent = {};

    [[nodiscard]] bool has_experts(std::uint32_t layer) const {
        return experts && layer >= experts->dense_layers;
    }

    /// Layers with a mixture of experts.
    [[nodiscard]] std::uint32_t expert_layers() const { return experts ? layers - experts->dense_layers : 0; }

    /// Parameters of the whole model, norms left out.
    [[nodiscard]] std::uint64_t parameters() const;

    /// Parameters that a token meets: of the experts those that are chosen.
    [[nodiscard]] std::uint64_t active_parameters() const;

    /// Elements of the cache that a token takes in one layer: keys and values, or the latent row.
    [[nodiscard]] std::uint64_t cache_elements() const;
};

/// Reads a config.json. Of a model with several parts (text_config, llm_config), its language model is taken.
/// Throws UserError with the file and the key that is missing, of another type or out of range.
[[nodiscard]] ModelConfig open_model(const std::filesystem::path& file);

/// The same of a text; `place` stands in messages where a file's name would.
[[nodiscard]] ModelConfig parse_model(std::string_view text,
                                      const std::string& name,
                                      const std::string& place);

}  // namespace ascendsim::networks::llm
