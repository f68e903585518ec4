// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// What the running kernel's own code has executed since the counters were last taken: instructions, and
/// among them the integer divisions and the accesses through plain pointers that found their line in the data
/// cache (pointer_access.hpp). Kernels count it themselves (toolchain/scalar_steps); it belongs to the core
/// whose program runs, so whoever lets another program run puts it aside.
extern "C" std::uint64_t ascendsim_scalar_steps;      // NOLINT: C linkage, the compiler's pass names it
extern "C" std::uint64_t ascendsim_scalar_divisions;  // NOLINT: the same
extern "C" std::uint64_t ascendsim_scalar_hits;       // NOLINT: beside the other two

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
          hits_{ascendsim_scalar_hits},
          marks_{ascendsim_stack_marks} {}

    StepsAside(const StepsAside&) = delete;
    StepsAside& operator=(const StepsAside&) = delete;

    ~StepsAside() {
        ascendsim_scalar_steps = steps_;
        ascendsim_scalar_divisions = divisions_;
        ascendsim_scalar_hits = hits_;
        ascendsim_stack_marks = marks_;
    }

private:
    std::uint64_t steps_;
    std::uint64_t divisions_;
    std::uint64_t hits_;
    std::uint64_t marks_;
};

}  // namespace ascendsim::isa
