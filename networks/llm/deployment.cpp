// SPDX-License-Identifier: Apache-2.0
#include "networks/llm/deployment.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "sim/base/error.hpp"

namespace ascendsim::networks::llm {
namespace {

void check_divides(std::uint64_t value, std::uint64_t by, const char* what, const std::string& place) {
    if (by != 0 && value % by != 0) {
        throw UserError{"{}: {} {} cannot be shared evenly by {} devices: {} would be left over",
                        place,
                        value,
                        what,
                        by,
                        value % by};
    }
}

std::uint64_t bytes_of(const Deployment& deployment, std::uint64_t parameters, bool of_experts) {
    return deployment.weights == Weights::half ? parameters * half_bytes
           : deployment.four_bits(of_experts)  ? ceiling(parameters, 2)
                                               : parameters;
}

/// Bytes of weights that a device has of other devices' heads, where it takes tokens instead of heads: for
/// queries, keys and values in each layer, and for outputs of the layer that is computed.
std::uint64_t weights_of_other_heads(const Deployment& deployment) {
    const ModelConfig& model = deployment.model;
    if (!deployment.layout.attention_by_tokens || !model.latent) {
        return 0;
    }
    const LatentAttention& latent = *model.latent;
    const std::uint64_t rank = latent.q_rank == 0 ? model.hidden : latent.q_rank;
    const std::uint64_t queries = rank * (latent.nope_dim + latent.rope_dim);
    const std::uint64_t values = latent.direct ? 0 : latent.kv_rank * (latent.nope_dim + latent.value_dim);
    std::uint64_t parameters = 0;
    std::uint64_t outputs = 0;
    for (const AttentionLayers& group : model.attention) {
        if (group.index || latent.direct) {
            parameters += std::uint64_t{group.layers} * group.heads * (queries + values);
            outputs = std::max(outputs, group.heads * latent.value_dim * model.hidden);
        }
    }
    const std::uint64_t all = parameters + (latent.output_groups == 0 ? outputs : 0);
    return bytes_of(deployment, all - all / deployment.layout.tensor, false);
}

/// Bytes of weights on the device that holds most, tables left out.
std::uint64_t layer_weights(const Deployment& deployment, std::uint64_t tables) {
    const ModelConfig& model = deployment.model;
    std::uint64_t experts = 0;
    if (model.experts) {
        const std::uint64_t matrices = 3 * model.hidden * model.experts->width;
        experts = model.expert_layers() * matrices * model.experts->count;
    }
    const std::uint64_t shared = model.parameters() - tables - experts;
    // experts lie on all devices of the replicas, or are cut in strips by those of one replica
    const std::uint64_t sharers =
        deployment.layout.expert_parallel ? deployment.expert_devices() : deployment.layout.tensor;
    return bytes_of(deployment, ceiling(shared, deployment.layout.tensor), false) +
           bytes_of(deployment, ceiling(experts, sharers), true);
}

/// Bytes that the cache takes for a token in one layer of a kind.
std::uint64_t cached_row(const Deployment& deployment, const AttentionLayers& group) {
    const ModelConfig& model = deployment.model;
    if (group.linear) {
        return 0;
    }
    const std::uint64_t whole = model.latent ? model.latent->rope_dim : 0;  // elements that stay of 16 bits
    const std::uint64_t row =
        model.latent ? model.latent->kv_rank + whole : 2 * deployment.kv_heads(group) * group.head_dim;
    return deployment.cache == Cache::int8 ? row - whole + whole * half_bytes : row * half_bytes;
}

/// Adds what layers of a kind keep: for each token, and for each sequence.
void add_cache(const Deployment& deployment, const AttentionLayers& group, MemoryUse& use) {
    const std::uint64_t layers = ceiling(group.layers, deployment.layout.pipeline);
    const std::uint64_t row = cached_row(deployment, group);
    if (group.linear) {
        use.state += layers * ceiling(group.linear->state(), deployment.layout.tensor) * float_bytes;
        return;
    }
    const std::uint64_t tokens_of_key = group.window == 0 ? 1 : group.compressed;
    use.state += layers * group.window * row;
    if (tokens_of_key == 0) {
        return;
    }
    use.cache_of_token += ceiling(layers * row, tokens_of_key);
    if (group.index) {
        const std::uint64_t bytes = deployment.cache == Cache::int8 ? 1 : half_bytes;
        use.cache_of_token +=
            ceiling(ceiling(group.index->layers, deployment.layout.pipeline) * bytes * group.index->dim,
                    tokens_of_key);
    }
}

void check_attention(const Deployment& deployment, const std::string& place) {
    const ModelConfig& model = deployment.model;
    const Layout& layout = deployment.layout;
    if (layout.attention_by_tokens && !(model.latent && model.picks_keys())) {
        throw UserError{
            "{}: attention_by_tokens is written for latent keys that an index picks, which {} "
            "has not",
            place,
            model.name};
    }
    for (const AttentionLayers& group : model.attention) {
        check_divides(group.heads, layout.tensor, "heads", place);
        if (group.linear) {
            check_divides(group.linear->value_heads, layout.tensor, "heads of values", place);
            check_divides(group.linear->key_heads, layout.tensor, "heads of keys", place);
        } else if (!model.latent && group.kv_heads > layout.tensor) {
            check_divides(group.kv_heads, layout.tensor, "heads of keys and values", place);
        }
    }
    if (model.latent && model.latent->output_groups != 0) {
        check_divides(model.latent->output_groups, layout.tensor, "groups of heads", place);
    }
    const bool plain = !model.latent && model.attention.size() == 1 && !model.attention.front().index;
    if (deployment.attention == AttentionKernels::apart && !plain) {
        throw UserError{
            "{}: attention = \"apart\" is written for keys of each head that all tokens see, and {} has {}",
            place,
            model.name,
            model.latent ? "latent keys" : "layers of several kinds"};
    }
    if (deployment.attention == AttentionKernels::apart && deployment.cache == Cache::int8) {
        throw UserError{"{}: cache = \"int8\" is read by the fused kernel alone: attention = \"fused\"",
                        place};
    }
    if (!deployment.chip.cores.split) {
        throw UserError{
            "{}: the attention kernel, norms with the residual and the cache's update need separate cube and "
            "vector cores; {} has whole cores, and serving on it is not simulated",
            place,
            deployment.chip.name};
    }
}

}  // namespace

Dealing Deployment::dealing() const {
    Dealing dealing{.experts = model.experts->count,
                    .chosen = model.experts->chosen,
                    .devices = expert_devices(),
                    .routing = routing};
    if (routing == Routing::trained) {
        dealing.layer = usual_layer(dealing);
    }
    return dealing;
}

MemoryUse memory_of(const Deployment& deployment, std::uint64_t step_tokens) {
    const ModelConfig& model = deployment.model;
    const std::uint64_t tensor = deployment.layout.tensor;
    const std::uint64_t table = model.vocabulary * model.hidden;
    const std::uint64_t tables = table * (model.tied_embeddings ? 1 : 2);
    const std::uint64_t stages = deployment.layout.pipeline;
    MemoryUse use;
    // the first stage has the embedding, the last one the head
    use.weights = ceiling(layer_weights(deployment, tables) + weights_of_other_heads(deployment), stages) +
                  ceiling(stages > 1 ? table : tables, tensor) * half_bytes;
    for (const AttentionLayers& group : model.attention) {
        add_cache(deployment, group, use);
    }
    // hidden states twice, gate and up of the widest part, scores of the vocabulary for one token in 16
    const std::uint64_t width =
        std::max(model.width, model.experts ? model.experts->width * model.experts->chosen : 0);
    use.activations =
        step_tokens * half_bytes * (2 * model.streams * model.hidden + 2 * ceiling(width, tensor)) +
        ceiling(step_tokens, 16) * float_bytes * ceiling(model.vocabulary, tensor);
    return use;
}

void check_layout(const Deployment& deployment, const std::string& place) {
    const ModelConfig& model = deployment.model;
    const Layout& layout = deployment.layout;
    if (layout.devices() > deployment.node.size()) {
        throw UserError{"{}: the layout takes {} devices ({} x {}{}), and {} has {}",
                        place,
                        layout.devices(),
                        layout.tensor,
                        layout.pipeline > 1 ? fmt::format("{} x ", layout.pipeline) : "",
                        layout.replicas,
                        deployment.node.name,
                        deployment.node.size()};
    }
    check_attention(deployment, place);
    if (model.layers % layout.pipeline != 0) {
        throw UserError{"{}: {} layers cannot be shared evenly by {} stages: {} would be left over",
                        place,
                        model.layers,
                        layout.pipeline,
                        model.layers % layout.pipeline};
    }
    if (model.width != 0) {
        check_divides(model.width, layout.tensor, "columns of the feed-forward part", place);
    }
    if (layout.expert_parallel && !model.experts) {
        throw UserError{"{}: expert_parallel is set, and {} has no experts", place, model.name};
    }
    if (model.experts) {
        if (layout.expert_parallel) {
            check_divides(model.experts->count, deployment.expert_devices(), "experts", place);
        } else {
            check_divides(model.experts->width, layout.tensor, "columns of an expert", place);
        }
    }
}

}  // namespace ascendsim::networks::llm
