// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// What the running kernel's own code has executed since the counters were last taken: instructions, and the
/// integer divisions among them. Kernels count it themselves (toolchain/scalar_steps); it belongs to the core
/// whose program runs, so whoever lets another program run puts it aside.
extern "C" std::uint64_t ascendsim_scalar_steps;      // NOLINT: C linkage, the compiler's pass names it
extern "C" std::uint64_t ascendsim_scalar_divisions;  // NOLINT: the same

/// How many bytes of the running program's stack say what of its arrays is written (toolchain/scalar_steps):
/// they are none of the kernel's own. Put aside with the counters.
extern "C" std::uint64_t ascendsim_stack_marks;  // NOLINT: the same

namespace ascendsim::isa {

/// Puts the running program's count aside while others run.
class StepsAside {
public:
    StepsAside()
        : steps_{ascendsim_scalar_steps},
          divisions_{ascendsim_scalar_divisions},
          marks_{ascendsim_stack_marks} {}

    StepsAside(const StepsAside&) = delete;
    StepsAside& operator=(const StepsAside&) = delete;

    ~StepsAside() {
        ascendsim_scalar_steps = steps_;
        ascendsim_scalar_divisions = divisions_;
        ascendsim_stack_marks = marks_;
    }

private:
    std::uint64_t steps_;
    std::uint64_t divisions_;
    std::uint64_t marks_;
};

}  // namespace ascendsim::isa
