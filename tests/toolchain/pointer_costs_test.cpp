// SPDX-License-Identifier: Apache-2.0
// What scalar accesses of a kernel cost, compiled as kernels are: with the passes that count its own work.
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "kernels/plan/plugin.hpp"
#include "models/port/testing/plain_core.hpp"
#include "toolchain/build/compile.hpp"

namespace ascendsim::toolchain {
namespace {

/// What a kernel has its core wait for: lines of global memory that come into the data cache, and cycles of
/// the scalar unit beside them.
struct ScalarCost {
    std::uint64_t read = 0;     // lines
    std::uint64_t written = 0;  // lines
    std::uint64_t cycles = 0;
};

class PointerCosts : public testing::Test {
protected:
    ScalarCost cost(const std::string& kernel, std::uint32_t count) {
        isa::PlainCore core{chip, memory, CoreKind::aiv};
        ascendsim_scalar_steps = ascendsim_scalar_divisions = ascendsim_scalar_hits = 0;
        void* arguments[]{static_cast<void*>(&x), static_cast<void*>(&out), &count};
        plugin().entry(kernel).invoke(arguments);
        ScalarCost sum;
        for (const isa::TimedOp& op : core.ops()) {
            sum.cycles += op.scalar;
            if (op.kind == isa::OpKind::scalar_load) {
                const bool write = core.transfer(op).route == isa::Route::scalar_write;
                ++(write ? sum.written : sum.read);
            }
        }
        return sum;
    }

    static const host::DevicePlugin& plugin() {
        static const host::DevicePlugin compiled = [] {
            setenv(
                "XDG_CACHE_HOME", (std::filesystem::path{testing::TempDir()} / "pointer_costs").c_str(), 1);
            const Toolchain toolchain{.installation = Installation::find()};
            return host::DevicePlugin{
                compile_cached({.source = toolchain.installation.root / "tests/toolchain/pointer_costs.cpp",
                                .entries = {"cost_of_values",
                                            "cost_of_references",
                                            "cost_of_pointers",
                                            "cost_of_stores",
                                            "cost_of_the_macro",
                                            "cost_of_a_struct",
                                            "cost_of_fields",
                                            "cost_of_a_copying_loop"},
                                .flags = {}},
                               toolchain)};
        }();
        return compiled;
    }

    ChipSpec chip;
    isa::GlobalMemory memory{1U << 24U};
    std::uint8_t* x = reinterpret_cast<std::uint8_t*>(memory.allocate("x", 65536));
    std::uint8_t* out = reinterpret_cast<std::uint8_t*>(memory.allocate("out", 64));
};

constexpr std::uint32_t accesses = 1000;
constexpr std::uint64_t lines_touched = (5 * (accesses - 1) * 4 + 64) / 64;
// Of an access through a pointer, the compiler's pass also counts the load and its address.
constexpr std::uint64_t counted_beside = 3;

TEST_F(PointerCosts, APointerCostsWhatGetValueCosts) {
    const ScalarCost values = cost("cost_of_values", accesses);
    const ScalarCost pointers = cost("cost_of_pointers", accesses);
    EXPECT_EQ(values.read, lines_touched);
    EXPECT_EQ(pointers.read, lines_touched);
    EXPECT_GE(pointers.cycles, std::uint64_t{accesses} * chip.scalar.dcache_hit_cycles);
    EXPECT_NEAR(static_cast<double>(pointers.cycles),
                static_cast<double>(values.cycles),
                double{accesses} * counted_beside);
}

TEST_F(PointerCosts, AReferenceIsPaidOnce) {
    const ScalarCost values = cost("cost_of_values", accesses);
    const ScalarCost references = cost("cost_of_references", accesses);
    EXPECT_EQ(references.read, lines_touched);
    EXPECT_NEAR(static_cast<double>(references.cycles),
                static_cast<double>(values.cycles),
                double{accesses} * counted_beside);
}

TEST_F(PointerCosts, AStoreThroughAPointerBringsItsLine) {
    const ScalarCost stores = cost("cost_of_stores", accesses);
    EXPECT_EQ(stores.written, lines_touched + 1);  // and that of the result
    EXPECT_EQ(stores.read, 0U);
}

// 112 B are two lines, whichever way they are read; the fields beside each other are no more than the macro's
// copy.
TEST_F(PointerCosts, ATilingIsReadOnce) {
    const ScalarCost macro = cost("cost_of_the_macro", 0);
    EXPECT_EQ(macro.read, 2U);
    for (const char* kernel : {"cost_of_a_struct", "cost_of_fields", "cost_of_a_copying_loop"}) {
        const ScalarCost pointer = cost(kernel, 0);
        EXPECT_EQ(pointer.read, 2U) << kernel;
        constexpr std::uint64_t words = 28;
        EXPECT_LE(pointer.cycles, macro.cycles + words * (chip.scalar.dcache_hit_cycles + counted_beside));
    }
    EXPECT_LE(cost("cost_of_a_struct", 0).cycles, macro.cycles + 2U * chip.scalar.dcache_hit_cycles);
}

}  // namespace
}  // namespace ascendsim::toolchain
