// SPDX-License-Identifier: Apache-2.0
// The host side of sparse_matmul.cpp.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "kernels/ops/matmul/sparse_matmul/sparse_matmul.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/reference_data.hpp"
#include "kernels/plan/work_split.hpp"
#include "sim/base/units.hpp"

namespace sparse_weights {

namespace host = ascendsim::host;
using ascendsim::ceil_div;
using ascendsim::isa::DataType;

class SparseMatmulHost final : public host::KernelHost {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "C = A B * scale of bytes, of whose weights two in four are kept (4:2 sparsity)";
    }

    [[nodiscard]] std::vector<host::Knob> knobs() const override {
        using host::Knob;
        return {Knob::integer("m", 256, 1, 1 << 20, "rows", "rows of A and C"),
                Knob::integer("n", 1024, 16, 1 << 16, "columns", "columns of C, a multiple of 16"),
                Knob::integer("k", 1024, 64, 1 << 20, "elements", "columns of A, a multiple of 64"),
                Knob::real("scale", 0x1p-12, 0, 1e6, "", "of the int32 sums when they leave as float16"),
                Knob::integer("base_m", 128, 16, 256, "rows", "rows of a tile, a multiple of 16"),
                Knob::integer("base_n", 256, 16, 256, "columns", "columns of a tile, a multiple of 16"),
                Knob::integer("blocks", 0, 0, 1024, "cores", "cube cores to use; 0: all of the chip")};
    }

    [[nodiscard]] host::Plan plan(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) const override {
        if (chip.arch != "2201") {
            throw knobs.error("k",
                              fmt::format("needs products with sparse weights, which {} has not", chip.name));
        }
        const Tiling t = tiling_of(knobs, chip);
        const std::uint32_t tiles = ceil_div(t.m, t.base_m) * ceil_div(t.n, t.base_n);
        host::Plan plan;
        plan.problem = fmt::format("sparse MatMul {} x {} x {} (m, n, k), int8 4:2 to float16, tile {} x {}",
                                   t.m,
                                   t.n,
                                   t.k,
                                   t.base_m,
                                   t.base_n);
        const host::Shape blocks{t.k / block_depth, t.n / columns_of_fractal, columns_of_fractal};
        const auto with = [&](std::uint64_t last) {
            host::Shape shape = blocks;
            shape.push_back(last);
            return shape;
        };
        host::Buffer index =
            host::Buffer::input("index", DataType::uint8, with(index_bytes / columns_of_fractal));
        index.fill = host::fill::Content{some_indices(index.count())};
        plan.buffers = {host::Buffer::input("a", DataType::int8, {t.m, t.k}, host::fill::Integers{-127, 127}),
                        host::Buffer::input("b",
                                            DataType::int8,
                                            with(fractal_bytes / columns_of_fractal),
                                            host::fill::Integers{-127, 127}),
                        std::move(index),
                        host::Buffer::output("c", DataType::half, {t.m, t.n})};
        plan.launches = {{.entry = "sparse_matmul",
                          .blocks = std::min(tiles, host::cube_cores_or_all(knobs, "blocks", chip)),
                          .cores = ascendsim::CoreUse::aic,
                          .arguments = {host::Argument::address("a"),
                                        host::Argument::address("b"),
                                        host::Argument::address("index"),
                                        host::Argument::address("c"),
                                        host::Argument::of(t)}}};
        // what is multiplied: half of A's columns for each of C
        plan.work.cube_flops = double{1} * t.m * t.n * t.k;
        plan.work.cube_type = DataType::int8;
        plan.work.gm_bytes = host::least_traffic(plan.buffers);
        // sums are exact, then rounded to float32 and to float16
        plan.tolerances = {{.output = "c", .relative = 0x1p-20, .ulp = 1}};
        plan.reference = [t](host::ReferenceData& data) { compute(t, data); };
        return plan;
    }

private:
    [[nodiscard]] static Tiling tiling_of(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) {
        Tiling t{.m = knobs.count("m"),
                 .n = knobs.count("n"),
                 .k = knobs.count("k"),
                 .base_m = knobs.count("base_m"),
                 .base_n = knobs.count("base_n"),
                 .scale = static_cast<float>(knobs.real("scale"))};
        const auto multiple = [&](const char* knob, std::uint32_t of) {
            if (knobs.count(knob) % of != 0) {
                throw knobs.error(knob, fmt::format("must be a multiple of {}", of));
            }
        };
        multiple("n", columns_of_fractal);
        multiple("k", block_depth);
        multiple("base_m", 16);
        multiple("base_n", columns_of_fractal);
        constexpr std::uint32_t most_step = 256;   // of k: half of L0A at 128 rows
        constexpr std::uint32_t most_chunk = 512;  // of k
        t.base_m = std::min(t.base_m, ceil_div(t.m, 16U) * 16);
        t.base_n = std::min(t.base_n, t.n);
        const auto room = static_cast<std::uint32_t>(chip.buffers.l0a) / 2;
        t.step =
            std::min({most_step, t.k, std::max(room / t.base_m / block_depth * block_depth, block_depth)});
        t.chunk = std::min(t.k, most_chunk / t.step * t.step);
        t.results = 2 * t.base_m * t.base_n * sizeof(std::int32_t) <= chip.buffers.l0c ? 2 : 1;
        if (t.base_m * t.base_n * sizeof(std::int32_t) > chip.buffers.l0c || t.base_m * t.step > room) {
            throw knobs.error("base_m",
                              fmt::format("tiles of {} x {} do not fit {}", t.base_m, t.base_n, chip.name));
        }
        return t;
    }

    /// Each byte chooses for four kept weights, (first, second) twice: no first one behind its second.
    [[nodiscard]] static std::vector<std::byte> some_indices(std::uint64_t count) {
        constexpr std::uint32_t pairs[] = {0b1010, 0b1001, 0b1000, 0b0101, 0b0100, 0b0000};
        std::vector<std::byte> bytes(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            bytes[i] = static_cast<std::byte>(pairs[i * 5 % 6] | pairs[(i * 7 + i / 6) % 6] << 4U);
        }
        return bytes;
    }

    static void compute(const Tiling& t, host::ReferenceData& data) {
        const auto a = data.view<std::int8_t>("a");
        const auto b = data.view<std::int8_t>("b");
        const auto index = data.view<std::uint8_t>("index");
        std::vector<double>& c = data.expected("c");
        const std::uint32_t across = t.n / columns_of_fractal;
        constexpr std::uint32_t kept_of_block = block_depth / 2;
        std::vector<std::int8_t> weights(t.k);
        for (std::uint32_t column = 0; column < t.n; ++column) {
            std::ranges::fill(weights, std::int8_t{0});
            for (std::uint32_t kept = 0; kept < t.k / 2; ++kept) {
                const std::size_t row =
                    (std::size_t{kept / kept_of_block} * across + column / columns_of_fractal) *
                        columns_of_fractal +
                    column % columns_of_fractal;
                const std::uint32_t at = kept % kept_of_block;
                const std::uint32_t chosen = index[row * (kept_of_block / 4) + at / 4] >> (at % 4 * 2) & 3U;
                weights[kept / 2 * 4 + chosen + kept % 2] = b[row * kept_of_block + at];
            }
            for (std::uint32_t row = 0; row < t.m; ++row) {
                std::int64_t sum = 0;
                for (std::uint32_t k = 0; k < t.k; ++k) {
                    sum += std::int64_t{a[std::size_t{row} * t.k + k]} * weights[k];
                }
                c[std::size_t{row} * t.n + column] = static_cast<double>(sum) * static_cast<double>(t.scale);
            }
        }
    }
};

}  // namespace sparse_weights
