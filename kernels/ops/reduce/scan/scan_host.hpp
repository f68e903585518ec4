// SPDX-License-Identifier: Apache-2.0
// The host side of scan.cpp.
#pragma once

#include "kernels/ops/matmul/matmul/matmul_object_host.hpp"
#include "kernels/ops/reduce/scan/scan_tiling.hpp"
#include "models/numbers/half.hpp"

namespace scan {

namespace host = ascendsim::host;
using ascendsim::isa::DataType;

class ScanHost final : public host::KernelHost {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Running sums along rows: products with a triangle of ones on the cube, carries on the vector "
               "cores.";
    }

    [[nodiscard]] std::vector<host::Knob> knobs() const override {
        using host::Knob;
        constexpr std::int64_t most = 1 << 20;
        return {Knob::integer("rows", 256, 1, most, "rows", "rows, each summed by itself"),
                Knob::integer("columns", 1024, 1, most, "columns", "elements of a row"),
                Knob::integer("blocks", 0, 0, 1024, "groups", "groups of cores; 0: all of the chip")};
    }

    [[nodiscard]] host::Plan plan(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) const override {
        if (!chip.cores.split) {
            throw ascendsim::UserError{"scan: {} has no cube cores apart; take a 910B or 910C", chip.name};
        }
        const auto rows = static_cast<std::int32_t>(knobs.integer("rows"));
        const auto columns = static_cast<std::int32_t>(knobs.integer("columns"));
        const std::uint32_t groups = knobs.count("blocks") == 0 ? chip.cores.aic : knobs.count("blocks");
        const auto cores = static_cast<std::int32_t>(groups * chip.cores.aiv_per_aic);
        const Options options{.product = tiling_of(chip, rows, columns),
                              .rows = rows,
                              .columns = columns,
                              .share = (rows + cores - 1) / cores};
        const auto used = static_cast<std::uint32_t>((rows + options.share - 1) / options.share);
        host::Plan plan;
        plan.problem = fmt::format("scan of {} rows of {}, {} vector cores", rows, columns, used);
        const auto extent = [](std::int32_t value) { return static_cast<std::uint64_t>(value); };
        plan.buffers = {host::Buffer::input("x", DataType::half, {extent(rows), extent(columns)}),
                        host::Buffer::input("ones", DataType::half, {side, side}, triangle()),
                        host::Buffer::output("y", DataType::float32, {extent(rows), extent(columns)})};
        plan.launches.push_back(
            {.entry = "scan_rows",
             .blocks = (used + chip.cores.aiv_per_aic - 1) / chip.cores.aiv_per_aic,
             .cores = chip.cores.aiv_per_aic == 2 ? ascendsim::CoreUse::mix_1_2 : ascendsim::CoreUse::mix_1_1,
             .arguments = {host::Argument::address("x"),
                           host::Argument::address("ones"),
                           host::Argument::address("y"),
                           host::Argument::of(options)},
             .label = "scan",
             .kernel = {}});
        plan.work.cube_flops = 2.0 * side * rows * columns;
        plan.work.vector_flops = 1.0 * rows * columns;
        add_reference(plan, options);
        return plan;
    }

private:
    [[nodiscard]] static TCubeTiling tiling_of(const ascendsim::ChipSpec& chip,
                                               std::int32_t rows,
                                               std::int32_t columns) {
        using namespace matmul_tiling;
        MatmulApiTiling choice{matmul_object::platform_of(chip)};
        choice.SetAType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
        choice.SetBType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
        choice.SetCType(TPosition::VECIN, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
        choice.SetShape(side, side, side);
        choice.SetOrgShape(rows, side, columns, side);
        choice.SetFixSplit(side, side);
        choice.SetBufferSpace(static_cast<std::int32_t>(chip.buffers.l1 / 2));
        TCubeTiling tiling;
        ascendsim::check(choice.GetTiling(tiling) == 0, "the product of a chunk has no tiling");
        return tiling;
    }

    /// Ones on and above the diagonal: column j of the product sums the first j + 1 elements.
    [[nodiscard]] static host::fill::Content triangle() {
        std::vector<std::uint16_t> ones(static_cast<std::size_t>(side * side));
        for (std::int32_t i = 0; i < side; ++i) {
            for (std::int32_t j = i; j < side; ++j) {
                ones[static_cast<std::size_t>(i * side + j)] =
                    ascendsim::numbers::HalfFormat::from_float(1.0F);
            }
        }
        const std::span<const std::byte> bytes = std::as_bytes(std::span{ones});
        return {{bytes.begin(), bytes.end()}};
    }

    static void add_reference(host::Plan& plan, const Options& options) {
        // Sums of up to `columns` values of variance 1/3 stay below eight deviations; each of the additions
        // on the way to an element (64 in a chunk, one for each chunk) rounds by up to 2^-24 of that.
        const double largest = 8 * std::sqrt(options.columns / 3.0);
        const double additions = side + options.columns / static_cast<double>(side);
        plan.tolerances.push_back(
            {.output = "y", .absolute = additions * 0x1p-24 * largest, .relative = 0.0, .ulp = 1U});
        plan.reference = [options](host::ReferenceData& data) {
            const std::vector<float>& x = data.floats("x");
            std::vector<double>& y = data.expected("y");
            double sum = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                sum = (i % static_cast<std::size_t>(options.columns) == 0 ? 0.0 : sum) +
                      static_cast<double>(x[i]);
                y[i] = sum;
            }
        };
    }
};

}  // namespace scan
