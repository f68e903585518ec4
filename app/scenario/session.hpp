// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/scenario/scenario.hpp"
#include "sim/record/lane_sums.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim {

/// How far a session has come; another thread may look at it.
struct SessionProgress {
    std::atomic<const char*> stage{"preparing"};
    std::atomic<std::uint64_t> blocks_done{0};
    std::atomic<std::uint64_t> blocks_total{0};
};

/// What a run leaves behind besides its recording.
struct SessionOutcome {
    std::filesystem::path recording;
    bool passed = true;          // numbers within tolerance
    std::string hazards;         // what would go wrong on the chip, for people; empty if nothing was found
    std::exception_ptr failure;  // what stopped the run; the recording holds what was before
    std::optional<int> program_exit;  // of a host program
    std::uint64_t instructions = 0;
    double wall_s = 0;  // of the simulation alone
    /// The recording's totals, known even if the recording is kept nowhere, and `lanes`: for each pipe of
    /// each kind of core that ran ("aic_mte2") {cores, busy_cycles, active_cycles, span_cycles,
    /// conflict_cycles, moved_bytes, l2_hit_bytes, hbm_read_bytes, hbm_write_bytes}, summed over the cores.
    nlohmann::json totals;
    std::vector<record::LaneSums> sums;  // by lane of the recording, of the executions reported
};

/// Plans, allocates, fills, runs, checks and records one scenario. A process runs one session. An empty
/// `recording` keeps no spans: for runs of which the totals are enough.
///
/// The recording's metadata: `title`, `scenario` (name), `file`, `problem`, `kernel`, `knobs`, `chip`
/// (resolved parameters), `mode`, `seed`, `overrides`, `clock_ghz`, `work` {cube_flops, cube_type,
/// vector_flops, vector_type, gm_bytes}, `buffers` [{name, role, type, shape, offset, bytes}], `launches`
/// [{entry, label, blocks, cores}], `l2`. Its totals: `cycles`, `time_us`, `outcome` ("complete" or
/// "failed"), `error`, `instructions`, `cores_used`, `flops`, `numerics` {checked, passed, max_abs_error,
/// max_rel_error, outputs: [...]}, `launches` [{name, start, first_core, cores_end, end, cores}] in cycles,
/// `executions` [{start, end, warm_up}].
[[nodiscard]] SessionOutcome run_session(const Scenario& scenario,
                                         const host::Installation& installation,
                                         const std::filesystem::path& recording,
                                         SessionProgress& progress);

/// Exit code of a failure: 2 the user's input, 3 the kernel, 4 a defect of ours.
[[nodiscard]] int exit_code(const std::exception_ptr& failure);
/// Its sentence.
[[nodiscard]] std::string message(const std::exception_ptr& failure);

}  // namespace ascendsim
