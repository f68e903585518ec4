// SPDX-License-Identifier: Apache-2.0
// The host side of grouped_matmul_silu.cpp.
#pragma once

#include "kernels/ops/matmul/grouped_matmul_silu/grouped_matmul_silu_tiling.hpp"
#include "kernels/ops/matmul/matmul/matmul_object_host.hpp"

namespace grouped_matmul_silu {

namespace host = ascendsim::host;
using ascendsim::isa::DataType;

class GroupedMatmulSiluHost final : public host::KernelHost {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "SiLU(A x B[g] + bias[g]) for groups of rows of uneven size, with the high-level Matmul "
               "object.";
    }

    [[nodiscard]] std::vector<host::Knob> knobs() const override {
        using host::Knob;
        constexpr std::int64_t most = 1 << 16;
        return {Knob::integer("rows", 1024, 1, most, "rows", "rows of A, all groups together"),
                Knob::integer(
                    "groups", 8, 1, 1024, "groups", "groups; later ones are larger, the first may be empty"),
                Knob::integer("n", 256, 8, most, "columns", "columns of each B"),
                Knob::integer("k", 256, 1, most, "elements", "columns of A, rows of each B"),
                Knob::integer("blocks", 0, 0, 1024, "groups", "groups of cores; 0: all of the chip"),
                Knob::integer("base_m", 64, 16, 256, "rows", "rows of a tile"),
                Knob::integer("base_n", 64, 16, 256, "columns", "columns of a base block")};
    }

    [[nodiscard]] host::Plan plan(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) const override {
        if (!chip.cores.split) {
            throw ascendsim::UserError{"grouped_matmul_silu: {} has no cube cores apart; take a 910B or 910C",
                                       chip.name};
        }
        const std::uint64_t rows = static_cast<std::uint64_t>(knobs.integer("rows"));
        const std::uint32_t groups = knobs.count("groups");
        const std::uint32_t blocks = knobs.count("blocks") == 0 ? chip.cores.aic : knobs.count("blocks");
        const Options options{.product = tiling_of(knobs, chip),
                              .groups = static_cast<std::int32_t>(groups),
                              .cores = static_cast<std::int32_t>(blocks * chip.cores.aiv_per_aic)};
        const auto n = static_cast<std::uint64_t>(options.product.N);
        const auto k = static_cast<std::uint64_t>(options.product.Ka);
        const std::vector<std::int64_t> ends = ends_of(rows, groups);
        host::Plan plan;
        plan.problem = fmt::format("SiLU({} x {} x {} + bias), {} groups", rows, n, k, groups);
        plan.buffers = {host::Buffer::input("a", DataType::half, {rows, k}),
                        host::Buffer::input("b", DataType::half, {groups, k, n}),
                        host::Buffer::input("bias", DataType::float32, {groups, n}),
                        list_of(ends),
                        host::Buffer::output("c", DataType::float32, {rows, n})};
        plan.launches.push_back(
            {.entry = "grouped_silu",
             .blocks = blocks,
             .cores = chip.cores.aiv_per_aic == 2 ? ascendsim::CoreUse::mix_1_2 : ascendsim::CoreUse::mix_1_1,
             .arguments = {host::Argument::address("a"),
                           host::Argument::address("b"),
                           host::Argument::address("bias"),
                           host::Argument::address("ends"),
                           host::Argument::address("c"),
                           host::Argument::of(options)},
             .label = "grouped_matmul_silu",
             .kernel = {}});
        plan.work.cube_flops = 2.0 * static_cast<double>(rows * n * k);
        plan.work.vector_flops = 5.0 * static_cast<double>(rows * n);
        add_reference(plan, options, ends);
        return plan;
    }

private:
    /// Group g ends at rows ((g + 1) / groups)^2.
    [[nodiscard]] static std::vector<std::int64_t> ends_of(std::uint64_t rows, std::uint64_t groups) {
        std::vector<std::int64_t> ends;
        for (std::uint64_t g = 1; g <= groups; ++g) {
            ends.push_back(static_cast<std::int64_t>(rows * g * g / (groups * groups)));
        }
        return ends;
    }

    [[nodiscard]] static host::Buffer list_of(const std::vector<std::int64_t>& ends) {
        const std::span<const std::byte> bytes = std::as_bytes(std::span{ends});
        host::Buffer buffer = host::Buffer::input(
            "ends", DataType::int64, {ends.size()}, host::fill::Content{{bytes.begin(), bytes.end()}});
        buffer.control = true;
        return buffer;
    }

    [[nodiscard]] static TCubeTiling tiling_of(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) {
        using namespace matmul_tiling;
        const auto n = static_cast<std::int32_t>(knobs.integer("n"));
        const auto k = static_cast<std::int32_t>(knobs.integer("k"));
        const auto base_m = static_cast<std::int32_t>(knobs.integer("base_m"));
        MatmulApiTiling choice{matmul_object::platform_of(chip)};
        choice.SetAType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
        choice.SetBType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
        choice.SetCType(TPosition::VECIN, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
        choice.EnableBias(true);
        choice.SetShape(base_m, n, k);
        choice.SetOrgShape(static_cast<std::int32_t>(knobs.integer("rows")), n, k);
        choice.SetFixSplit(base_m, static_cast<std::int32_t>(knobs.integer("base_n")));
        choice.SetBufferSpace(static_cast<std::int32_t>(chip.buffers.l1 / 2));  // two vector cores share it
        TCubeTiling tiling;
        if (choice.GetTiling(tiling) != 0) {
            throw knobs.error("base_m", fmt::format("no base block like this fits {}", chip.name));
        }
        return tiling;
    }

    static void add_reference(host::Plan& plan,
                              const Options& options,
                              const std::vector<std::int64_t>& ends) {
        // Ten deviations of k / 3 roundings of the sum; SiLU is at most 1.1 times as steep.
        plan.tolerances.push_back({.output = "c",
                                   .absolute = 11.0 * 0x1p-24 * options.product.Ka / 3,
                                   .relative = 0x1p-20,
                                   .ulp = 1U});
        plan.reference = [options, ends](host::ReferenceData& data) {
            const auto n = static_cast<std::ptrdiff_t>(options.product.N);
            const auto k = static_cast<std::ptrdiff_t>(options.product.Ka);
            const std::vector<float>& a = data.floats("a");
            const std::vector<float>& b = data.floats("b");
            const std::vector<float>& bias = data.floats("bias");
            std::vector<double>& c = data.expected("c");
            std::ptrdiff_t row = 0;
            for (std::ptrdiff_t g = 0; g < options.groups; ++g) {
                const std::ptrdiff_t end = ends[static_cast<std::size_t>(g)];
                const std::vector<float> left(a.begin() + row * k, a.begin() + end * k);
                const std::vector<float> right(b.begin() + g * k * n, b.begin() + (g + 1) * k * n);
                const std::vector<double> product =
                    host::multiply({.a = left,
                                    .b = right,
                                    .m = static_cast<std::uint64_t>(end - row),
                                    .n = static_cast<std::uint64_t>(n),
                                    .k = static_cast<std::uint64_t>(k)});
                for (std::ptrdiff_t i = 0; i < (end - row) * n; ++i) {
                    const double x = product[static_cast<std::size_t>(i)] +
                                     static_cast<double>(bias[static_cast<std::size_t>(g * n + i % n)]);
                    c[static_cast<std::size_t>(row * n + i)] = x / (1 + std::exp(-x));
                }
                row = end;
            }
        };
    }
};

}  // namespace grouped_matmul_silu
