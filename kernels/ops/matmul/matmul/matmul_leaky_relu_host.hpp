// SPDX-License-Identifier: Apache-2.0
// The host side of matmul_leaky_relu.cpp.
#pragma once

#include "kernels/ops/matmul/matmul/matmul_leaky_relu_tiling.hpp"
#include "kernels/ops/matmul/matmul/matmul_object_host.hpp"

namespace matmul_leaky_relu {

namespace host = ascendsim::host;
using ascendsim::isa::DataType;

class MatmulLeakyReluHost final : public host::KernelHost {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "LeakyReLU(A x B + bias) with the high-level Matmul object driven by vector cores, and "
               "chained "
               "with a second product.";
    }

    [[nodiscard]] std::vector<host::Knob> knobs() const override {
        using host::Knob;
        constexpr std::int64_t most = 1 << 16;
        return {
            Knob::integer("m", 512, 1, most, "rows", "rows of A and C"),
            Knob::integer("n", 256, 8, most, "columns", "columns of B"),
            Knob::integer("k", 256, 1, most, "elements", "columns of A, rows of B"),
            Knob::integer("columns", 96, 1, most, "columns", "columns of W, if chained"),
            Knob::word("form",
                       {"sync", "async", "chain"},
                       "block by block, all blocks ahead into a workspace, or times W by a second object"),
            Knob::integer("blocks", 0, 0, 1024, "groups", "groups of cores; 0: all of the chip"),
            Knob::integer("base_m", 64, 16, 256, "rows", "rows of a base block"),
            Knob::integer("base_n", 64, 16, 256, "columns", "columns of a base block")};
    }

    [[nodiscard]] host::Plan plan(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) const override {
        if (!chip.cores.split) {
            throw ascendsim::UserError{"matmul_leaky_relu: {} has no cube cores apart; take a 910B or 910C",
                                       chip.name};
        }
        const std::string& form = knobs.word("form");
        const auto m = static_cast<std::int32_t>(knobs.integer("m"));
        const auto n = static_cast<std::int32_t>(knobs.integer("n"));
        const auto k = static_cast<std::int32_t>(knobs.integer("k"));
        const auto columns = static_cast<std::int32_t>(knobs.integer("columns"));
        const bool chain = form == "chain";
        if (chain && n % 16 != 0) {
            throw knobs.error("n", "a chained product takes multiples of 16");
        }
        const std::uint32_t groups = knobs.count("blocks") == 0 ? chip.cores.aic : knobs.count("blocks");
        const auto cores = static_cast<std::int32_t>(groups * chip.cores.aiv_per_aic);
        Options options{.first = tiling_of(knobs, chip, m, n, k, cores, chain), .second = {}, .slope = 0.01F};
        if (chain) {
            options.second = second_of(chip, options.first, columns);
        }
        host::Plan plan;
        plan.problem = fmt::format("LeakyReLU({} x {} x {} + bias), {}, {} vector cores of {} x {}",
                                   m,
                                   n,
                                   k,
                                   form,
                                   options.first.usedCoreNum,
                                   options.first.singleCoreM,
                                   options.first.singleCoreN);
        add_buffers(plan, options, m, n, k, chain ? columns : n, chain);
        plan.launches.push_back(launch(form, options, chip.cores.aiv_per_aic));
        plan.work.cube_flops = 2.0 * m * n * k + (chain ? 2.0 * m * n * columns : 0.0);
        plan.work.vector_flops = 2.0 * m * n;
        add_reference(plan, options, chain ? columns : 0);
        return plan;
    }

private:
    /// The launch of groups of one cube core and `vectors` vector cores.
    [[nodiscard]] static host::Launch launch(const std::string& form,
                                             const Options& options,
                                             std::uint32_t vectors) {
        const auto used = static_cast<std::uint32_t>(options.first.usedCoreNum);
        return {.entry = "matmul_leaky_relu_" + form,
                .blocks = (used + vectors - 1) / vectors,
                .cores = vectors == 2 ? ascendsim::CoreUse::mix_1_2 : ascendsim::CoreUse::mix_1_1,
                .arguments = {host::Argument::address("a"),
                              host::Argument::address("b"),
                              host::Argument::address("bias"),
                              host::Argument::address("w"),
                              host::Argument::address("c"),
                              host::Argument::address("room"),
                              host::Argument::of(options)},
                .label = "matmul_leaky_relu",
                .kernel = {}};
    }

    [[nodiscard]] static TCubeTiling tiling_of(const host::Knobs& knobs,
                                               const ascendsim::ChipSpec& chip,
                                               std::int32_t m,
                                               std::int32_t n,
                                               std::int32_t k,
                                               std::int32_t cores,
                                               bool whole_rows) {
        using namespace matmul_tiling;
        MultiCoreMatmulTiling choice{matmul_object::platform_of(chip)};
        choice.SetDim(cores);
        choice.SetAType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
        choice.SetBType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
        choice.SetCType(TPosition::VECIN, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
        choice.SetShape(m, n, k);
        choice.SetOrgShape(m, n, k);
        choice.EnableBias(true);
        choice.SetFixSplit(static_cast<std::int32_t>(knobs.integer("base_m")),
                           static_cast<std::int32_t>(knobs.integer("base_n")));
        // Half of L1, as two objects share it.
        choice.SetBufferSpace(static_cast<std::int32_t>(chip.buffers.l1 / 2));
        if (whole_rows) {
            choice.SetSingleShape((m + cores - 1) / cores, n);
        }
        TCubeTiling tiling;
        if (choice.GetTiling(tiling) != 0) {
            throw knobs.error("base_m", fmt::format("no base block like this fits {}", chip.name));
        }
        return tiling;
    }

    [[nodiscard]] static TCubeTiling second_of(const ascendsim::ChipSpec& chip,
                                               const TCubeTiling& first,
                                               std::int32_t columns) {
        using namespace matmul_tiling;
        MatmulApiTiling choice{matmul_object::platform_of(chip)};
        choice.SetShape(first.singleCoreM, columns, first.N);
        choice.SetOrgShape(first.M, columns, first.N);
        choice.SetBufferSpace(static_cast<std::int32_t>(chip.buffers.l1 / 2));
        TCubeTiling tiling;
        ascendsim::check(choice.GetTiling(tiling) == 0, "the second product has no tiling");
        return tiling;
    }

    static void add_buffers(host::Plan& plan,
                            const Options& options,
                            std::int32_t m,
                            std::int32_t n,
                            std::int32_t k,
                            std::int32_t columns,
                            bool chain) {
        const auto extent = [](std::int32_t value) { return static_cast<std::uint64_t>(value); };
        const TCubeTiling& t = options.first;
        const std::uint64_t blocks = extent(t.usedCoreNum + 1) *
                                     extent((t.singleCoreM + t.baseM - 1) / t.baseM) *
                                     extent((t.singleCoreN + t.baseN - 1) / t.baseN);
        const std::uint64_t room =
            chain ? extent(m) * extent(n) * 2 : blocks * extent(t.baseM) * extent(t.baseN) * 4;
        plan.buffers = {host::Buffer::input("a", DataType::half, {extent(m), extent(k)}),
                        host::Buffer::input("b", DataType::half, {extent(k), extent(n)}),
                        host::Buffer::input("bias", DataType::float32, {extent(n)}),
                        host::Buffer::input("w", DataType::half, {extent(n), extent(columns)}),
                        host::Buffer::output("c", DataType::float32, {extent(m), extent(columns)}),
                        host::Buffer::workspace("room", room)};
    }

    static void add_reference(host::Plan& plan, const Options& options, std::int32_t columns) {
        const double depth = options.first.Ka;
        // A chained product's left operand is rounded to half: up to 2^-11 of values of about (k / 9)^1/2, n
        // of which are added with random signs; eight deviations.
        const double inner = columns == 0 ? 0.0 : 8 * 0x1p-11 * std::sqrt(depth / 9 * options.first.N / 9);
        plan.tolerances.push_back(
            {.output = "c", .absolute = 10.0 * 0x1p-24 * depth / 3 + inner, .relative = 0x1p-20, .ulp = 1U});
        plan.reference = [options, columns](host::ReferenceData& data) {
            const TCubeTiling& t = options.first;
            const auto n = static_cast<std::size_t>(t.N);
            std::vector<double> first = host::multiply({.a = data.floats("a"),
                                                        .b = data.floats("b"),
                                                        .m = static_cast<std::uint64_t>(t.M),
                                                        .n = n,
                                                        .k = static_cast<std::uint64_t>(t.Ka)});
            const std::vector<float>& bias = data.floats("bias");
            for (std::size_t i = 0; i < first.size(); ++i) {
                first[i] += static_cast<double>(bias[i % n]);
                first[i] *= first[i] < 0 ? static_cast<double>(options.slope) : 1.0;
            }
            if (columns == 0) {
                data.expected("c") = std::move(first);
                return;
            }
            const std::vector<float> left(first.begin(), first.end());
            data.expected("c") = host::multiply({.a = left,
                                                 .b = data.floats("w"),
                                                 .m = static_cast<std::uint64_t>(t.M),
                                                 .n = static_cast<std::uint64_t>(columns),
                                                 .k = n});
        };
    }
};

}  // namespace matmul_leaky_relu
