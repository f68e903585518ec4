// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/scenario/scenario.hpp"
#include "kernels/plan/plugin.hpp"
#include "models/spec/chip_spec.hpp"
#include "toolchain/build/compile.hpp"

namespace ascendsim {

/// The kernel functions of a plan's launches, compiled for a chip's cores and loaded.
class Programs {
public:
    /// The functions of one launch; null where the launch has no such core. Whole cores of a coupled chip run
    /// `vector`.
    struct Pair {
        const host::Entry* vector = nullptr;
        const host::Entry* cube = nullptr;
    };

    /// Loads what `plan` needs, compiling what is not there. Throws UserError with the compiler's message,
    /// for unknown entries and for arguments that do not match.
    Programs(const Scenario& scenario, const host::Plan& plan, const host::Installation& installation);

    [[nodiscard]] const Pair& of(std::size_t launch) const { return pairs_.at(launch); }

    /// Files of all plug-ins loaded.
    [[nodiscard]] std::vector<std::string> files() const;

private:
    const host::Entry& load(const host::Launch& launch, host::Pass pass);
    [[nodiscard]] std::filesystem::path plugin_file(const std::string& kernel, host::Pass pass);
    [[nodiscard]] std::filesystem::path compiled(host::Compilation what) const;

    const Scenario& scenario_;
    const host::Plan& plan_;
    const host::Installation& installation_;
    std::map<std::filesystem::path, std::unique_ptr<host::DevicePlugin>> plugins_;
    std::vector<Pair> pairs_;
};

/// A word on calls of the user's source that the cores it is launched on skip: cube work on vector cores.
/// Empty if there are none.
[[nodiscard]] std::string skipped_work(const Scenario& scenario, const host::Plan& plan);

/// The host side of an in-tree kernel. Throws UserError with the nearest name if there is no such kernel.
[[nodiscard]] const host::KernelHost& open_kernel(const std::string& name,
                                                  const std::string& place,
                                                  const host::Installation& installation);

}  // namespace ascendsim
