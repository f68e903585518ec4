// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// What the running kernel's own code has executed since the counter was last taken: instructions in the lower 32 bits,
/// integer divisions in the upper ones. Kernels count it themselves (kernels/scalar_steps); it belongs to the core whose
/// program runs, so whoever lets another program run puts it aside.
extern "C" std::uint64_t ascendsim_scalar_steps;  // NOLINT: C linkage, the compiler's pass names it

namespace ascendsim::isa {

/// Puts the running program's count aside while others run.
class StepsAside {
public:
    StepsAside() : steps_{ascendsim_scalar_steps} {}

    StepsAside(const StepsAside&) = delete;
    StepsAside& operator=(const StepsAside&) = delete;
    ~StepsAside() { ascendsim_scalar_steps = steps_; }

private:
    std::uint64_t steps_;
};

}  // namespace ascendsim::isa
