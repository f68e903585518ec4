// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "kernels/plan/plan.hpp"
#include "models/core/late_effects.hpp"
#include "models/core/program_limits.hpp"
#include "models/node/collectives.hpp"
#include "models/node/host_timeline.hpp"
#include "models/node/node_spec.hpp"
#include "models/port/core_use.hpp"
#include "models/sanitize/poison/poison.hpp"
#include "models/spec/chip_spec.hpp"
#include "runtime/session/allowances.hpp"
#include "runtime/session/l2_state.hpp"
#include "toolchain/build/program_build.hpp"

namespace ascendsim::runtime {

class OperatorSource;

/// How to run, whatever it is that runs.
struct RunOptions {
    bool functional = true;  // compute data; false: times alone
    bool sanitize = true;    // look for races and misuse
    std::uint64_t seed = 1;  // of generated data
    /// What lies in memory that nobody has written, where data are computed and the run is sanitized. Empty:
    /// zeros, as nowhere on a chip.
    std::optional<sanitize::Poison> poison = sanitize::Poison{};
    std::vector<Allowance> allowed{};  // findings that are meant
    bool twin = false;          // it only shows what another poison comes to: no more twins, nothing is kept
    bool auto_sync = false;     // synchronisation is inserted as by --cce-auto-sync
    std::uint32_t perturb = 0;  // other legal timings of a plan to be tried
    std::uint64_t perturb_seed = 1;  // of these
    EffectTiming timing{};           // of a twin: when effects happen
    int results = -1;                // and the file that its results go to
    bool time_order = false;         // cores' effects on global memory come in the order of their times
    ProgramLimits limits{.instructions = 20'000'000, .cycles = 2'000'000'000};
    L2State l2 = L2State::cold;
    std::uint64_t l2_lines_a_dirty_one = 0;  // of `used` and `chained`; 0: as assumed there
    std::uint32_t warm_up = 0;               // executions of a plan before those that are reported
    std::uint32_t repeat = 1;                // executions reported, back to back
    bool from_idle = false;       // each launch finds the device idle: the cores' start takes longer
    bool launch_overhead = true;  // false: without head and tail of the launch
    double idle_limit_s = 20;     // wall time a program may compute without issuing anything
    bool verbose = false;         // tell on standard error what is done besides running
};

/// A kernel that does not come with the simulator.
struct KernelSource {
    std::filesystem::path source;
    std::vector<std::filesystem::path> more_sources;  // compiled together with it
    std::vector<std::string> flags;                   // for the compiler
};

/// A result to be written as .npy.
struct OutputFile {
    std::string buffer;
    std::filesystem::path file;
};

/// Launches of a plan: the plan's buffers are allocated, filled, and compared with its reference.
struct PlannedRun {
    std::string kernel;  // of kernels/ops; empty: `source` brings it
    std::optional<KernelSource> source;
    host::Plan plan;
    std::vector<OutputFile> outputs;
    std::optional<std::uint32_t> argument_bytes;  // the cores read; empty: what the kernel's own come to
};

/// A host program, whose main makes the launches.
struct HostProgram {
    toolchain::ProgramSources sources;
    std::vector<std::string> arguments;
    std::map<std::string, CoreUse> cores;  // of kernels that do not say themselves
    std::string node_name = {};            // of models/nodes, or a file; empty: the usual one of the chip
    std::string host_name = {};            // of models/hosts; empty: that of the node
    node::NodeSpec node = {};              // the machine around the chip, once it is read
    node::HostSpec host = {};
    node::HostIssue issue = {};  // how calls come to the device
    double clock_offset_us =
        0;  // what the device's clock shows more than the host's, when the program starts
    double clock_drift_ppm = 0;                            // and how much faster it goes
    std::vector<std::filesystem::path> libraries = {};     // that its aclnn calls find operators in
    std::shared_ptr<const OperatorSource> operators = {};  // of these calls
};

/// Most chips that one run simulates in detail: two servers of 16. Each takes about 9 MB, and its cores'
/// stacks.
inline constexpr std::uint32_t most_chips = 32;

/// A collective between launches of ranks.
struct RankedCollective {
    node::CollectiveKind kind = node::CollectiveKind::all_reduce;
    std::string operation = "sum";  // sum, prod, max, min
    std::string send;               // buffers of each rank
    std::string receive;
    std::uint32_t root = 0;                 // of broadcast: a rank
    std::optional<std::size_t> after = {};  // launches of the plan that come before it; nothing: all
    std::vector<std::uint32_t> only;        // ranks that call it; empty: all
    bool by_kernel = false;                 // the kernel does it itself: it only says what is expected
    std::string file;                       // where it stands
    std::uint32_t line = 0;
};

/// The same kernel on several devices, each with its own buffers, and collectives between its launches.
struct RankedRun {
    struct Rank {
        std::uint32_t device = 0;
        double delay_us = 0;  // it begins so much later
        std::uint64_t seed = 1;
        PlannedRun run;
    };

    std::vector<Rank> ranks;
    std::vector<RankedCollective> collectives;
    node::NodeSpec node;
    node::HostSpec host;
    std::string file;  // of the scenario, for figures
};

/// All that a session needs to know. Scenarios, and later Python and networks, make it.
struct RunRequest {
    ChipSpec chip;
    std::variant<PlannedRun, HostProgram, RankedRun> work;
    RunOptions options;
    std::filesystem::path project{};  // absolute; the recording names files by their path in it
    nlohmann::json metadata = nlohmann::json::object();  // of the recording, by the caller; see run_session
};

}  // namespace ascendsim::runtime
