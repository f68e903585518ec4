// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/plan/plugin.hpp"
#include "runtime/session/run_request.hpp"
#include "toolchain/build/compile.hpp"

namespace ascendsim::runtime {

/// The kernel functions of a plan's launches, compiled for a chip's cores and loaded.
class PlanFunctions {
public:
    /// The functions of one launch; null where the launch has no such core. Whole cores of a coupled chip run
    /// `vector`.
    struct Pair {
        const isa::Entry* vector = nullptr;
        const isa::Entry* cube = nullptr;
    };

    /// Loads what the plan of `run` needs, compiling what is not there. Throws UserError with the compiler's
    /// message, for unknown entries and for arguments that do not match.
    PlanFunctions(const PlannedRun& run, const ChipSpec& chip, const toolchain::Installation& installation);

    [[nodiscard]] const Pair& of(std::size_t launch) const { return pairs_.at(launch); }

    /// Files of all plug-ins loaded.
    [[nodiscard]] std::vector<std::string> files() const;

    /// What the compiler warns of in the user's source, each once (toolchain/build/warnings.hpp).
    [[nodiscard]] std::vector<std::string> warnings() const;

private:
    /// Everything that has to be compiled, before the first of it is loaded.
    void compile();
    void keep_outputs_writable() const;
    const isa::Entry& load(const host::Launch& launch, toolchain::Pass pass);
    [[nodiscard]] std::filesystem::path plugin_file(const std::string& kernel, toolchain::Pass pass) const;

    const PlannedRun& run_;
    const ChipSpec& chip_;
    const toolchain::Installation& installation_;
    std::map<std::pair<std::string, toolchain::Pass>, std::filesystem::path> plugin_files_;  // of each kernel
    std::map<std::filesystem::path, std::unique_ptr<host::DevicePlugin>> plugins_;
    std::vector<Pair> pairs_;
};

/// A word on calls of the user's source that the cores it is launched on skip: cube work on vector cores.
/// Empty if there are none.
[[nodiscard]] std::string skipped_work(const PlannedRun& run, const ChipSpec& chip);

/// The host side of an operator. Throws UserError, which names `place`, with the nearest name if there is no
/// such kernel.
[[nodiscard]] const host::KernelHost& open_kernel(const std::string& name,
                                                  const std::string& place,
                                                  const toolchain::Installation& installation);

}  // namespace ascendsim::runtime
