// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "kernels/plan/knob.hpp"
#include "kernels/plan/plan.hpp"
#include "models/spec/chip_spec.hpp"

namespace ascendsim::host {

/// The host side of an in-tree kernel: what may be chosen, and what a choice means on a chip.
class KernelHost {
public:
    virtual ~KernelHost() = default;

    /// One sentence for `ascendsim list kernels`.
    [[nodiscard]] virtual std::string_view meaning() const = 0;
    /// Everything a scenario may set under [kernel].
    [[nodiscard]] virtual std::vector<Knob> knobs() const = 0;
    /// Tiles the problem for a chip. Throws UserError (Knobs::error) for arguments the kernel cannot take.
    [[nodiscard]] virtual Plan plan(const Knobs& knobs, const ChipSpec& chip) const = 0;
};

}  // namespace ascendsim::host

/// Each kernels/ops/<family>/<op>/<op>.cpp defines this under ASCENDSIM_HOST; the object is the plug-in's and
/// lives as long as it:
///     extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
///         static const Add host;
///         return &host;
///     }
extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host();
