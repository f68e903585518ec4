// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ascendsim::networks::llm {

/// A mixture of experts: each token goes to `chosen` of `count` experts, and to all shared ones.
struct Experts {
    std::uint32_t count = 0;
    std::uint32_t chosen = 0;         // on average, where some choices are of experts that compute nothing
    std::uint64_t width = 0;          // of one expert's gate and up projections
    std::uint64_t shared_width = 0;   // of all shared experts together; 0: none
    std::uint32_t layers = 0;         // that have experts
    std::uint32_t groups = 1;         // that experts are chosen of, some of them at first
    std::uint32_t groups_chosen = 1;  // of those
    bool softmax = true;  // of the scores; otherwise a sigmoid of each, with a bias for the choice
};

/// Attention on latent keys and values (MLA): the cache holds one row of kv_rank + rope_dim for a token.
struct LatentAttention {
    std::uint64_t q_rank = 0;  // 0: queries are projected at once
    std::uint64_t kv_rank = 0;
    std::uint64_t nope_dim = 0;  // of a head, without position
    std::uint64_t rope_dim = 0;  // of a head, rotated
    std::uint64_t value_dim = 0;
    /// Queries are as wide as the row and multiply it as it is, and values are the row: no product takes
    /// queries into the latent space or values out of it, for prompts neither (DeepSeek-V4).
    bool direct = false;
    std::uint32_t output_groups = 0;  // of heads, each projected to output_rank first; 0: at once
    std::uint64_t output_rank = 0;
};

/// An index that scores every key by heads of its own and picks those that a token sees (DSA's lightning
/// indexer; MiniMax-M3 picks whole blocks).
struct KeyIndex {
    std::uint32_t heads = 0;
    std::uint64_t dim = 0;
    std::uint64_t chosen = 0;  // keys
    std::uint32_t layers = 0;  // that have an index; others take what the one before them picked
};

/// Tables beside the embedding, looked up by words and those before them (LongCat-Flash-Lite): `splits` for
/// each number of words from two up to `words`, of `rows` rows of an equal part of the hidden state each.
struct WordTables {
    std::uint32_t words = 0;
    std::uint32_t splits = 0;
    std::uint64_t rows = 0;

    [[nodiscard]] std::uint32_t tables() const { return splits * (words - 1); }

    /// True of hidden states so wide that each has an equal part.
    [[nodiscard]] bool share(std::uint64_t hidden) const {
        constexpr std::uint32_t most = 64;
        return words > 1 && words < most && splits > 0 && splits < most && hidden % tables() == 0;
    }

    /// Of hidden states so wide.
    [[nodiscard]] std::uint64_t parameters(std::uint64_t hidden) const {
        return tables() * (rows * (hidden / tables()) + hidden / tables() * hidden);
    }
};

/// Layers that keep a state instead of keys (gated delta rule).
struct LinearAttention {
    std::uint32_t key_heads = 0;
    std::uint32_t value_heads = 0;
    std::uint64_t key_dim = 0;
    std::uint64_t value_dim = 0;
    std::uint64_t taps = 0;  // of the convolution over tokens in front of it

    [[nodiscard]] std::uint64_t convolved() const {
        return 2 * key_heads * key_dim + value_heads * value_dim;
    }

    /// Elements of the state of a sequence in one layer, of 32 bits.
    [[nodiscard]] std::uint64_t state() const { return value_heads * key_dim * value_dim; }
};

/// Layers whose attention is of one kind.
struct AttentionLayers {
    std::uint32_t layers = 0;
    std::uint32_t heads = 0;
    std::uint32_t kv_heads = 0;
    std::uint64_t head_dim = 0;
    std::uint64_t window = 0;      // latest keys that a token sees; 0: all
    std::uint64_t compressed = 0;  // tokens that one key behind the window stands for; 0: these are not seen
    std::optional<KeyIndex> index = {};
    std::optional<LinearAttention> linear = {};

    /// Keys that a token behind `keys` tokens sees.
    [[nodiscard]] std::uint64_t seen(std::uint64_t keys) const;
};

/// How weights are stored by quantization_config.
struct StoredWeights {
    std::uint32_t bits = 16;
    std::uint32_t activation_bits = 16;
    bool floating = false;          // FP8, FP4
    std::uint32_t expert_bits = 0;  // of routed experts, where they differ
    std::string what = {};          // "compressed-tensors: weights of 4 bits, activations of 16"
};

/// A language model as its config.json of Hugging Face Transformers states it.
struct ModelConfig {
    std::string name;
    std::string kind;  // model_type, as in "qwen3"
    std::uint32_t layers = 0;
    std::uint64_t hidden = 0;
    std::uint64_t width = 0;         // of the dense feed-forward part
    std::uint32_t dense_layers = 0;  // that have a dense feed-forward part
    std::uint64_t vocabulary = 0;
    std::uint32_t heads = 0;  // of full attention; so the next two
    std::uint32_t kv_heads = 0;
    std::uint64_t head_dim = 0;
    bool head_norm = false;        // queries and keys of each head are normalised
    bool output_gate = false;      // the result of attention is multiplied by a gate made beside queries
    bool tied_embeddings = false;  // the head's weights are the embedding's
    std::uint32_t streams = 1;     // hidden states that are mixed around each part (hyper-connections)
    std::vector<AttentionLayers> attention = {};  // the first is what a layer that drafts has
    std::optional<Experts> experts = {};
    std::optional<LatentAttention> latent = {};
    std::optional<WordTables> word_tables = {};
    StoredWeights stored = {};

    /// True if an index picks the keys that tokens see, in some layers at least.
    [[nodiscard]] bool picks_keys() const {
        return std::ranges::any_of(attention,
                                   [](const AttentionLayers& group) { return group.index.has_value(); });
    }

    /// Layers with a mixture of experts.
    [[nodiscard]] std::uint32_t expert_layers() const { return experts ? experts->layers : 0; }

    /// Parameters of the whole model, norms left out.
    [[nodiscard]] std::uint64_t parameters() const;

    /// Parameters that a token meets: of the experts those that are chosen.
    [[nodiscard]] std::uint64_t active_parameters() const;
};

/// Reads a config.json. Of a model with several parts (text_config, llm_config), its language model is taken.
/// Throws UserError with the file and the key that is missing, of another type or out of range, or that says
/// that layers are of a kind that is not simulated.
[[nodiscard]] ModelConfig open_model(const std::filesystem::path& file);

/// The same of a text; `place` stands in messages where a file's name would.
[[nodiscard]] ModelConfig parse_model(std::string_view text,
                                      const std::string& name,
                                      const std::string& place);

}  // namespace ascendsim::networks::llm
