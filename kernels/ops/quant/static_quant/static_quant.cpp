// SPDX-License-Identifier: Apache-2.0
// Quantisation by factors that are known beforehand: the published AscendQuantV2 in its order.
#include "kernels/ops/quant/static_quant/static_quant.h"

template <typename T>
__aicore__ inline void RunStaticQuant(GM_ADDR x, GM_ADDR scale, GM_ADDR offset, GM_ADDR y, GM_ADDR tiling) {
    GET_TILING_DATA_WITH_STRUCT(StaticQuantTiling, t, tiling);
    StaticQuant<T>(x, scale, offset, y, t).Process();
}

extern "C" __global__ __aicore__ void static_quant_float16(
    GM_ADDR x, GM_ADDR scale, GM_ADDR offset, GM_ADDR y, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    RunStaticQuant<half>(x, scale, offset, y, tiling);
}

extern "C" __global__ __aicore__ void static_quant_bfloat16(
    GM_ADDR x, GM_ADDR scale, GM_ADDR offset, GM_ADDR y, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    RunStaticQuant<bfloat16_t>(x, scale, offset, y, tiling);
}

extern "C" __global__ __aicore__ void static_quant_float32(
    GM_ADDR x, GM_ADDR scale, GM_ADDR offset, GM_ADDR y, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    RunStaticQuant<float>(x, scale, offset, y, tiling);
}

#ifdef ASCENDSIM_HOST
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"
#include "kernels/shared/float_types.hpp"
#include "kernels/shared/row_host.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

class StaticQuantHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "y = round(x * scale + offset) in int8, by factors known beforehand";
    }

    std::vector<Knob> knobs() const override {
        return {
            Knob::shape("shape", {2048, 2048}, "extents of x and y; columns run along the last"),
            Knob::type("dtype",
                       {DataType::bfloat16, DataType::half, DataType::float32},
                       "element type of x, scale and offset; the arithmetic is in float32"),
            Knob::flag("channels", true, "a scale for each column; otherwise one for all"),
            Knob::flag("offset", true, "an offset for each scale is added"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores that are started; 0: all"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const DataType type = checked_float_type(knobs, chip);
        std::uint32_t blocks = 1;
        const StaticQuantTiling t = tile(knobs, chip, type, blocks);
        const Shape& shape = knobs.shape("shape");
        const Shape factors{t.channels != 0 ? shape.back() : 1};
        Plan plan;
        plan.problem = fmt::format("static_quant {} {}", text(shape), isa::name(type));
        plan.chosen = {{"tile", t.tile}};
        plan.buffers = {Buffer::input("x", type, shape, fill::Normal{0, 1}),
                        Buffer::input("scale", type, factors, fill::Uniform{8, 40})};
        if (t.offset != 0) {
            plan.buffers.push_back(Buffer::input("offset", type, factors, fill::Uniform{-10, 10}));
        }
        plan.buffers.push_back(Buffer::output("y", DataType::int8, shape));
        plan.work = {.vector_flops = (2.0 + t.offset) * static_cast<double>(t.rows * t.width),
                     .vector_type = DataType::float32,
                     .gm_bytes = least_traffic(plan.buffers)};
        plan.buffers.push_back(Buffer::tiling("tiling", t));
        plan.launches = {{.entry = fmt::format("static_quant_{}", isa::name(type)),
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {Argument::address("x"),
                                        Argument::address("scale"),
                                        Argument::address(t.offset != 0 ? "offset" : "scale"),
                                        Argument::address("y"),
                                        Argument::address("tiling")}}};
        plan.reference = [t](ReferenceData& data) { expect(data, t); };
        plan.tolerances = {{.output = "y"}};
        return plan;
    }

private:
    /// As the operator's host side does (op_host/ascend_quant_v2_tiling.cpp): all cores are started, rows are
    /// shared, or columns in lines of 512 bytes if that keeps more cores busy, or each row's lines if that
    /// keeps more busy still.
    static StaticQuantTiling tile(const Knobs& knobs,
                                  const ChipSpec& chip,
                                  DataType type,
                                  std::uint32_t& blocks) {
        if (chip.arch != "2201") {
            throw knobs.error("shape", chip.name + " has no copies with padding, which this kernel needs");
        }
        const RowProblem problem = row_problem(knobs, chip, type);
        if (problem.rows == 0) {
            throw knobs.error("shape", "there is no element");
        }
        StaticQuantTiling t{};
        t.channels = knobs.flag("channels") ? 1 : 0;
        t.offset = knobs.flag("offset") ? 1 : 0;
        t.rows = t.channels != 0 ? problem.rows : 1;
        t.width = t.channels != 0 ? problem.width : problem.rows * problem.width;
        blocks = knobs.count("blocks") != 0 ? knobs.count("blocks") : vector_cores(chip);
        const std::uint64_t size = isa::bits(type) / 8;
        const std::uint64_t line = 512 / size;
        const std::uint64_t lines = ceil_div(t.width, line);
        share_out(t, blocks, line, lines);
        size_tile(t, type, chip.buffers.ub - 2048, line);
        return t;
    }

    /// Cores that have work if each of `cores` takes the same number of `units`.
    static std::uint64_t busy(std::uint64_t units, std::uint64_t cores) {
        return ceil_div(units, ceil_div(units, cores));
    }

    static void share_out(StaticQuantTiling& t,
                          std::uint64_t cores,
                          std::uint64_t line,
                          std::uint64_t lines) {
        const std::uint64_t by_rows = busy(t.rows, cores);
        const std::uint64_t by_columns = busy(lines, cores);
        const std::uint64_t most = std::max(by_rows, by_columns);
        constexpr std::uint64_t least_cut = 32;  // elements of a row that is worth cutting
        if (most < cores && t.rows > 1 && t.rows <= cores && t.width > least_cut) {
            const std::uint64_t pieces = busy(lines, cores / t.rows);
            if (t.rows * pieces > most) {
                t.split = StaticQuantSplit::both;
                t.cores = static_cast<std::uint32_t>(t.rows * pieces);
                t.pieces = static_cast<std::uint32_t>(pieces);
                t.share = ceil_div(lines, pieces) * line;
                t.last = t.width - t.share * (pieces - 1);
                return;
            }
        }
        t.cores = static_cast<std::uint32_t>(most);
        if (by_rows >= by_columns) {
            t.split = StaticQuantSplit::rows;
            t.share = ceil_div(t.rows, most);
            t.last = t.rows - t.share * (most - 1);
        } else {
            t.split = StaticQuantSplit::columns;
            t.share = ceil_div(lines, most) * line;
            t.last = t.width - t.share * (most - 1);
        }
    }

    /// Rows and columns at a time: of short rows as many as fit beside the factors, of long ones a piece.
    static void size_tile(StaticQuantTiling& t, DataType type, std::uint64_t room, std::uint64_t line) {
        const std::uint64_t size = isa::bits(type) / 8;
        const std::uint64_t widened = type == DataType::float32 ? 0 : 4;
        const std::uint64_t factors = t.channels == 0 ? 0 : 1U + t.offset;
        const std::uint64_t each = (size + widened) * (1 + factors) + 1;
        // Ours widens factors of float32 as well, and keeps the row apart from x.
        const std::uint64_t own = type == DataType::float32 ? 4 * (1 + factors) : 0;
        const std::uint64_t most = room / (each + own) / line * line;
        const std::uint64_t wanted = round_up(t.split == StaticQuantSplit::rows ? t.width : t.share, line);
        t.tile = 1;
        t.columns = std::min(wanted, most);
        if (t.split != StaticQuantSplit::both && wanted <= most / 2) {
            const std::uint64_t fixed = wanted * ((size + widened) * factors + widened + own);
            const std::uint64_t rows = t.split == StaticQuantSplit::rows ? t.share : t.rows;
            constexpr std::uint64_t most_rows = 4095;  // of one copy
            t.tile = std::clamp<std::uint64_t>(
                std::min({(room - fixed) / ((size + 1) * wanted), rows, most_rows}), 1, most_rows);
        }
    }

    static void expect(ReferenceData& data, const StaticQuantTiling& t) {
        const std::vector<float>& x = data.floats("x");
        const std::vector<float>& scale = data.floats("scale");
        for (std::uint64_t i = 0; i < x.size(); ++i) {
            const std::uint64_t at = t.channels != 0 ? i % t.width : 0;
            // Rounded to float after each step, as the kernel does: next to a half it decides.
            const float scaled = x[i] * scale[at];
            const float moved = t.offset != 0 ? scaled + data.floats("offset")[at] : scaled;
            data.expected("y")[i] = std::clamp(std::nearbyint(static_cast<double>(moved)), -128.0, 127.0);
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::StaticQuantHost host;
    return &host;
}
#endif
