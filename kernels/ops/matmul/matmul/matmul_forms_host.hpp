// SPDX-License-Identifier: Apache-2.0
// The host side of matmul_forms.cpp.
#pragma once

#include <algorithm>
#include <array>

#include "kernels/ops/matmul/matmul/matmul_object_host.hpp"

namespace matmul_forms {

namespace host = ascendsim::host;
using ascendsim::isa::DataType;

class MatmulFormsHost final : public host::KernelHost {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Batches, operands in the unified buffer and operands of one value, with the high-level "
               "Matmul "
               "object.";
    }

    [[nodiscard]] std::vector<host::Knob> knobs() const override {
        using host::Knob;
        return {
            Knob::word("form",
                       words(),
                       "4 x 2 batches apart, or side by side; A from the unified buffer; A of ones; a "
                       "triangle of C; then the ways in which results are taken"),
            Knob::integer("m", 48, 16, 512, "rows", "rows of one product; a vector core's share if local"),
            Knob::integer("n", 80, 16, 512, "columns", "columns of one product"),
            Knob::integer("k", 96, 16, 512, "elements", "depth of one product")};
    }

    [[nodiscard]] host::Plan plan(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) const override {
        if (!chip.cores.split || chip.cores.aiv_per_aic != 2) {
            throw ascendsim::UserError{"matmul_forms: {} has no groups of two vector cores; take a 910B",
                                       chip.name};
        }
        Sizes sizes{.form = knobs.word("form"),
                    .m = static_cast<std::uint64_t>(knobs.integer("m")),
                    .n = static_cast<std::uint64_t>(knobs.integer("n")),
                    .k = static_cast<std::uint64_t>(knobs.integer("k"))};
        const bool batched = sizes.batched();
        if (sizes.form == "value") {
            sizes.m = 1;
        }
        sizes.batches_a = batched ? 4 : sizes.form == "local" ? 2 : 1;
        sizes.batches_b = batched ? 2 : 1;
        host::Plan plan;
        plan.problem = fmt::format("Matmul object, {}: {} x {} x {}", sizes.form, sizes.m, sizes.n, sizes.k);
        plan.buffers = {host::Buffer::input("a", DataType::half, {sizes.batches_a, sizes.m, sizes.k}),
                        host::Buffer::input("b", DataType::half, {sizes.batches_b, sizes.k, sizes.n}),
                        host::Buffer::output("c", DataType::float32, {sizes.batches_a, sizes.m, sizes.n})};
        if (sizes.triangle() != 0) {  // what is left out keeps its zeros
            plan.buffers.back().role = host::Role::in_out;
            plan.buffers.back().fill = host::fill::Zeros{};
        }
        plan.launches.push_back({.entry = "matmul_forms_" + sizes.form,
                                 .blocks = 1,
                                 .cores = ascendsim::CoreUse::mix_1_2,
                                 .arguments = {host::Argument::address("a"),
                                               host::Argument::address("b"),
                                               host::Argument::address("c"),
                                               host::Argument::of(tiling_of(chip, sizes))},
                                 .label = "matmul_forms",
                                 .kernel = {}});
        if (takes_room(sizes.form)) {
            const std::uint64_t blocks =
                (sizes.m + block_m - 1) / block_m * ((sizes.n + block_n - 1) / block_n);
            plan.buffers.push_back(
                host::Buffer::workspace("room", 4 * sizes.batches_a * blocks * block_m * block_n));
            auto& arguments = plan.launches.back().arguments;
            arguments.insert(arguments.end() - 1, host::Argument::address("room"));
        }
        plan.work.cube_flops = 2.0 * static_cast<double>(sizes.batches_a * sizes.m * sizes.n * sizes.k);
        plan.tolerances.push_back({.output = "c",
                                   .absolute = 10.0 * 0x1p-24 * static_cast<double>(sizes.k) / 3,
                                   .relative = 0x1p-20,
                                   .ulp = 1U});
        plan.reference = [sizes](host::ReferenceData& data) { expect(data, sizes); };
        return plan;
    }

private:
    [[nodiscard]] static std::vector<std::string> words() {
        std::vector<std::string> all{
            "batch", "inner", "inner_rounds", "local", "value", "upper", "lower", "in_turn"};
        all.insert(all.end(), with_room.begin(), with_room.end());
        return all;
    }

    [[nodiscard]] static bool takes_room(const std::string& form) {
        return std::find(with_room.begin(), with_room.end(), form) != with_room.end();
    }

    // Forms whose kernel also gets room for results.
    static constexpr std::array<std::string_view, 22> with_room{
        "sync_local",   "async_loop",  "async_count",    "async_tensor", "async_global", "mixed",
        "both",         "async_both",  "all_local",      "all_async",    "sums",         "rounds",
        "async_rounds", "batch_local", "blocks_local",   "blocks_all",   "blocks_both",  "aligned_local",
        "aligned_all",  "along_n",     "batch_of_local", "batch_bias"};

    struct Sizes {
        std::string form;
        std::uint64_t m = 0;
        std::uint64_t n = 0;
        std::uint64_t k = 0;
        std::uint64_t batches_a = 1;
        std::uint64_t batches_b = 1;

        /// Batches lie side by side in a row, or as many as one of B goes with.
        [[nodiscard]] bool inner() const { return form == "inner" || form == "inner_rounds"; }

        [[nodiscard]] std::uint64_t outer() const { return form == "inner_rounds" ? batches_b : 1; }

        [[nodiscard]] bool batched() const {
            return form == "batch" || inner() || form == "rounds" || form == "async_rounds" ||
                   form == "batch_local" || form == "batch_of_local" || form == "batch_bias";
        }

        /// 1: what lies below the diagonal of base blocks is left out; -1: what lies above.
        [[nodiscard]] int triangle() const { return form == "upper" ? 1 : form == "lower" ? -1 : 0; }

        [[nodiscard]] bool left_out(std::uint64_t row, std::uint64_t column) const {
            const auto below =
                static_cast<std::int64_t>(row / block_m) - static_cast<std::int64_t>(column / block_n);
            return below * triangle() > 0;
        }
    };

    static constexpr std::uint64_t block_m = 32;
    static constexpr std::uint64_t block_n = 64;

    [[nodiscard]] static TCubeTiling tiling_of(const ascendsim::ChipSpec& chip, const Sizes& sizes) {
        const auto extent = [](std::uint64_t value) { return static_cast<std::int32_t>(value); };
        matmul_tiling::BatchMatmulTiling choice{matmul_object::platform_of(chip)};
        choice.SetShape(extent(sizes.m), extent(sizes.n), extent(sizes.k));
        choice.SetOrgShape(extent(sizes.m), extent(sizes.n), extent(sizes.k));
        const std::uint64_t outer = sizes.outer();
        choice.SetALayout(
            extent(outer), extent(sizes.m), 1, extent(sizes.batches_a / outer), extent(sizes.k));
        choice.SetBLayout(
            extent(outer), extent(sizes.k), 1, extent(sizes.batches_b / outer), extent(sizes.n));
        choice.SetCLayout(
            extent(outer), extent(sizes.m), 1, extent(sizes.batches_a / outer), extent(sizes.n));
        choice.EnableBias(sizes.form == "batch_bias");
        if (sizes.form != "local") {
            choice.SetFixSplit(extent(block_m), extent(block_n), 32);
        }
        TCubeTiling tiling;
        ascendsim::check(
            choice.GetTiling(tiling) == 0, "no tiling for {} x {} x {}", sizes.m, sizes.n, sizes.k);
        return tiling;
    }

    // Place of an element of matrix `batch` of `batches`, (rows, columns) each.
    [[nodiscard]] static std::size_t place(const Sizes& sizes,
                                           std::uint64_t batch,
                                           std::uint64_t batches,
                                           std::uint64_t row,
                                           std::uint64_t column,
                                           std::uint64_t rows,
                                           std::uint64_t columns) {
        const std::uint64_t beside = sizes.inner() ? batches / sizes.outer() : 1;
        return ((batch / beside * rows + row) * beside + batch % beside) * columns + column;
    }

    static void expect(host::ReferenceData& data, const Sizes& sizes) {
        const std::vector<float>& a = data.floats("a");
        const std::vector<float>& b = data.floats("b");
        std::vector<double>& c = data.expected("c");
        for (std::uint64_t batch = 0; batch < sizes.batches_a; ++batch) {
            const std::uint64_t of_b = batch / (sizes.batches_a / sizes.batches_b);
            for (std::uint64_t m = 0; m < sizes.m; ++m) {
                for (std::uint64_t n = 0; n < sizes.n; ++n) {
                    double sum = sizes.form == "batch_bias" ? static_cast<double>(batch + 1) : 0;
                    for (std::uint64_t k = 0; k < sizes.k && !sizes.left_out(m, n); ++k) {
                        const std::size_t left = place(sizes, batch, sizes.batches_a, m, k, sizes.m, sizes.k);
                        const std::size_t right = place(sizes, of_b, sizes.batches_b, k, n, sizes.k, sizes.n);
                        sum += (sizes.form == "value" ? 1.0 : static_cast<double>(a[left])) *
                               static_cast<double>(b[right]);
                    }
                    c[place(sizes, batch, sizes.batches_a, m, n, sizes.m, sizes.n)] = sum;
                }
            }
        }
    }
};

}  // namespace matmul_forms
