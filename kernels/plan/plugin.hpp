// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/plan.hpp"
#include "models/port/entry.hpp"

namespace ascendsim::host {

/// A kernel compiled for one kind of core, loaded into this program for good.
class DevicePlugin {
public:
    /// Throws UserError if the file is missing or not a plug-in of this version.
    explicit DevicePlugin(const std::filesystem::path& file);

    /// The kernel function `name`; throws UserError with the nearest of those there.
    [[nodiscard]] const isa::Entry& entry(std::string_view name) const;

private:
    std::filesystem::path file_;
    std::vector<isa::Entry> entries_;
};

/// Loads the host side of an in-tree kernel. Throws UserError if the file is missing or not a plug-in.
[[nodiscard]] const KernelHost& load_kernel_host(const std::filesystem::path& file);

/// Throws UserError unless a launch's arguments agree with what its kernel function takes, in number, kind
/// and size.
void check_arguments(const Launch& launch, const isa::Entry& entry);

}  // namespace ascendsim::host
