// SPDX-License-Identifier: Apache-2.0
// Simulated times of generated kernels at [4096, 4096] in float16, beside what memory and vector units take
// at the least, and beside shipped kernels of the same operators.
#include <algorithm>
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "kernels/testing/child_run.hpp"
#include "networks/loops/testing/shared_loops.hpp"

namespace {

namespace loops = ascendsim::networks::loops;
namespace kernels = ascendsim::testing;
using ascendsim::isa::DataType;

const ascendsim::host::Shape large{4096, 4096};

void show(const std::string& name, const loops::Loop& loop, const std::string& shipped) {
    const ascendsim::ChipSpec chip =
        ascendsim::load_chip("910b3", ascendsim::toolchain::Installation::find().chips());
    const auto us = [&chip](std::uint64_t cycles) {
        return static_cast<double>(cycles) / (chip.cores.clock_ghz * 1e3);
    };
    const double ours =
        us(kernels::in_child([&] { return kernels::run_loop(loop, {.functional = false}).totals.cycles; }));
    const ascendsim::host::Work work = loops::generate(loop, chip).plan.work;
    const double memory = static_cast<double>(work.gm_bytes) / (chip.hbm.gb_per_s * 1e3);
    const double lanes = 64.0 * chip.cores.aiv;
    const double vector = work.vector_flops / lanes / (chip.cores.clock_ghz * 1e3);
    std::string theirs = "-";
    if (!shipped.empty()) {
        const std::uint64_t cycles = kernels::in_child([&] {
            return kernels::run_kernel(shipped, {{"shape", "4096,4096"}}, {.functional = false})
                .totals.cycles;
        });
        theirs = fmt::format("{:.1f} ({})", us(cycles), shipped);
    }
    fmt::print("| {} | {:.1f} | {:.1f} | {:.1f} | {:.0f} % | {} |\n",
               name,
               ours,
               memory,
               vector,
               100 * std::max(memory, vector) / ours,
               theirs);
}

}  // namespace

int main() {
    constexpr DataType half = DataType::half;
    fmt::print(
        "| chain | us | HBM alone | vector units alone | of the larger | shipped "
        "|\n|---|--:|--:|--:|--:|---|\n");
    show("add", kernels::sum_loop(large, large, large, half), "");
    show("SwiGLU's gate", kernels::gate_loop(large, half), "");
    show("GELU", kernels::gelu_loop(large, half), "gelu");
    show("softmax", kernels::softmax_loop(large, 1, half), "softmax");
    show("RMSNorm", kernels::rms_norm_loop(large, half, false), "rms_norm");
    show("add + RMSNorm", kernels::rms_norm_loop(large, half, true), "");
    show("LayerNorm + GELU", kernels::layer_norm_loop(large, half, true), "layer_norm_gelu");
    return 0;
}
