// SPDX-License-Identifier: Apache-2.0
// The host side of grouped_matmul_gelu.cpp: what may be chosen, buffers and launch, the reference.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "kernels/ops/matmul/grouped_matmul_gelu/grouped_matmul_gelu_tiling.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/reference_matmul.hpp"
#include "kernels/plan/work_split.hpp"
#include "sim/base/units.hpp"

namespace grouped_gelu {

namespace host = ascendsim::host;
using ascendsim::ceil_div;
using ascendsim::isa::DataType;

class GroupedGeluHost final : public host::KernelHost {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Gelu of grouped int8 products scaled by column and row, by vector cores beside the cube.";
    }

    [[nodiscard]] std::vector<host::Knob> knobs() const override {
        using host::Knob;
        return {
            Knob::integer("m", 1024, 1, 1 << 20, "rows", "rows of A and C, of all groups"),
            Knob::integer("n", 1024, 32, 1 << 20, "columns", "columns of each B, a multiple of 32"),
            Knob::integer("k", 1024, 32, most_k, "elements", "columns of A, a multiple of 32"),
            Knob::shape(
                "group_ends", {}, "where the rows of each group end, ascending up to m; one group if empty"),
            Knob::integer("vectors", 2, 1, 2, "cores", "vector cores beside each cube core"),
            Knob::integer("slots", 4, 1, 8, "blocks", "blocks of sums under way for each core group"),
            Knob::integer("blocks", 0, 0, 1024, "groups", "core groups to use; 0: all of the chip"),
            Knob::integer(
                "library_cycles",
                0,
                0,
                100000,
                "cycles",
                "scalar work in each step of the cube that a template library does and this kernel spares")};
    }

    [[nodiscard]] host::Plan plan(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) const override {
        host::check_two_vector_cores("grouped_matmul_gelu", chip);
        const host::Shape ends = ends_of(knobs);
        const Tiling t = tiling_of(knobs, ends);
        const std::uint32_t blocks = host::cube_cores_or_all(knobs, "blocks", chip);
        const bool two = knobs.count("vectors") == 2;
        host::Plan plan;
        plan.problem =
            fmt::format("Gelu of {} groups, {} x {} x {} (m, n, k), int8 to half", t.groups, t.m, t.n, t.k);
        add_buffers(plan, t, ends, blocks);
        using host::Argument;
        plan.launches.push_back({.entry = two ? "grouped_matmul_gelu_two" : "grouped_matmul_gelu_one",
                                 .blocks = blocks,
                                 .cores = two ? ascendsim::CoreUse::mix_1_2 : ascendsim::CoreUse::mix_1_1,
                                 .arguments = {Argument::address("a"),
                                               Argument::address("b"),
                                               Argument::address("scale"),
                                               Argument::address("row_scale"),
                                               Argument::address("row_ends"),
                                               Argument::address("c"),
                                               Argument::address("workspace"),
                                               Argument::of(t)},
                                 .label = "grouped_matmul_gelu",
                                 .kernel = {}});
        plan.work.cube_flops = 2.0 * t.m * static_cast<double>(t.n) * t.k;
        plan.work.cube_type = DataType::int8;
        plan.work.gm_bytes = host::least_traffic(plan.buffers);
        add_reference(plan, t, ends);
        return plan;
    }

private:
    [[nodiscard]] static host::Shape ends_of(const host::Knobs& knobs) {
        host::Shape ends = knobs.shape("group_ends");
        if (ends.empty()) {
            ends = {knobs.count("m")};
        }
        if (!std::ranges::is_sorted(ends) || ends.back() != knobs.count("m")) {
            throw knobs.error("group_ends", "must ascend and end at m");
        }
        return ends;
    }

    [[nodiscard]] static Tiling tiling_of(const host::Knobs& knobs, const host::Shape& ends) {
        for (const char* const name : {"n", "k"}) {
            if (knobs.count(name) % 32 != 0) {
                throw knobs.error(name, "must be a multiple of 32: B is stored in blocks of 32 columns");
            }
        }
        return {.m = knobs.count("m"),
                .n = knobs.count("n"),
                .k = knobs.count("k"),
                .groups = static_cast<std::uint32_t>(ends.size()),
                .slots = knobs.count("slots"),
                .library_cycles = knobs.count("library_cycles")};
    }

    static void add_buffers(host::Plan& plan,
                            const Tiling& t,
                            const host::Shape& ends,
                            std::uint32_t blocks) {
        using host::Buffer;
        const host::Fill integers = host::fill::Integers{.low = -128, .high = 127};
        // Sums of k products of up to 2^14 become values around 1.
        const host::Fill scales = host::fill::Uniform{.low = 0x1p-9, .high = 0x1p-8};
        std::vector<std::byte> bytes(ends.size() * sizeof(std::uint64_t));
        std::memcpy(bytes.data(), ends.data(), bytes.size());
        plan.buffers = {Buffer::input("a", DataType::int8, {t.m, t.k}, integers),
                        Buffer::input("b", DataType::int8, {t.groups, t.n / 32, t.k, 32}, integers),
                        Buffer::input("scale", DataType::float32, {t.groups, t.n}, scales),
                        Buffer::input("row_scale", DataType::float32, {t.m}, scales),
                        {.name = "row_ends",
                         .type = DataType::int64,
                         .shape = {ends.size()},
                         .role = host::Role::input,
                         .fill = host::fill::Content{std::move(bytes)},
                         .control = true},
                        Buffer::output("c", DataType::half, {t.m, t.n}),
                        Buffer::workspace("workspace", blocks * workspace_bytes(t))};
    }

    // The sums are exact in int32 and rounded to float (2^-24), scaled twice; x / (1 + e^-1.702x) is computed
    // by a handful of float instructions on values below 8, then rounded to half.
    static void add_reference(host::Plan& plan, const Tiling& t, const host::Shape& ends) {
        plan.tolerances.push_back({.output = "c", .absolute = 0x1p-14, .relative = 0x1p-18, .ulp = 1});
        plan.reference = [t, ends](host::ReferenceData& data) {
            const std::span<const float> a = data.floats("a");
            const std::span<const float> blocked = data.floats("b");
            const std::vector<float>& scale = data.floats("scale");
            const std::vector<float>& row_scale = data.floats("row_scale");
            std::vector<double>& c = data.expected("c");
            std::uint64_t row = 0;
            for (std::uint64_t group = 0; group < ends.size(); ++group) {
                std::vector<float> b(std::size_t{t.k} * t.n);
                for (std::size_t i = 0; i < b.size(); ++i) {
                    const std::size_t column = i % t.n;
                    b[i] = blocked[group * b.size() + (column / 32 * t.k + i / t.n) * 32 + column % 32];
                }
                const std::vector<double> sums =
                    host::multiply({.a = a.subspan(row * t.k, (ends[group] - row) * t.k),
                                    .b = b,
                                    .m = ends[group] - row,
                                    .n = t.n,
                                    .k = t.k});
                for (std::size_t i = 0; i < sums.size(); ++i) {
                    const double x = sums[i] * static_cast<double>(scale[group * t.n + i % t.n]) *
                                     static_cast<double>(row_scale[row + i / t.n]);
                    c[row * t.n + i] = x / (1 + std::exp(-1.702 * x));
                }
                row = ends[group];
            }
        };
    }
};

}  // namespace grouped_gelu
