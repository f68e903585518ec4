// SPDX-License-Identifier: Apache-2.0
// The host side of matmul_all_reduce.cpp: turns and their tiling by the host's tiling class, buffers and
// launch, the reference of one rank.
#pragma once

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/ascendc/tiling/hccl/hccl_tiling.h"
#include "kernels/ascendc/tiling/tiling_api.h"
#include "kernels/ops/matmul/matmul_all_reduce/matmul_all_reduce_tiling.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/reference_matmul.hpp"

namespace matmul_all_reduce {

namespace host = ascendsim::host;
using ascendsim::isa::DataType;

class MatmulAllReduceHost final : public host::KernelHost {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "C = A x B, summed over all ranks while the cores multiply on: the rows in turns, each handed "
               "to the "
               "communication server when all cores have written it.";
    }

    [[nodiscard]] std::vector<host::Knob> knobs() const override {
        using host::Knob;
        constexpr std::int64_t most = 1 << 20;
        return {
            Knob::integer("m", 1024, 1, most, "rows", "rows of A and C"),
            Knob::integer("n", 1024, 1, most, "columns", "columns of B and C"),
            Knob::integer("k", 1024, 1, most, "elements", "columns of A, rows of B: a rank's share"),
            Knob::integer(
                "ranks", 1, 1, 16, "ranks", "ranks that add up their products; 1: none, and no communicator"),
            Knob::integer("turns",
                          4,
                          1,
                          60,
                          "turns",
                          "parts of the rows; 1: all are multiplied before any is added up"),
            Knob::integer("blocks", 0, 0, 1024, "cores", "cores to share C; 0: all of the chip"),
        };
    }

    [[nodiscard]] host::Plan plan(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) const override {
        if (!chip.cores.split && knobs.integer("ranks") > 1) {
            throw knobs.error("ranks",
                              fmt::format("kernels of {} cannot communicate; here it must be 1", chip.name));
        }
        const std::uint64_t m = knobs.count("m");
        const std::uint64_t n = knobs.count("n");
        const std::uint64_t k = knobs.count("k");
        const Tiling tiling = tiling_of(knobs, chip);
        host::Plan plan;
        plan.problem = fmt::format("Matmul and all-reduce {} x {} x {}, float16, {} ranks, {} turns",
                                   m,
                                   n,
                                   k,
                                   knobs.integer("ranks"),
                                   tiling.turns + (tiling.rest == 0 ? 0 : 1));
        plan.buffers = {host::Buffer::input("a", DataType::half, {m, k}, host::fill::Uniform{}),
                        host::Buffer::input("b", DataType::half, {k, n}, host::fill::Uniform{}),
                        host::Buffer::workspace("product", m * n * 2),
                        host::Buffer::output("y", DataType::half, {m, n})};
        plan.launches.push_back({.entry = "matmul_all_reduce_half",
                                 .blocks = static_cast<std::uint32_t>(tiling.part.usedCoreNum),
                                 .cores = ascendsim::CoreUse::aic,
                                 .arguments = {host::Argument::address("a"),
                                               host::Argument::address("b"),
                                               host::Argument::address("product"),
                                               host::Argument::address("y"),
                                               host::Argument::of(tiling)},
                                 .label = "matmul_all_reduce",
                                 .kernel = {}});
        plan.work.cube_flops = 2.0 * static_cast<double>(m * n * k);
        plan.work.cube_type = DataType::half;
        plan.work.gm_bytes = host::least_traffic(plan.buffers);
        // A sum over ranks is rounded to half after each; the error of k sums as in matmul_host.hpp.
        const auto ranks = static_cast<double>(knobs.integer("ranks"));
        plan.tolerances.push_back({.output = "y",
                                   .absolute = ranks * (10.0 * 0x1p-24 * static_cast<double>(k) / 3) +
                                               (ranks > 1 ? ranks * 0x1p-11 * largest(k, ranks) : 0),
                                   .relative = 0x1p-20,
                                   .ulp = 1});
        plan.reference = [m, n, k](host::ReferenceData& data) {
            data.expected("y") = host::multiply({.a = data.floats("a"),
                                                 .b = data.floats("b"),
                                                 .m = m,
                                                 .n = n,
                                                 .k = k,
                                                 .transpose_a = false,
                                                 .transpose_b = false});
        };
        return plan;
    }

private:
    /// A sum of k products of uniform numbers has deviation sqrt(k) / 3; six of them, over all ranks.
    [[nodiscard]] static double largest(std::uint64_t k, double ranks) {
        return 6.0 * std::sqrt(static_cast<double>(k) * ranks) / 3;
    }

    [[nodiscard]] static TCubeTiling part_of(const host::Knobs& knobs,
                                             const ascendsim::ChipSpec& chip,
                                             std::int64_t rows) {
        using matmul_tiling::CubeFormat;
        using matmul_tiling::TPosition;
        matmul_tiling::PlatformInfo platform;
        platform.l1Size = chip.buffers.l1;
        platform.l0ASize = chip.buffers.l0a;
        platform.l0BSize = chip.buffers.l0b;
        platform.l0CSize = chip.buffers.l0c;
        platform.ubSize = chip.buffers.ub;
        matmul_tiling::MultiCoreMatmulTiling choice{platform};
        const std::uint32_t blocks = knobs.count("blocks");
        const auto m = static_cast<std::int32_t>(rows);
        const auto n = static_cast<std::int32_t>(knobs.integer("n"));
        const auto k = static_cast<std::int32_t>(knobs.integer("k"));
        choice.SetDim(static_cast<std::int32_t>(blocks == 0 ? chip.cores.aic : blocks));
        choice.SetAType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
        choice.SetBType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
        choice.SetCType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
        choice.SetShape(m, n, k);
        choice.SetOrgShape(m, n, k);
        choice.EnableBias(false);
        TCubeTiling tiling;
        if (choice.GetTiling(tiling) != 0) {
            throw knobs.error("n", fmt::format("no base block of these sizes fits {}", chip.name));
        }
        return tiling;
    }

    /// Turns of whole rows of blocks; what is left is one more.
    [[nodiscard]] static Tiling tiling_of(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) {
        constexpr std::int64_t edge = 16;
        const std::int64_t m = knobs.integer("m");
        const std::int64_t turns = knobs.integer("turns");
        const std::int64_t rows = std::min(m, ((m + turns - 1) / turns + edge - 1) / edge * edge);
        Tiling tiling{};
        tiling.turns = static_cast<std::uint32_t>(m / rows);
        tiling.rest = static_cast<std::uint32_t>(m % rows);
        tiling.part = part_of(knobs, chip, rows);
        tiling.communicates = knobs.integer("ranks") > 1 ? 1 : 0;
        const AscendC::Mc2CcTilingConfig config{"ranks", HCCL_CMD_ALLREDUCE, "AllReduce=level0:fullmesh", 0};
        config.GetTiling(tiling.server);
        config.GetTiling(tiling.all_reduce);
        return tiling;
    }
};

}  // namespace matmul_all_reduce
