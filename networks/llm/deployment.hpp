// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/node/node_spec.hpp"
#include "models/spec/chip_spec.hpp"
#include "networks/llm/model_config.hpp"
#include "networks/llm/routing.hpp"

namespace ascendsim::networks::llm {

/// How a model is laid out over devices. Each replica has `pipeline` stages of as many layers, and each stage
/// `tensor` devices, which share every layer; replicas of a mixture of experts share their experts among all
/// of a stage if `expert_parallel` is set.
struct Layout {
    std::uint32_t tensor = 1;
    std::uint32_t pipeline = 1;
    std::uint32_t replicas = 1;
    bool expert_parallel = false;
    /// In steps of at least so many tokens of a replica, devices that share experts have the tokens of all,
    /// which replicas gather from each other, instead of sending them to their experts. 0: never, 1: always.
    std::uint64_t gathers_from = 0;
    /// In steps of up to so many tokens of a replica, they are sent by a kernel that takes row by row; in
    /// longer ones sorted by experts, all rows for a device at once.
    std::uint64_t row_by_row = 512;
    /// Each device of a replica sends all tokens of it, which they have in common; otherwise its share.
    bool repeated = false;
    /// Experts that all tokens choose are whole on each device, for its share of the tokens that are sent;
    /// otherwise the devices of a replica share their width, and the results are added apart from others.
    bool whole_shared = false;
    /// In steps that are not captured, replicas that share experts are filled up to the one with most tokens.
    /// What fills them is alike, and chooses the same experts, the first ones.
    bool filled_up = false;

    /// Attention to keys that an index picks takes each device's share of the tokens, with all heads, and
    /// keys are gathered; otherwise its share of the heads, of all tokens (DSA-CP of vllm-ascend at 182b75ea,
    /// attention/context_parallel/sfa_cp.py).
    bool attention_by_tokens = false;

    [[nodiscard]] std::uint32_t devices() const { return tensor * pipeline * replicas; }

    /// How often a replica's tokens are sent.
    [[nodiscard]] std::uint32_t copies() const { return repeated ? tensor : 1; }

    /// True if tokens are sent to their experts, in some steps at least.
    [[nodiscard]] bool sends() const { return expert_parallel && tensor * replicas > 1 && gathers_from != 1; }

    /// True if devices that share experts have all tokens, in some steps at least.
    [[nodiscard]] bool gathers() const { return !sends() || gathers_from != 0; }
};

/// Bytes of an element of 16 bits, and of a float.
inline constexpr std::uint64_t half_bytes = 2;
inline constexpr std::uint64_t float_bytes = 4;

/// `value` shared by so many, rounded up.
[[nodiscard]] constexpr std::uint64_t ceiling(std::uint64_t value, std::uint64_t by) {
    return (value + by - 1) / by;
}

/// How weights are held and multiplied.
enum class Weights : std::uint8_t {
    half,  // 16 bits
    int8,  // W8A8: activations are quantised for each product
    int4,  // W4A8: of routed experts, or of all layers where there are none; others as int8
};

/// How keys and values are held.
enum class Cache : std::uint8_t {
    half,  // 16 bits
    int8,  // 8 bits, which the attention kernel turns into 16, or multiplies; rotated parts of latent keys
           // stay
};

/// The kernels of attention.
enum class AttentionKernels : std::uint8_t {
    fused,  // one for all sequences
    apart,  // for each sequence: keys and values gathered, product, scale, mask, softmax, product
};

/// A model on its devices.
struct Deployment {
    ModelConfig model;
    Layout layout;
    Weights weights = Weights::half;
    Cache cache = Cache::half;
    AttentionKernels attention = AttentionKernels::fused;
    Routing routing = Routing::trained;
    /// Operators of the framework's own code in each layer of steps with prompts, beside the kernels of a
    /// step: scales, masks, copies to another order. Each touches a device's share of the hidden states.
    std::uint32_t framework_calls = 0;
    const ChipSpec& chip;
    const node::NodeSpec& node;

    /// Devices that share the experts of a layer.
    [[nodiscard]] std::uint32_t expert_devices() const {
        return layout.expert_parallel ? layout.tensor * layout.replicas : 1;
    }

    /// Heads of keys and values that one device keeps; at least one, which devices may then have twice.
    [[nodiscard]] std::uint32_t kv_heads(const AttentionLayers& group) const {
        return std::max(1U, group.kv_heads / layout.tensor);
    }

    [[nodiscard]] std::uint32_t heads(const AttentionLayers& group) const {
        return group.heads / layout.tensor;
    }

    /// True if weights have four bits: of routed experts, or of other products.
    [[nodiscard]] bool four_bits(bool of_experts) const {
        return weights == Weights::int4 && (of_experts || !model.experts);
    }

    /// How tokens of a layer go to its experts; of trained routers, in its usual layer.
    [[nodiscard]] Dealing dealing() const;

    /// Elements of 16 bits: chips with whole cores have no bfloat16.
    [[nodiscard]] const char* half_type() const { return chip.cores.split ? "bfloat16" : "float16"; }
};

/// Bytes on the device that holds most.
struct MemoryUse {
    std::uint64_t weights = 0;
    std::uint64_t cache_of_token = 0;  // keys and values of one token, all layers
    std::uint64_t state = 0;           // of one sequence, however long: windows of keys, states
    std::uint64_t activations = 0;     // of a step of so many tokens
};

[[nodiscard]] MemoryUse memory_of(const Deployment& deployment, std::uint64_t step_tokens);

/// Throws UserError for a layout that the model or the machine does not allow: heads, widths or experts that
/// do not divide, more devices than there are.
void check_layout(const Deployment& deployment, const std::string& place);

}  // namespace ascendsim::networks::llm
