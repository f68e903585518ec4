// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/validation/system/system_row.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::validation {

/// A server's command, as far as it matters here. What a command leaves out is nothing.
struct ServerCommand {
    std::uint64_t tensor = 1;
    std::uint64_t pipeline = 1;
    std::uint64_t replicas = 1;
    bool expert_parallel = false;
    bool filled_up = false;  // as networks::llm::Layout; the next four, too
    bool attention_by_tokens = false;
    bool repeated = false;
    std::optional<std::uint64_t> gathers_from;
    std::optional<std::uint64_t> row_by_row;
    std::string mode;               // "full", "piecewise", "eager"
    std::string expansion = "aiv";  // or "ai_cpu": who exchanges what is small, HCCL_OP_EXPANSION_MODE
    std::optional<std::uint64_t> max_sequences;
    std::optional<std::uint64_t> max_tokens;
    std::optional<double> memory_share;
    bool synchronous = false;  // the host does not prepare a step while the one before it runs
    std::uint64_t drafted = 0;
    std::string draft;               // by what: "deepseek_mtp", "eagle3"
    std::optional<double> accepted;  // of the tokens drafted in a step, on average
    bool draft_eager = false;
    bool even_experts = false;  // tokens are dealt to experts evenly, by force
    bool prefix_cache = true;
    bool chunked = true;                // false: prompts run apart from sequences that decode, and whole
    std::string cache;                  // "int8"
    std::uint64_t index_every = 1;      // layers that share what one index picks
    std::uint64_t framework_calls = 0;  // of its code in each layer of prompts, beside the kernels of a step

    [[nodiscard]] std::uint64_t devices() const { return tensor * pipeline * replicas; }
};

/// A run of vllm-ascend's nightly tests.
struct NightlyRun {
    std::string name;
    std::string model;
    std::string machine;             // "a2", "a3", "310p"
    std::uint64_t devices = 0;       // of its servers; 0: as many as the commands take
    std::vector<std::string> loads;  // "GSM8K-in3500-bs2800 n128 out1500 bs32"
    std::string floor;               // since when its figure is one that runs are to reach; empty: measured
    ServerCommand server;
    std::optional<ServerCommand> prompts;  // of replicas that compute prompts alone
};

/// The keys of a command's table. Throws UserError with file, line and key.
[[nodiscard]] ServerCommand read_command(TableReader table);

/// The keys of a command's table for replicas that compute prompts alone: its layout, mode, and what it says
/// of steps, memory and prefixes. Throws UserError with file, line and key for any other: of what drafts, or
/// how a cache is held, all servers of a model have one statement.
[[nodiscard]] ServerCommand read_prompt_command(TableReader table);

/// Reads scenarios/measurements/nightly.toml. Throws UserError for what is wrong in it.
[[nodiscard]] std::vector<NightlyRun> read_nightly_runs(const std::filesystem::path& file);

/// The run that a row names in brackets; of several with the name, that of the row's machine, or else of its
/// load. Nothing if none or several remain.
[[nodiscard]] const NightlyRun* nightly_run(const std::vector<NightlyRun>& runs, const SystemRow& row);

}  // namespace ascendsim::validation
