// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/node/host_calls.hpp"
#include "models/node/node_spec.hpp"
#include "models/node/transfers.hpp"
#include "models/spec/chip_spec.hpp"
#include "models/spec/power_spec.hpp"
#include "networks/llm/deployment.hpp"
#include "networks/llm/step.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::serving {

/// A number of tokens: `mean`, evenly spread over mean (1 ± spread).
struct Length {
    std::uint64_t mean = 1;
    double spread = 0;
};

/// When requests come.
enum class Arrivals : std::uint8_t {
    all,      // at once
    poisson,  // at a mean rate, independent of each other
    closed,   // so many at a time: one that ends lets the next one come, perhaps at a mean rate at most
    trace,    // as a file says
};

/// One request of a trace.
struct Request {
    double arrival_us = 0;
    std::uint64_t prompt = 1;
    std::uint64_t output = 1;
};

struct RequestPlan {
    Arrivals arrivals = Arrivals::all;
    std::uint32_t count = 100;
    std::uint64_t seed = 1;
    double rate = 0;  // requests/s, of poisson; of closed, where they come no faster: 0: they may
    std::uint32_t concurrency = 1;  // of closed
    Length prompt;
    Length output;
    std::uint64_t prefix = 0;    // first tokens that prompts share
    double prefix_share = 1;     // of the requests, those that have them
    bool computed = false;       // prompts have been computed elsewhere, and their first tokens
    std::vector<Request> trace;  // of trace, by arrival
};

/// How a replica puts steps together.
struct Scheduler {
    std::uint32_t max_sequences = 256;
    std::uint64_t max_tokens = 8192;  // of a step
    bool chunked = true;              // prompts may be cut, and run beside sequences that decode
    double step_host_us = 3000;       // between steps, on the host: scheduling, inputs, sampling
    bool overlapped = false;          // the host prepares a step while the one before it runs
    double overlapped_us = 85;        // what is left between steps then
    double piece_us = 770;            // on the host for each layer, of ServeConfig::piecewise
    double expert_layer_us = 2660;    // the same for each with experts, of steps launched call by call
};

struct Speculation {
    std::uint32_t drafted = 0;  // tokens of a step, by layers of their own; 0: none
    double acceptance = 0;      // probability of each, if those before it were accepted
    std::uint32_t passes = 0;   // runs of what drafts in a step; 0: one for each token
    std::uint32_t layers = 1;   // of the model's size that draft, one behind the other
    bool block = false;         // a run takes all tokens of a draft at once, and the one before them
    bool captured = true;       // they are graphs where steps are; else launched one by one
    bool on_host = false;       // no layer drafts: tokens are looked up in texts that are there
    double pass_host_us =
        1000;  // on the host for each run but the first: positions, lengths, places in the cache

    [[nodiscard]] std::uint32_t runs() const { return on_host ? 0 : passes == 0 ? drafted : passes; }
};

/// What crosses the link between host and devices; kB are of 1000 bytes. Every device of a replica has its
/// own copy.
struct Copies {
    bool pinned = true;
    double request_in_kb = 0;      // inputs of a request: images, states of another model
    double token_in_kb = 0;        // of each token of a step: ids, masks, tables
    double result_out_kb = 0;      // of each sequence whose token is computed: scores that the host samples
    bool double_buffered = false;  // inputs are copied while steps run; results are waited for all the same
    std::uint32_t distinct = 0;    // requests choose evenly of so many inputs; 0: each has its own
    std::uint32_t cached = 0;      // inputs that a device keeps, the latest used

    /// Time of one copy; none: 0.
    [[nodiscard]] double us(const node::NodeSpec& node, node::Direction direction, double kb) const {
        const auto bytes = static_cast<std::uint64_t>(kb * 1000);
        return bytes == 0 ? 0 : node::host_copy_us(node, direction, bytes, pinned);
    }
};

/// Replicas beside the others that compute prompts alone and hand their caches on.
struct PromptServer {
    networks::llm::Layout layout;
    node::IssueMode mode = node::IssueMode::eager;
    bool piecewise = false;     // as ServeConfig::piecewise
    double memory_share = 0.9;  // as ServeConfig::memory_share
    Scheduler scheduler;
};

/// A change of the file's values that builds on those before it.
struct Rung {
    std::string name;
    std::vector<std::string> settings;  // "scheduler.max_sequences=64"
};

/// A serving system and its load.
struct ServeConfig {
    std::string title;
    std::string place;  // file
    networks::llm::ModelConfig model;
    networks::llm::Layout layout;
    networks::llm::Weights weights = networks::llm::Weights::half;
    networks::llm::Cache cache = networks::llm::Cache::half;
    networks::llm::AttentionKernels attention = networks::llm::AttentionKernels::fused;
    networks::llm::Routing routing = networks::llm::Routing::trained;
    std::uint32_t framework_calls = 0;  // as networks::llm::Deployment
    PowerSpec power;
    ChipSpec chip;
    std::vector<std::string> chip_values = {};  // that are not the chip's own: "cores.clock_ghz = 1.65"
    node::NodeSpec node;
    node::HostSpec host;
    node::IssueMode mode = node::IssueMode::graph;  // of steps that only decode; others are launched singly
    bool piecewise = false;     // graphs hold what is between attention alone, and the host issues each layer
    double memory_share = 0.9;  // of the device's, for weights, activations and cache
    std::uint64_t cache_block = 128;           // tokens of a block of the cache
    std::uint32_t prompt_replicas = 0;         // replicas for prompts alone; 0: all do both
    std::optional<PromptServer> prompts = {};  // others, of a layout of their own, for prompts alone
    Scheduler scheduler;
    Speculation speculation;
    Copies copies;
    RequestPlan requests;
    std::vector<Rung> ladder;

    /// What is laid out: of `layout`, one replica and those that share its experts.
    [[nodiscard]] networks::llm::Deployment deployment() const {
        return {.model = model,
                .layout = layout,
                .weights = weights,
                .cache = cache,
                .attention = attention,
                .routing = routing,
                .framework_calls = framework_calls,
                .chip = chip,
                .node = node};
    }

    /// The system of the replicas for prompts alone, as if it were by itself.
    [[nodiscard]] ServeConfig prompt_config() const;

    /// Devices of all replicas.
    [[nodiscard]] std::uint32_t devices() const {
        return layout.devices() + (prompts ? prompts->layout.devices() : 0);
    }

    /// The kernels and exchanges of its steps.
    [[nodiscard]] networks::llm::StepProgram program() const {
        return networks::llm::step_program(deployment(), cache_block, speculation.drafted);
    }
};

/// Settings that replace those of a file, as in "scheduler.max_sequences=64".
using Settings = std::vector<std::string>;

/// Reads a serving file and checks that the model fits: layout and memory. Throws UserError with file, line
/// and key for whatever is wrong.
[[nodiscard]] ServeConfig read_serving(const std::filesystem::path& file,
                                       const Settings& settings,
                                       const toolchain::Installation& installation);

/// The same of a text, as if it stood in `file`.
[[nodiscard]] ServeConfig parse_serving(const std::string& text,
                                        const std::filesystem::path& file,
                                        const toolchain::Installation& installation);

/// Blocks of the cache that a device has room for. Throws UserError if the model does not fit, and by how
/// much.
[[nodiscard]] std::uint64_t cache_blocks(const ServeConfig& config);

}  // namespace ascendsim::serving
