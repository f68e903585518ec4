// SPDX-License-Identifier: Apache-2.0
#include "networks/llm/deployment.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "sim/base/error.hpp"

namespace ascendsim::networks::llm {
namespace {

void check_divides(std::uint64_t value, std::uint64_t by, const char* what, const std::string& place) {
    if (by != 0 && value % by != 0) {
        throw UserError{"{}: {} {} cannot be shared evenly by {} devices", place, value, what, by};
    }
}

}  // namespace

MemoryUse memory_of(const Deployment& deployment, std::uint64_t step_tokens) {
    const ModelConfig& model = deployment.model;
    const std::uint64_t tensor = deployment.layout.tensor;
    const std::uint64_t weight_bytes = deployment.weights == Weights::int8 ? 1 : half_bytes;
    const std::uint64_t table = model.vocabulary * model.hidden;
    const std::uint64_t tables = table * (model.tied_embeddings ? 1 : 2);
    const std::uint64_t stages = deployment.layout.pipeline;
    std::uint64_t experts = 0;
    if (model.experts) {
        const std::uint64_t matrices = 3 * model.hidden * model.experts->width;
        experts = model.expert_layers() * matrices * model.experts->count;
    }
    const std::uint64_t shared = model.parameters() - tables - experts;
    // experts lie on all devices of the replicas, or are cut in strips by those of one replica
    const std::uint64_t expert_share =
        deployment.layout.expert_parallel ? deployment.expert_devices() : tensor;
    MemoryUse use;
    // the first stage has the embedding, the last one the head
    use.weights = ceiling((ceiling(shared, tensor) + ceiling(experts, expert_share)) * weight_bytes, stages) +
                  ceiling(stages > 1 ? table : tables, tensor) * half_bytes;
    const std::uint64_t cache =
        model.latent ? model.cache_elements() : 2 * deployment.kv_heads() * model.head_dim;
    const std::uint64_t whole = model.latent ? model.latent->rope_dim : 0;  // elements that stay of 16 bits
    const std::uint64_t cache_bytes =
        deployment.cache == Cache::int8 ? cache - whole + whole * half_bytes : cache * half_bytes;
    use.cache_of_token = cache_bytes * ceiling(model.layers, stages);
    // hidden states twice, gate and up of the widest part, scores of the vocabulary for one token in 16
    const std::uint64_t width =
        std::max(model.width, model.experts ? model.experts->width * model.experts->chosen : 0);
    use.activations = step_tokens * half_bytes * (2 * model.hidden + 2 * ceiling(width, tensor)) +
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
    check_divides(model.heads, layout.tensor, "heads", place);
    if (model.layers % layout.pipeline != 0) {
        throw UserError{
            "{}: {} layers cannot be shared evenly by {} stages", place, model.layers, layout.pipeline};
    }
    if (deployment.attention == AttentionKernels::apart && model.latent) {
        throw UserError{"{}: attention = \"apart\" is written for keys of each head, and {} has latent keys",
                        place,
                        model.name};
    }
    if (deployment.attention == AttentionKernels::apart && deployment.cache == Cache::int8) {
        throw UserError{"{}: cache = \"int8\" is read by the fused kernel alone: attention = \"fused\"",
                        place};
    }
    if (!model.latent && model.kv_heads > layout.tensor) {
        check_divides(model.kv_heads, layout.tensor, "heads of keys and values", place);
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
    if (!deployment.chip.cores.split) {
        throw UserError{
            "{}: the attention kernel needs separate cube and vector cores; {} has whole cores, and "
            "serving on it is not simulated",
            place,
            deployment.chip.name};
    }
}

}  // namespace ascendsim::networks::llm
