// SPDX-License-Identifier: Apache-2.0
#include "app/validation/serving/row_experts.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ascendsim::validation {
namespace {

/// vllm-ascend at 182b75ea, vllm_ascend/ascend_forward_context.py, `select_moe_comm_method`: on A3 tokens are
/// sent to experts, whatever the layout. On A2 they are where a device has 24 experts at most, there are 16
/// devices or more and the step fits the graphs of 512 tokens.
std::uint64_t gathered_from(const ServerCommand& command,
                            Framework framework,
                            const std::string& chip,
                            const networks::llm::Experts& experts) {
    constexpr std::uint64_t always = 1;
    constexpr std::uint64_t most_experts = 24;
    constexpr std::uint64_t least_devices = 16;
    constexpr std::uint64_t captured_tokens = 512;
    if (framework != Framework::vllm) {
        return command.replicas == 1 ? always : 0;
    }
    const std::uint64_t devices = command.tensor * command.replicas;
    const bool sent = experts.count / devices <= most_experts && devices >= least_devices;
    return chip == "910c" ? 0 : sent ? captured_tokens + 1 : always;
}

/// Tokens of a step that are sent row by row at most: as many as graphs are captured for, or as sequences may
/// have where nothing is captured, and no more than 512 of a device (there, `set_mc2_tokens_capacity`).
std::uint64_t sent_row_by_row(const ServerCommand& command) {
    constexpr std::uint64_t captured = 512;
    constexpr std::uint64_t usual_sequences = 256;  // of vLLM's server, and of `ascendsim serve`
    constexpr std::uint64_t most_of_device = 512;
    const std::uint64_t sequences = command.max_sequences.value_or(usual_sequences);
    const std::uint64_t tokens = command.mode == "eager" ? sequences * (1 + command.drafted) : captured;
    return std::min(tokens, most_of_device * command.tensor);
}

}  // namespace

std::string layout_table(const char* name,
                         const ServerCommand& command,
                         Framework framework,
                         const std::string& chip,
                         const std::optional<networks::llm::Experts>& experts) {
    const bool shares = experts && command.expert_parallel;
    std::string text = fmt::format("[{}]\ntensor = {}\npipeline = {}\nreplicas = {}\nexpert_parallel = {}\n",
                                   name,
                                   command.tensor,
                                   command.pipeline,
                                   command.replicas,
                                   shares);
    if (shares && command.tensor * command.replicas > 1) {
        const std::uint64_t gathers = gathered_from(command, framework, chip, *experts);
        text += fmt::format("gathers_from = {}\n", command.gathers_from.value_or(gathers));
        if (framework == Framework::vllm || command.row_by_row) {
            text += fmt::format("row_by_row = {}\n", command.row_by_row.value_or(sent_row_by_row(command)));
        }
        // Experts of all tokens are whole on each device then (sgl-project/sglang at 0229689b,
        // models/deepseek_v2.py: tp_size 1 of shared_experts).
        text += framework == Framework::sglang ? "whole_shared = true\n" : "";
        text += command.repeated ? "repeated = true\n" : "";
    }
    text += command.attention_by_tokens ? "attention_by_tokens = true\n" : "";
    return text + (command.filled_up ? "filled_up = true\n" : "");
}

}  // namespace ascendsim::validation
