// SPDX-License-Identifier: Apache-2.0
#include "networks/llm/model_config.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/json_text.hpp"
#include "sim/base/missing_file.hpp"

namespace ascendsim::networks::llm {
namespace {

using nlohmann::json;

constexpr double most_extent = 1 << 24;
constexpr double most_layers = 1 << 12;

/// Keys of one object of a config.json.
class ConfigReader {
public:
    ConfigReader(const json& object, std::string place) : object_{object}, place_{std::move(place)} {}

    [[nodiscard]] bool has(const char* key) const {
        const auto found = object_.find(key);
        return found != object_.end() && !found->is_null();
    }

    [[nodiscard]] std::uint64_t number(const char* key, double most = most_extent) const {
        if (!has(key)) {
            throw UserError{"{}: '{}' is missing, which a language model's config.json has", place_, key};
        }
        const json& given = object_.at(key);
        const bool list = given.is_array() && !given.empty();  // one for each layer, all the same
        const json& value = list ? given.front() : given;
        if (list && std::ranges::any_of(given, [&](const json& one) { return one != value; })) {
            throw UserError{"{}: '{}' differs from layer to layer, which is not simulated", place_, key};
        }
        if (!value.is_number_unsigned() || value.get<double>() > most) {
            throw UserError{"{}: '{}' is {}, and must be a whole number from 0 to {:.0f}",
                            place_,
                            key,
                            value.dump(-1, ' ', false, json::error_handler_t::replace),
                            most};
        }
        return value.get<std::uint64_t>();
    }

    [[nodiscard]] std::uint64_t number_or(const char* key, std::uint64_t otherwise) const {
        return has(key) ? number(key) : otherwise;
    }

    [[nodiscard]] std::uint32_t count(const char* key) const {
        return static_cast<std::uint32_t>(number(key, most_layers));
    }

    [[nodiscard]] std::uint32_t count_or(const char* key, std::uint32_t otherwise) const {
        return has(key) ? count(key) : otherwise;
    }

    [[nodiscard]] bool flag(const char* key) const {
        return has(key) && object_.at(key).is_boolean() && object_.at(key).get<bool>();
    }

    [[nodiscard]] std::string word(const char* key) const {
        return has(key) && object_.at(key).is_string() ? object_.at(key).get<std::string>() : std::string{};
    }

    /// The whole numbers of a list; none if it is no such list.
    [[nodiscard]] std::vector<std::uint64_t> numbers(const char* key) const {
        std::vector<std::uint64_t> all;
        if (has(key) && object_.at(key).is_array()) {
            const json& list = object_.at(key);
            for (const json& one : list) {
                all.push_back(one.is_number_unsigned() ? one.get<std::uint64_t>() : 0);
            }
        }
        return all;
    }

    [[nodiscard]] std::vector<std::string> words(const char* key) const {
        std::vector<std::string> all;
        if (has(key) && object_.at(key).is_array()) {
            const json& list = object_.at(key);
            for (const json& one : list) {
                all.push_back(one.is_string() ? one.get<std::string>() : std::string{});
            }
        }
        return all;
    }

    /// An object within; nothing if it is none. Lives as long as the whole.
    [[nodiscard]] std::optional<ConfigReader> object(const char* key) const {
        return has(key) && object_.at(key).is_object() ? std::optional{ConfigReader{object_.at(key), place_}}
                                                       : std::nullopt;
    }

    /// The first object within, whatever its key.
    [[nodiscard]] std::optional<ConfigReader> first_object() const {
        const auto found = std::ranges::find_if(object_, [](const json& one) { return one.is_object(); });
        return found == object_.end() ? std::nullopt : std::optional{ConfigReader{*found, place_}};
    }

    /// The first of these keys that is there; the first if none is.
    [[nodiscard]] const char* first_of(std::initializer_list<const char*> keys) const {
        const auto found = std::ranges::find_if(keys, [this](const char* key) { return has(key); });
        return found == keys.end() ? *keys.begin() : *found;
    }

    [[nodiscard]] const std::string& place() const { return place_; }

private:
    const json& object_;
    std::string place_;
};

/// Kinds whose layers are other than attention and a feed-forward part, by what they have instead.
void refuse_other_layers(const ConfigReader& config) {
    constexpr std::array<std::pair<const char*, const char*>, 6> others{{
        {"linear_attn_config", "linear attention with a decay for each channel"},
        {"mamba_d_state", "state space layers"},
        {"ssm_cfg", "state space layers"},
        {"attention_chunk_size", "attention within chunks"},
        {"hybrid_override_pattern", "state space layers"},
        {"is_encoder_decoder", "an encoder beside the decoder"},
    }};
    for (const auto& [key, what] : others) {
        if (config.has(key) && (config.flag(key) || std::string_view{key} != "is_encoder_decoder")) {
            throw UserError{
                "{}: '{}' says that this model has {}, which is not simulated; models of attention "
                "(full, grouped, windowed, latent, picked by an index, or by the gated delta rule) with "
                "dense "
                "or expert feed-forward parts are",
                config.place(),
                key,
                what};
        }
    }
}

constexpr auto experts_keys = {"num_experts", "n_routed_experts", "num_local_experts", "moe_num_experts"};

/// Which layers have experts: a list of ones, or every so many behind the first dense ones, but for those
/// that are named.
std::uint32_t expert_layers_of(const ConfigReader& config, std::uint32_t layers) {
    const std::vector<std::uint64_t> each = config.numbers("moe_layer_freq");
    if (each.size() == layers) {
        return static_cast<std::uint32_t>(std::ranges::count(each, 1U));
    }
    if (!each.empty()) {
        throw UserError{
            "{}: 'moe_layer_freq' has {} values for {} layers", config.place(), each.size(), layers};
    }
    const std::uint32_t dense =
        config.count_or(config.first_of({"first_k_dense_replace", "moe_layer_start_index"}), 0);
    if (dense > layers) {
        throw UserError{"{}: 'first_k_dense_replace' is {} of {} layers", config.place(), dense, layers};
    }
    // DeepSeek counts from its first layer, Qwen so that the last one of `decoder_sparse_step` has experts.
    const std::uint32_t every = std::max(1U, config.count_or("moe_layer_freq", 1));
    const std::uint32_t step = std::max(1U, config.count_or("decoder_sparse_step", 1));
    const std::vector<std::uint64_t> without = config.numbers("mlp_only_layers");
    std::uint32_t count = 0;
    for (std::uint32_t layer = dense; layer < layers; ++layer) {
        const bool named = std::ranges::find(without, layer) != without.end();
        count += layer % every == 0 && (layer + 1) % step == 0 && !named ? 1 : 0;
    }
    return count;
}

Experts experts_of(const ConfigReader& config, const char* count, std::uint32_t layers) {
    Experts experts;
    experts.count = config.count(count);
    const char* chosen =
        config.first_of({"num_experts_per_tok", "moe_topk", "top_k_experts", "moe_k", "experts_per_token"});
    experts.chosen = config.count(chosen);
    experts.width = config.number(config.first_of(
        {"moe_intermediate_size", "expert_ffn_hidden_size", "expert_hidden_dim", "intermediate_size"}));
    const std::uint64_t shared = config.number_or(
        config.first_of(
            {"n_shared_experts", "num_shared_experts", "num_shared_expert", "moe_num_shared_experts"}),
        0);
    experts.shared_width = config.number_or("shared_expert_intermediate_size", shared * experts.width);
    if (config.flag("enable_moe_block")) {  // a dense part runs beside the experts of each layer
        experts.shared_width = config.number("intermediate_size");
    }
    experts.layers = expert_layers_of(config, layers);
    if (experts.chosen == 0 || experts.chosen > experts.count) {
        throw UserError{
            "{}: '{}' is {} of {} experts", config.place(), chosen, experts.chosen, experts.count};
    }
    experts.groups = std::max(1U, config.count_or("n_group", 1));
    experts.groups_chosen = std::max(1U, config.count_or("topk_group", 1));
    // GLM-4.5 and Hunyuan 3 have vLLM's sigmoid (glm4_moe.py, hy_v3.py); DeepSeek-V4's root is timed as one.
    const std::string kind = config.word(config.has("scoring_func") ? "scoring_func" : "model_type");
    experts.softmax = kind != "sigmoid" && kind != "sqrtsoftplus" && kind != "glm4_moe" && kind != "hy_v3";
    // The choices of experts that hand their input on compute nothing. All are taken as even.
    const std::uint64_t all = experts.count + config.number_or("zero_expert_num", 0);
    const std::uint64_t compute = std::uint64_t{experts.chosen} * experts.count / all;
    experts.chosen = std::max(1U, static_cast<std::uint32_t>(compute));
    return experts;
}

LatentAttention latent_of(const ConfigReader& config) {
    if (config.has("compress_ratios")) {  // one head of keys, which are the values
        const std::uint64_t row = config.number("head_dim");
        const std::uint64_t rope = config.number("qk_rope_head_dim");
        if (rope >= row) {
            throw UserError{"{}: 'qk_rope_head_dim' is {} of 'head_dim' {}", config.place(), rope, row};
        }
        return {.q_rank = config.number("q_lora_rank"),
                .kv_rank = row - rope,
                .nope_dim = row - rope,
                .rope_dim = rope,
                .value_dim = row,
                .direct = true,
                .output_groups = config.count_or("o_groups", 0),
                .output_rank = config.number_or("o_lora_rank", 0)};
    }
    return {.q_rank = config.number_or("q_lora_rank", 0),
            .kv_rank = config.number("kv_lora_rank"),
            .nope_dim = config.number("qk_nope_head_dim"),
            .rope_dim = config.number("qk_rope_head_dim"),
            .value_dim = config.number("v_head_dim")};
}

WordTables word_tables_of(const ConfigReader& config, const ModelConfig& model) {
    const WordTables tables{.words = config.count("emb_neighbor_num"),
                            .splits = config.count("emb_split_num"),
                            .rows = config.number("ngram_vocab_size_ratio") * model.vocabulary};
    if (!tables.share(model.hidden)) {
        throw UserError{"{}: tables of words do not share {} values evenly", config.place(), model.hidden};
    }
    return tables;
}

/// An index of DSA; layers may take what the index of one before them picked.
std::optional<KeyIndex> index_of(const ConfigReader& config, std::uint32_t layers) {
    if (!config.has("index_topk")) {
        return std::nullopt;
    }
    KeyIndex index{.heads = config.count("index_n_heads"),
                   .dim = config.number("index_head_dim"),
                   .chosen = config.number("index_topk"),
                   .layers = layers};
    const std::uint32_t every = std::max(1U, config.count_or("index_topk_freq", 1));
    const std::uint32_t first = config.count_or("index_skip_topk_offset", 0);
    index.layers = 0;
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
        index.layers += layer < first || (layer + 1 - first) % every == 0 ? 1 : 0;
    }
    return index;
}

/// Layers of DeepSeek-V4, by how many tokens a key behind the window stands for.
std::vector<AttentionLayers> compressed_layers(const ConfigReader& config,
                                               const ModelConfig& model,
                                               const AttentionLayers& full) {
    std::vector<std::uint64_t> ratios = config.numbers("compress_ratios");
    if (ratios.size() < model.layers) {
        throw UserError{
            "{}: 'compress_ratios' has {} values for {} layers", config.place(), ratios.size(), model.layers};
    }
    ratios.resize(model.layers);
    constexpr std::uint64_t most_indexed = 4;  // of longer ones, all keys are seen
    std::vector<AttentionLayers> groups;
    for (const std::uint64_t ratio : ratios) {
        const auto found = std::ranges::find(groups, ratio, &AttentionLayers::compressed);
        const bool is_new = found == groups.end();
        AttentionLayers& group = is_new ? groups.emplace_back(full) : *found;
        if (is_new) {
            group.layers = 0;
            group.compressed = ratio;
            group.window = config.number("sliding_window");
        }
        ++group.layers;
    }
    for (AttentionLayers& group : groups) {
        if (group.compressed != 0 && group.compressed <= most_indexed) {
            group.index = index_of(config, group.layers);
        }
    }
    return groups;
}

/// Layers with a window or a state, by name.
std::uint32_t layers_called(const ConfigReader& config, std::string_view name) {
    return static_cast<std::uint32_t>(std::ranges::count(config.words("layer_types"), name));
}

std::optional<AttentionLayers> linear_layers(const ConfigReader& config,
                                             const ModelConfig& model,
                                             AttentionLayers full) {
    if (!config.has("linear_num_value_heads")) {
        return std::nullopt;
    }
    const std::uint32_t every = config.count_or("full_attention_interval", 4);
    full.layers = config.has("layer_types") ? layers_called(config, "linear_attention")
                                            : model.layers - model.layers / std::max(1U, every);
    full.linear = LinearAttention{.key_heads = config.count("linear_num_key_heads"),
                                  .value_heads = config.count("linear_num_value_heads"),
                                  .key_dim = config.number("linear_key_head_dim"),
                                  .value_dim = config.number("linear_value_head_dim"),
                                  .taps = config.number_or("linear_conv_kernel_dim", 4)};
    return full;
}

std::optional<AttentionLayers> windowed_layers(const ConfigReader& config,
                                               const ModelConfig& model,
                                               AttentionLayers full) {
    const bool off = config.has("use_sliding_window") && !config.flag("use_sliding_window");
    if (!config.has("sliding_window") || off || config.has("compress_ratios")) {
        return std::nullopt;
    }
    const std::uint32_t every = config.count_or("sliding_window_pattern", 0);
    full.layers = config.has("layer_types") ? layers_called(config, "sliding_attention")
                  : every != 0              ? model.layers - model.layers / every
                                            : model.layers;
    full.window = config.number("sliding_window");
    full.kv_heads = model.kv_heads;
    full.head_dim = model.head_dim;
    return full;
}

/// Layers that see blocks of keys that an index picks (MiniMax-M3).
std::optional<AttentionLayers> block_sparse_layers(const ConfigReader& sparse, AttentionLayers full) {
    const std::vector<std::uint64_t> each = sparse.numbers("sparse_attention_freq");
    full.layers = static_cast<std::uint32_t>(std::ranges::count(each, 1U));
    full.index = KeyIndex{.heads = sparse.count("sparse_num_index_heads"),
                          .dim = sparse.number("sparse_index_dim"),
                          .chosen = sparse.number("sparse_topk_blocks") * sparse.number("sparse_block_size"),
                          .layers = full.layers};
    return full;
}

/// Kinds of attention, full attention first.
std::vector<AttentionLayers> attention_of(const ConfigReader& config, const ModelConfig& model) {
    AttentionLayers full{.layers = model.layers,
                         .heads = model.heads,
                         .kv_heads = config.count_or("num_global_key_value_heads", model.kv_heads),
                         .head_dim = config.number_or("global_head_dim", model.head_dim)};
    if (config.has("compress_ratios")) {
        return compressed_layers(config, model, full);
    }
    std::vector<AttentionLayers> groups{full};
    const auto take = [&](std::optional<AttentionLayers> other) {
        if (other && other->layers != 0) {
            if (other->layers > groups.front().layers) {
                throw UserError{
                    "{}: kinds of attention make up more than {} layers", config.place(), model.layers};
            }
            groups.front().layers -= other->layers;
            groups.push_back(*other);
        }
    };
    take(linear_layers(config, model, full));
    take(windowed_layers(config, model, full));
    if (const auto sparse = config.object("sparse_attention_config")) {
        take(block_sparse_layers(*sparse, full));
    }
    if (model.latent) {
        groups.front().index = index_of(config, groups.front().layers);
    }
    if (groups.front().layers == 0) {
        groups.erase(groups.begin());
    }
    return groups;
}

/// What quantization_config says of the products' operands.
StoredWeights stored_weights(const ConfigReader& whole) {
    const auto given = whole.object("quantization_config");
    if (!given) {
        return {};
    }
    StoredWeights stored;
    const std::string method = given->word("quant_method");
    const auto of_type = [&](const ConfigReader& type) {
        stored.bits = type.count_or("num_bits", stored.bits);
        stored.floating = type.word("type") == "float";
    };
    stored.bits = given->count_or("bits", method.find("4") != std::string::npos ? 4 : stored.bits);
    if (method.find("fp8") != std::string::npos || method.find("fp4") != std::string::npos) {
        stored.bits = method.find("fp8") != std::string::npos ? 8 : 4;
        stored.floating = true;
        stored.activation_bits = given->has("activation_scheme") ? 8 : stored.activation_bits;
    }
    if (whole.word("expert_dtype") == "fp4") {  // the rest as quantization_config says (DeepSeek-V4)
        stored.expert_bits = 4;
    }
    if (const auto groups = given->object("config_groups")) {
        const auto group = groups->first_object();
        if (const auto weights = group ? group->object("weights") : std::nullopt) {
            of_type(*weights);
        }
        if (const auto activations = group ? group->object("input_activations") : std::nullopt) {
            stored.activation_bits = activations->count_or("num_bits", stored.activation_bits);
        }
    }
    if (stored.bits == 16 && !given->has("bits") && !given->has("config_groups")) {
        throw UserError{"{}: 'quantization_config' of '{}' does not say how many bits weights have",
                        given->place(),
                        method};
    }
    stored.what = fmt::format("{}: weights of {} bits{}{}, activations of {}",
                              method.empty() ? "quantization_config" : method,
                              stored.bits,
                              stored.floating ? " (floating)" : "",
                              stored.expert_bits != 0 ? ", of experts 4" : "",
                              stored.activation_bits);
    return stored;
}

void check(const ModelConfig& model, const std::string& place) {
    const bool empty = model.layers == 0 || model.hidden == 0 || model.vocabulary == 0 || model.heads == 0 ||
                       model.kv_heads == 0 || model.head_dim == 0;
    if (empty) {
        throw UserError{"{}: layers, hidden size, vocabulary, heads and their width must not be 0", place};
    }
    if (!model.latent && model.heads % model.kv_heads != 0) {
        throw UserError{"{}: {} heads cannot share {} heads of keys and values evenly",
                        place,
                        model.heads,
                        model.kv_heads};
    }
}

/// Parameters of one layer's attention.
std::uint64_t attention_parameters(const ModelConfig& model, const AttentionLayers& group) {
    if (group.linear) {
        const LinearAttention& linear = *group.linear;
        const std::uint64_t values = linear.value_heads * linear.value_dim;
        return model.hidden * (linear.convolved() + 2 * values + 2ULL * linear.value_heads);
    }
    if (!model.latent) {
        const std::uint64_t queries = (model.output_gate ? 3ULL : 2ULL) * group.heads;  // with o
        return model.hidden * group.head_dim * (queries + 2ULL * group.kv_heads);
    }
    const LatentAttention& latent = *model.latent;
    const std::uint64_t q = group.heads * (latent.nope_dim + latent.rope_dim);
    const std::uint64_t queries = latent.q_rank == 0 ? model.hidden * q : latent.q_rank * (model.hidden + q);
    const std::uint64_t values = group.heads * latent.value_dim;
    const std::uint64_t output = latent.output_groups == 0
                                     ? values * model.hidden
                                     : latent.output_rank * (values + latent.output_groups * model.hidden);
    const std::uint64_t expanded =
        latent.direct ? 0 : latent.kv_rank * group.heads * (latent.nope_dim + latent.value_dim);
    return queries + model.hidden * (latent.kv_rank + latent.rope_dim) + expanded + output;
}

std::uint64_t parameters_with(const ModelConfig& model, std::uint64_t experts) {
    constexpr std::uint64_t matrices = 3;  // gate, up, down
    std::uint64_t all = model.vocabulary * model.hidden * (model.tied_embeddings ? 1 : 2);
    for (const AttentionLayers& group : model.attention) {
        all += group.layers * attention_parameters(model, group);
        if (group.index) {
            const std::uint64_t from = model.latent ? model.latent->q_rank : model.hidden;
            all += group.index->layers * (group.index->heads * (group.index->dim * from + model.hidden) +
                                          group.index->dim * model.hidden);
        }
    }
    all += model.dense_layers * matrices * model.hidden * model.width;
    if (model.experts) {
        all += model.expert_layers() *
               (matrices * model.hidden * (experts * model.experts->width + model.experts->shared_width) +
                model.hidden * model.experts->count);
    }
    return all;
}

/// Feed-forward parts: experts, and dense ones in the layers that have none. Where a layer is counted as two
/// (LongCat), both have a dense part and every other one experts beside it.
void read_feed_forward(const ConfigReader& config, ModelConfig& model, bool doubled) {
    const char* experts = config.first_of(experts_keys);
    if (config.has(experts) && config.count(experts) > 1) {
        model.experts = experts_of(config, experts, doubled ? model.layers / 2 : model.layers);
    }
    model.dense_layers = doubled ? model.layers : model.layers - model.expert_layers();
    if (model.dense_layers != 0) {
        model.width = config.number(
            config.first_of({"dense_intermediate_size", "intermediate_size", "ffn_hidden_size"}));
    }
}

/// What config.json leaves to the code of a model's kind (transformers, models/<kind>).
struct KindTraits {
    std::string_view kind;  // model_type
    bool head_norm = false;
    bool output_gate = false;
};

constexpr std::array<KindTraits, 13> kind_traits{{
    {.kind = "qwen3", .head_norm = true},
    {.kind = "qwen3_moe", .head_norm = true},
    {.kind = "qwen3_vl", .head_norm = true},
    {.kind = "qwen3_vl_text", .head_norm = true},
    {.kind = "qwen3_vl_moe", .head_norm = true},
    {.kind = "qwen3_vl_moe_text", .head_norm = true},
    {.kind = "qwen3_next", .head_norm = true, .output_gate = true},
    {.kind = "qwen3_5", .head_norm = true, .output_gate = true},
    {.kind = "qwen3_5_text", .head_norm = true, .output_gate = true},
    {.kind = "qwen3_5_moe", .head_norm = true, .output_gate = true},
    {.kind = "qwen3_5_moe_text", .head_norm = true, .output_gate = true},
    {.kind = "gemma3_text", .head_norm = true},
    {.kind = "gemma4_text", .head_norm = true},
}};

KindTraits traits_of(std::string_view kind) {
    const auto found = std::ranges::find(kind_traits, kind, &KindTraits::kind);
    if (found != kind_traits.end()) {
        return *found;
    }
    return {.kind = kind, .head_norm = kind.starts_with("qwen3")};  // all of that family so far
}

/// The language model among several parts.
const json& language_part(const json& whole) {
    const json* part = &whole;
    for (const char* key : {"text_config", "llm_config", "language_config"}) {
        const auto found = whole.find(key);
        part = found != whole.end() && found->is_object() ? &*found : part;
    }
    return *part;
}

}  // namespace

std::uint64_t AttentionLayers::seen(std::uint64_t keys) const {
    const std::uint64_t near = window == 0 ? keys : std::min(keys, window);
    const std::uint64_t behind = window == 0 || compressed == 0 ? 0 : keys / compressed;
    const std::uint64_t far = window == 0 ? near : behind;
    const std::uint64_t picked = index ? std::min(far, index->chosen) : far;
    return std::max<std::uint64_t>(1, window == 0 ? picked : near + picked);
}

std::uint64_t ModelConfig::parameters() const {
    const std::uint64_t beside = word_tables ? word_tables->parameters(hidden) : 0;
    return beside + parameters_with(*this, experts ? experts->count : 0);
}

std::uint64_t ModelConfig::active_parameters() const {
    return parameters_with(*this, experts ? experts->chosen : 0);
}

ModelConfig parse_model(std::string_view text, const std::string& name, const std::string& place) {
    const json whole = json_of(text);
    if (!whole.is_object()) {
        throw UserError{"{}: this is no JSON object, as a model's config.json is", place};
    }
    const json& part = language_part(whole);
    const ConfigReader config{part, place};
    refuse_other_layers(config);
    ModelConfig model;
    model.name = name;
    model.kind = config.word("model_type");
    const bool doubled = !config.has("num_hidden_layers") && config.has("ffn_hidden_size");
    model.layers =
        doubled ? 2 * config.count("num_layers") : config.count("num_hidden_layers");  // LongCat's are two
    model.hidden = config.number("hidden_size");
    model.vocabulary = config.number("vocab_size");
    model.heads = config.count("num_attention_heads");
    model.kv_heads = config.count_or("num_key_value_heads", model.heads);
    model.head_dim = config.number_or("head_dim", model.heads == 0 ? 0 : model.hidden / model.heads);
    const KindTraits traits = traits_of(model.kind);
    model.head_norm = traits.head_norm || config.flag("use_qk_norm") || config.flag("qk_norm");
    model.output_gate = config.has("attn_output_gate") ? config.flag("attn_output_gate") : traits.output_gate;
    model.tied_embeddings = config.flag("tie_word_embeddings");
    model.streams = config.count_or("hc_mult", 1);
    read_feed_forward(config, model, doubled);
    if (config.has("kv_lora_rank") || config.has("compress_ratios")) {
        model.latent = latent_of(config);
    }
    if (config.has("ngram_vocab_size_ratio")) {
        model.word_tables = word_tables_of(config, model);
    }
    model.attention = attention_of(config, model);
    const ConfigReader top{whole, place};
    model.stored = stored_weights(top.has("quantization_config") ? top : config);
    check(model, place);
    return model;
}

ModelConfig open_model(const std::filesystem::path& file) {
    std::ifstream stream{file, std::ios::binary};
    const std::string text{std::istreambuf_iterator<char>{stream}, {}};
    if (!stream.good() && text.empty()) {
        throw UserError{"{}: {}", file.string(), why_unreadable(file)};
    }
    const bool plain = file.filename() == "config.json";
    return parse_model(
        text, plain ? file.parent_path().filename().string() : file.stem().string(), file.string());
}

}  // namespace ascendsim::networks::llm
