// SPDX-License-Identifier: Apache-2.0
// What a kernel's own arithmetic around tensors costs, compiled as kernels are.
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "kernels/plan/plugin.hpp"
#include "models/port/testing/plain_core.hpp"
#include "toolchain/build/compile.hpp"

namespace ascendsim::toolchain {
namespace {

class TensorCosts : public testing::Test {
protected:
    /// The cycles that the scalar unit takes for `rounds` rounds besides those of its calls.
    std::uint64_t arithmetic(std::uint32_t rounds) {
        isa::PlainCore core{chip, memory, CoreKind::aic};
        ascendsim_scalar_steps = ascendsim_scalar_divisions = 0;
        std::uint32_t pitch = 1024;
        void* arguments[]{static_cast<void*>(&pitch), static_cast<void*>(&rounds)};
        plugin().entry("loads_of_parts").invoke(arguments);
        std::uint64_t cycles = 0;
        std::uint64_t loads = 0;
        for (const isa::TimedOp& op : core.ops()) {
            if (op.info->name == "load2d") {
                cycles += op.scalar - chip.scalar.call_cycles;
                ++loads;
            }
        }
        EXPECT_EQ(loads, std::uint64_t{4} * rounds);
        return cycles;
    }

    static const host::DevicePlugin& plugin() {
        static const host::DevicePlugin compiled = [] {
            setenv("XDG_CACHE_HOME", (std::filesystem::path{testing::TempDir()} / "tensor_costs").c_str(), 1);
            const Toolchain toolchain{.installation = Installation::find()};
            return host::DevicePlugin{
                compile_cached({.source = toolchain.installation.root / "tests/toolchain/tensor_costs.cpp",
                                .pass = Pass::aic,
                                .entries = {"loads_of_parts"},
                                .flags = {}},
                               toolchain)};
        }();
        return compiled;
    }

    ChipSpec chip;
    isa::GlobalMemory memory{1U << 24U};
};

TEST_F(TensorCosts, ALoopOfFourLoadsIsUnrolledAsOnTheChip) {
    // A round: the choice between two tensors (a comparison of a bit and a selection), the first element
    // (a bit field, shifted), the loop around (a sum, a comparison, a branch). Were the loads a loop, each
    // would add its own three and the offsets of both tensors.
    constexpr std::uint64_t round = 8;
    EXPECT_LE(arithmetic(200) - arithmetic(100), 100 * (round + 4));
}

}  // namespace
}  // namespace ascendsim::toolchain
