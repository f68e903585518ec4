// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/validation/serving/nightly_runs.hpp"
#include "app/validation/system/system_row.hpp"
#include "models/node/collectives.hpp"
#include "sim/base/pattern.hpp"

namespace ascendsim::validation {

/// A kind of forward pass that a profiled window holds.
struct WindowPass {
    double count = 1;             // passes of this kind
    std::uint64_t tokens = 0;     // of each prompt that it computes; 0: none
    std::uint64_t past = 0;       // tokens of each prompt that are in the cache
    std::uint64_t prompts = 1;    // that it computes at once, all alike
    std::uint64_t decoding = 0;   // sequences that decode
    std::uint64_t batch = 0;      // of their attention, with those that fill it up; 0: as many
    std::uint64_t rows = 0;       // of their products and norms, with those that fill the batch up
    double keys = 0;              // that each of them sees
    std::uint64_t norm_rows = 0;  // of norms with the residual, if devices share them; 0: all
    std::uint64_t results = 0;    // sequences whose next token is computed
};

/// A kernel that ran `count` times within what a row states, as a row of measurements.csv would state it.
struct StatedLaunch {
    double count = 1;
    std::string kernel;
    std::string shape;
    std::string dtype;
    std::string notes;
};

/// A collective that ran `count` times within what a row states.
struct StatedExchange {
    double count = 1;
    node::CollectiveKind kind = node::CollectiveKind::all_reduce;
    std::uint64_t bytes = 0;  // as node::Collective counts them
    std::uint32_t ranks = 0;  // devices of one machine, from the first on
};

/// How a source starts the server of its rows.
struct StatedServer {
    ServerCommand command;
    std::string machine;                   // "a2", "a3", where a row does not name it
    std::string weights;                   // "w8a8", where a row does not
    std::optional<ServerCommand> prompts;  // of replicas that compute prompts alone
};

/// The load of a source's rows, where these do not state it.
struct StatedLoad {
    std::optional<double> prompt;
    std::optional<double> output;
    std::optional<double> concurrency;
    std::optional<double> count;
    std::optional<double> rate;           // requests/s
    std::optional<double> prompt_spread;  // evenly from (1 - spread) to (1 + spread) times as many tokens
    std::optional<double> output_spread;
    std::optional<double> prefix;  // tokens that all prompts begin with
};

/// What a source says elsewhere about rows that are taken from it, sizes of the workload and the state of the
/// machine, never a time.
struct SourceStatement {
    Pattern source{""};
    Pattern workload{""};
    std::optional<Pattern> shape;
    std::optional<Pattern> devices;  // found in the row's chip and devices: "A3 2 cards"
    std::optional<Pattern> metric;
    std::vector<WindowPass> passes;         // of a window that is profiled as a whole
    std::vector<std::string> kernels;       // of a layer whose sum is stated, once each; empty: all
    std::vector<StatedLaunch> launches;     // that the mean of a kernel is over
    std::vector<StatedLaunch> beside;       // of a window, beside the kernels of its passes
    std::vector<StatedExchange> exchanges;  // of a window whose communication holds no waiting
    std::vector<std::string> extents;       // of the operator that a row names, as --input takes them
    std::string chip;                       // of an operator by itself, where rows leave it open
    double clock_ghz = 0;                   // of its cores, where it is not the chip's own; 0: it is
    bool eager = false;                     // the operator's kernels before fusion are launched one by one
    std::uint64_t rows = 0;                 // of a kernel on one device; 0: not stated
    std::uint64_t sequences = 0;            // whose attention is computed together; 0: not stated
    double keys = 0;                        // that each sees; 0: not stated
    std::optional<StatedServer> server;
    std::optional<StatedLoad> load;
    std::string refused;  // why no such row can be run; empty if it can
    std::string why;      // where the source says so
};

/// Reads `[[statement]]` tables. Throws UserError with file and line.
[[nodiscard]] std::vector<SourceStatement> read_statements(const std::filesystem::path& file);

/// The first statement that fits the row; nothing if none does.
[[nodiscard]] std::optional<SourceStatement> statement_about(const SystemRow& row,
                                                             const std::vector<SourceStatement>& statements);

/// The first statement about the row that has a server, or that refuses to run it.
[[nodiscard]] std::optional<SourceStatement> server_about(const SystemRow& row,
                                                          const std::vector<SourceStatement>& statements);

/// The load that the first statement about the row states which states one; nothing where none does.
[[nodiscard]] StatedLoad load_about(const SystemRow& row, const std::vector<SourceStatement>& statements);

}  // namespace ascendsim::validation
