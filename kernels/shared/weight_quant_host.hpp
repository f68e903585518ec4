// SPDX-License-Identifier: Apache-2.0
// The host side of products with weights of 8 bits, C[m, n] = A[m, k] x ((W[k, n] + offset[n]) * scale[n]),
// whatever kernel computes them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kernels/plan/plan.hpp"
#include "kernels/plan/reference_matmul.hpp"

namespace ascendsim::host {

/// Sizes in elements; A and C are of `type`, W of int8, scale and offset of float32.
struct WeightQuantProduct {
    std::uint32_t m;
    std::uint32_t n;
    std::uint32_t k;
    isa::DataType type;
};

/// How one kernel computes it.
struct WeightQuantLaunch {
    std::string kernel;             // its entries are <kernel>_half and <kernel>_bfloat16
    std::uint32_t blocks;           // groups of a cube core and two vector cores
    std::uint64_t workspace_bytes;  // of all groups
    Argument tiling;
    isa::DataType cube_type;  // what the cube multiplies
    double absolute;          // tolerance of an element of C, before it is rounded
    double relative;          // the same, of its magnitude
};

/// Buffers, launch, work and reference. The caller words the problem.
[[nodiscard]] inline Plan weight_quant_plan(const WeightQuantProduct& p, WeightQuantLaunch launch) {
    Plan plan;
    plan.buffers = {
        Buffer::input("a", p.type, {p.m, p.k}),
        Buffer::input("w", isa::DataType::int8, {p.k, p.n}, fill::Integers{.low = -128, .high = 127}),
        Buffer::input("scale", isa::DataType::float32, {p.n}, fill::Uniform{.low = 0x1p-8, .high = 0x1p-7}),
        Buffer::input("offset", isa::DataType::float32, {p.n}, fill::Integers{.low = -4, .high = 4}),
        Buffer::output("c", p.type, {p.m, p.n}),
        Buffer::workspace("workspace", launch.workspace_bytes)};
    plan.launches.push_back({.entry = launch.kernel + (p.type == isa::DataType::half ? "_half" : "_bfloat16"),
                             .blocks = launch.blocks,
                             .cores = ascendsim::CoreUse::mix_1_2,
                             .arguments = {Argument::address("a"),
                                           Argument::address("w"),
                                           Argument::address("scale"),
                                           Argument::address("offset"),
                                           Argument::address("c"),
                                           Argument::address("workspace"),
                                           std::move(launch.tiling)},
                             .label = launch.kernel,
                             .kernel = {}});
    plan.work.cube_flops = 2.0 * p.m * static_cast<double>(p.n) * p.k;
    plan.work.cube_type = launch.cube_type;
    plan.work.gm_bytes = least_traffic(plan.buffers);
    plan.tolerances.push_back(
        {.output = "c", .absolute = launch.absolute, .relative = launch.relative, .ulp = 1});
    plan.reference = [p](ReferenceData& data) {
        const std::vector<float>& scale = data.floats("scale");
        const std::vector<float>& offset = data.floats("offset");
        std::vector<float> w = data.floats("w");
        for (std::size_t i = 0; i < w.size(); ++i) {
            w[i] = (w[i] + offset[i % p.n]) * scale[i % p.n];
        }
        data.expected("c") = multiply({.a = data.floats("a"), .b = w, .m = p.m, .n = p.n, .k = p.k});
    };
    return plan;
}

}  // namespace ascendsim::host
