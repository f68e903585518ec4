// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/scenario/claims.hpp"
#include "app/scenario/compile_table.hpp"
#include "app/scenario/l2_state.hpp"
#include "app/scenario/overrides.hpp"
#include "app/scenario/ranks/rank_settings.hpp"
#include "app/scenario/user_kernel.hpp"
#include "kernels/plan/knob.hpp"
#include "models/core/program_limits.hpp"
#include "models/spec/chip_file.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::scenario {

/// One value of [kernel], checked against the kernel's knobs when the kernel is known.
struct KnobSetting {
    std::string name;
    host::KnobValue value;
    bool is_text = false;  // a string: also the text of a shape or number from the command line
    std::string place;
};

/// A `.npy` file for a buffer of a shipped kernel: what an input holds, or where a result goes.
struct BufferFile {
    std::string buffer;
    std::filesystem::path file;
    std::string place;
};

/// A limit on one value of a run's result, from [expect]: `time_us = { max = 12 }`, `"numerics.passed" =
/// true`, `"bounds.limiter" = "cube"`. Two are no paths: `races = "none"` and `error = "part of its
/// sentence"`. A table named like `"kernel.schedule=fused"` holds limits of the runs with that value alone.
struct Expectation {
    std::string path;  // in the result's JSON
    std::optional<double> min;
    std::optional<double> max;
    std::optional<std::string> word;  // the text it must be, or hold for `error`
    std::vector<Override> when;       // of the runs it speaks of; all must be among a run's overrides
    std::string place;
};

/// Values to run one after the other: all combinations of all variants.
struct Variants {
    std::string path;
    std::vector<std::string> values;
};

/// What a run starts from: a scenario file with its overrides, read and checked as far as that goes without
/// the kernel.
struct Scenario {
    std::string name;  // of the file
    std::string title;
    std::filesystem::path file;
    ChipFile chip;  // of the machine
    std::optional<ChipSpec>
        planned_for;  // the chip the host side plans for, if [whatif] makes the machine another
    bool functional = true;
    std::uint64_t seed = 1;
    std::string kernel;        // in-tree; empty if it brings its own
    std::string kernel_place;  // where it is named: "x.toml:4: scenario.kernel"
    std::optional<UserKernel> user;
    std::optional<runtime::HostProgram> program;     // runs instead of a kernel
    std::optional<toolchain::SyncOption> auto_sync;  // of a source of one's own
    std::vector<KnobSetting> knobs;
    std::vector<BufferFile> data;     // of [data]: in place of the kernel's own inputs
    std::vector<BufferFile> results;  // of [results]
    runtime::L2State l2 = runtime::L2State::cold;
    std::uint32_t warm_up = 0;                    // executions before the one that is reported
    std::uint32_t repeat = 1;                     // executions reported, back to back
    std::optional<std::uint32_t> argument_bytes;  // the cores read; empty: what the kernel's own come to
    bool from_idle = false;  // each launch finds the device idle: the cores' start takes longer
    bool launch_overhead = true;
    bool sanitize = true;            // look for races and misuse; by default where data are computed
    std::uint64_t poison = 0;        // seed of what lies in memory that nobody has written
    bool time_order = false;         // cores' effects on global memory come in the order of their times
    std::uint32_t perturb = 0;       // other legal timings to be tried
    std::uint64_t perturb_seed = 1;  // of these
    ProgramLimits limits{.instructions = 20'000'000, .cycles = 2'000'000'000};
    bool verbose = false;      // tell what is done besides running
    double idle_limit_s = 20;  // wall time a program may compute without issuing anything
    std::vector<Expectation> expectations;
    std::vector<runtime::Allowance> allowed;  // findings that are meant
    std::vector<Fact> facts;
    std::vector<Claim> claims;
    std::vector<Override> overrides;  // as given
    RankSettings ranks;               // where it runs on several devices
    std::vector<Scenario> of_ranks;   // then: as each of them reads it
};

/// A scenario file before its variants are taken apart.
class ScenarioFile {
public:
    /// Opens SCENARIO.toml, a name from the scenarios folder, KERNEL.cpp with its .toml beside it, or
    /// PROGRAM.cpp or the name of a shipped kernel, which need none. Throws UserError.
    ScenarioFile(const std::string& name,
                 const toolchain::Installation& installation,
                 std::vector<Override> overrides);

    /// The overrides of each run, in order: one entry if there are no variants.
    [[nodiscard]] std::vector<std::vector<Override>> runs() const;
    /// The scenario of one of runs(). Throws UserError with file and line for whatever is wrong.
    [[nodiscard]] Scenario read(const std::vector<Override>& run) const;

    [[nodiscard]] const std::string& path() const { return file_.name(); }

    /// As given: all runs() begin with them.
    [[nodiscard]] const std::vector<Override>& overrides() const { return overrides_; }

    /// The file with the overrides given, before variants: for tables that are no part of a run, such as
    /// [tune].
    [[nodiscard]] TomlFile toml() const { return with_overrides(file_, overrides_); }

private:
    [[nodiscard]] std::vector<Variants> variants() const;
    [[nodiscard]] Scenario read_one(const std::vector<Override>& run) const;

    toolchain::Installation installation_;
    std::vector<Override> overrides_;
    TomlFile file_;
    std::filesystem::path source_;  // of KERNEL.cpp or PROGRAM.cpp
};

}  // namespace ascendsim::scenario
