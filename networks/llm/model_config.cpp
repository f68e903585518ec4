// SPDX-License-Identifier: Apache-2.0
#include "networks/llm/model_config.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/json_text.hpp"

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
        const json& value = object_.at(key);
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
    constexpr std::array<std::pair<const char*, const char*>, 5> others{{
        {"linear_num_value_heads", "linear attention"},
        {"mamba_d_state", "state space layers"},
        {"ssm_cfg", "state space layers"},
        {"index_topk", "sparse attention with an index"},
        {"is_encoder_decoder", "an encoder beside the decoder"},
    }};
    for (const auto& [key, what] : others) {
        if (config.has(key) && (config.flag(key) || std::string_view{key} != "is_encoder_decoder")) {
            throw UserError{
                "{}: '{}' says that this model has {}, which is not simulated; models of attention "
                "(full, grouped or latent) with dense or expert feed-forward parts are",
                config.place(),
                key,
                what};
        }
    }
}

Experts experts_of(const ConfigReader& config, const char* count) {
    Experts experts;
    experts.count = config.count(count);
    experts.chosen = config.count("num_experts_per_tok");
    experts.width = config.number(config.first_of({"moe_intermediate_size", "intermediate_size"}));
    const std::uint64_t shared = config.number_or("n_shared_experts", 0);
    experts.shared_width = config.number_or("shared_expert_intermediate_size", shared * experts.width);
    experts.dense_layers = config.count_or("first_k_dense_replace", 0);
    if (experts.chosen == 0 || experts.chosen > experts.count) {
        throw UserError{
            "{}: 'num_experts_per_tok' is {} of {} experts", config.place(), experts.chosen, experts.count};
    }
    return experts;
}

LatentAttention latent_of(const ConfigReader& config) {
    return {.q_rank = config.number_or("q_lora_rank", 0),
            .kv_rank = config.number("kv_lora_rank"),
            .nope_dim = config.number("qk_nope_head_dim"),
            .rope_dim = config.number("qk_rope_head_dim"),
            .value_dim = config.number("v_head_dim")};
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
    if (model.experts && model.experts->dense_layers > model.layers) {
        throw UserError{"{}: 'first_k_dense_replace' is {} of {} layers",
                        place,
                        model.experts->dense_layers,
                        model.layers};
    }
}

/// Parameters of one layer's attention.
std::uint64_t attention_parameters(const ModelConfig& model) {
    if (!model.latent) {
        return model.hidden * model.head_dim * (2ULL * model.heads + 2ULL * model.kv_heads);
    }
    const LatentAttention& latent = *model.latent;
    const std::uint64_t q = model.heads * (latent.nope_dim + latent.rope_dim);
    const std::uint64_t queries = latent.q_rank == 0 ? model.hidden * q : latent.q_rank * (model.hidden + q);
    return queries + model.hidden * (latent.kv_rank + latent.rope_dim) +
           latent.kv_rank * model.heads * (latent.nope_dim + latent.value_dim) +
           model.heads * latent.value_dim * model.hidden;
}

std::uint64_t parameters_with(const ModelConfig& model, std::uint64_t experts) {
    constexpr std::uint64_t matrices = 3;  // gate, up, down
    const std::uint64_t dense = matrices * model.hidden * model.width;
    const std::uint64_t expert_layers = model.expert_layers();
    std::uint64_t all = model.vocabulary * model.hidden * (model.tied_embeddings ? 1 : 2);
    all += model.layers * attention_parameters(model) + (model.layers - expert_layers) * dense;
    if (model.experts) {
        all += expert_layers *
               (matrices * model.hidden * (experts * model.experts->width + model.experts->shared_width) +
                model.hidden * model.experts->count);
    }
    return all;
}

}  // namespace

std::uint64_t ModelConfig::parameters() const {
    return parameters_with(*this, experts ? experts->count : 0);
}

std::uint64_t ModelConfig::active_parameters() const {
    return parameters_with(*this, experts ? experts->chosen : 0);
}

std::uint64_t ModelConfig::cache_elements() const {
    return latent ? latent->kv_rank + latent->rope_dim : 2 * kv_heads * head_dim;
}

ModelConfig parse_model(std::string_view text, const std::string& name, const std::string& place) {
    const json whole = json_of(text);
    if (!whole.is_object()) {
        throw UserError{"{}: this is no JSON object, as a model's config.json is", place};
    }
    const json* part = &whole;
    for (const char* key : {"text_config", "llm_config"}) {
        const auto found = whole.find(key);
        part = found != whole.end() && found->is_object() ? &*found : part;
    }
    const ConfigReader config{*part, place};
    refuse_other_layers(config);
    ModelConfig model;
    model.name = name;
    model.kind = config.word("model_type");
    model.layers = config.count("num_hidden_layers");
    model.hidden = config.number("hidden_size");
    model.vocabulary = config.number("vocab_size");
    model.heads = config.count("num_attention_heads");
    model.kv_heads = config.count_or("num_key_value_heads", model.heads);
    model.head_dim = config.number_or("head_dim", model.heads == 0 ? 0 : model.hidden / model.heads);
    model.head_norm = model.kind.starts_with("qwen3") || config.flag("use_qk_norm");
    model.tied_embeddings = config.flag("tie_word_embeddings");
    const char* experts = config.first_of({"num_experts", "n_routed_experts", "num_local_experts"});
    if (config.has(experts) && config.count(experts) > 1) {
        model.experts = experts_of(config, experts);
    }
    const bool all_experts = model.experts && model.experts->dense_layers == 0;
    model.width = all_experts ? config.number_or("intermediate_size", 0) : config.number("intermediate_size");
    if (config.has("kv_lora_rank")) {
        model.latent = latent_of(config);
    }
    check(model, place);
    return model;
}

ModelConfig open_model(const std::filesystem::path& file) {
    std::ifstream stream{file, std::ios::binary};
    const std::string text{std::istreambuf_iterator<char>{stream}, {}};
    if (!stream.good() && text.empty()) {
        throw UserError{"{}: this file cannot be read", file.string()};
    }
    const bool plain = file.filename() == "config.json";
    return parse_model(
        text, plain ? file.parent_path().filename().string() : file.stem().string(), file.string());
}

}  // namespace ascendsim::networks::llm
