// SPDX-License-Identifier: Apache-2.0
// y = sum, mean, max, min or norm of x over some neighbouring axes: rows, columns or everything.
#include "kernels/ops/reduce/reduce/reduce.h"

#include "kernels/shared/tiling_lists.h"

extern "C" __global__ __aicore__ void reduce_float16(
    GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR lists, ReduceTiling tiling) {
    ReadTilingLists(lists, tiling.lists);
    Reduce<half>(x, y, workspace, tiling);
}

extern "C" __global__ __aicore__ void reduce_bfloat16(
    GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR lists, ReduceTiling tiling) {
    ReadTilingLists(lists, tiling.lists);
    Reduce<bfloat16_t>(x, y, workspace, tiling);
}

extern "C" __global__ __aicore__ void reduce_float32(
    GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR lists, ReduceTiling tiling) {
    ReadTilingLists(lists, tiling.lists);
    Reduce<float>(x, y, workspace, tiling);
}

#ifdef ASCENDSIM_HOST
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"
#include "kernels/shared/float_types.hpp"

namespace ascendsim::host {
namespace {

constexpr std::array words{"sum", "mean", "max", "min", "sum_abs", "sum_square", "norm"};

class ReduceHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "y = sum, mean, max, min or norm of x over some axes";
    }

    std::vector<Knob> knobs() const override {
        return {
            Knob::shape("shape", {4096, 4096}, "extents of x"),
            Knob::integer("first", 1, 0, 16, "", "the first axis that is reduced"),
            Knob::integer("axes", 1, 0, 16, "", "how many axes are reduced; 0: all behind the first"),
            Knob::word("op", {words.begin(), words.end()}, "how elements are folded"),
            Knob::type("dtype",
                       {isa::DataType::half, isa::DataType::bfloat16, isa::DataType::float32},
                       "element type of x and y; the arithmetic is in float32"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
            Knob::integer("buffers", 2, 1, 2, "", "buffers of x; 2 overlaps copies and arithmetic"),
            Knob::integer(
                "lists", 0, 0, 65536, "B", "lists in global memory that the scalar unit reads first"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const isa::DataType type = checked_float_type(knobs, chip);
        std::uint32_t blocks = 1;
        const ReduceTiling tiling = tile(knobs, chip, isa::bits(type) / 8, blocks);
        const std::string op = knobs.word("op");
        Plan plan;
        plan.problem = fmt::format(
            "{} of [{}, {}, {}] {}", op, tiling.outer, tiling.length, tiling.inner, isa::name(type));
        plan.buffers = {Buffer::input("x", type, knobs.shape("shape"), fill::Uniform{-1, 2}),
                        Buffer::output("y", type, {tiling.outer * tiling.inner}),
                        Buffer::workspace("workspace", 32ULL * std::max(blocks, 1U))};
        if (tiling.lists > 0) {
            Buffer lists = Buffer::input("lists", isa::DataType::int64, {tiling.lists / 8}, fill::Zeros{});
            lists.control = true;
            plan.buffers.push_back(lists);
        }
        plan.launches = {{.entry = fmt::format("reduce_{}", isa::name(type)),
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {Argument::address("x"),
                                        Argument::address("y"),
                                        Argument::address("workspace"),
                                        Argument::address(tiling.lists > 0 ? "lists" : "x"),
                                        Argument::of(tiling)}}};
        plan.work = {.vector_flops = static_cast<double>(tiling.outer * tiling.length * tiling.inner),
                     .vector_type = isa::DataType::float32,
                     .gm_bytes = plan.buffers[0].bytes() + plan.buffers[1].bytes()};
        plan.reference = [tiling](ReferenceData& data) { expect(data, tiling); };
        // Sums of mixed signs: the error follows the sum of magnitudes, not the result.
        const double size =
            tiling.op == ReduceOp::max || tiling.op == ReduceOp::min || tiling.op == ReduceOp::mean
                ? 1.0
                : std::sqrt(static_cast<double>(tiling.length)) + 1.0;
        plan.tolerances = {rounded_once("y", type, 1e-5 * size)};
        return plan;
    }

private:
    /// Deals the elements of one sum to cores.
    static void whole(ReduceTiling& t,
                      const Knobs& knobs,
                      const ChipSpec& chip,
                      std::uint64_t room,
                      std::uint64_t least,
                      std::uint64_t size,
                      std::uint32_t& blocks) {
        blocks = blocks_or(knobs.count("blocks"), chip, t.length, least / 4);
        t.share = round_up(ceil_div<std::uint64_t>(t.length, blocks), 512 / size);
        const std::uint64_t fits = room / (t.buffers * size + 8) / 128 * 128;
        const std::uint64_t quarter =
            std::max<std::uint64_t>(round_up(ceil_div<std::uint64_t>(t.share, 4), std::uint64_t{128}), 2048);
        t.tile = static_cast<std::uint32_t>(std::min(fits, quarter));
        if (t.lists > 0 && (t.op == ReduceOp::sum_abs || t.op == ReduceOp::norm)) {
            pieces(t, chip, size, blocks);
        }
    }

    static ReduceTiling tile(const Knobs& knobs,
                             const ChipSpec& chip,
                             std::uint64_t size,
                             std::uint32_t& blocks) {
        constexpr std::uint64_t least = 1024;  // elements of a core, as the operator library starts cores
        const Shape& shape = knobs.shape("shape");
        const std::size_t first = std::min<std::size_t>(knobs.count("first"), shape.size());
        const std::size_t axes = knobs.count("axes") == 0 ? shape.size() : knobs.count("axes");
        const std::size_t end = std::min(first + axes, shape.size());
        const auto product = [&](std::size_t from, std::size_t to) {
            std::uint64_t n = 1;
            for (std::size_t i = from; i < to; ++i) {
                n *= shape[i];
            }
            return n;
        };
        ReduceTiling t{
            .outer = product(0, first),
            .length = product(first, end),
            .inner = product(end, shape.size()),
            .buffers = knobs.count("buffers"),
            .lists = knobs.count("lists") / 8 * 8,
            .op = static_cast<ReduceOp>(std::ranges::find(words, knobs.word("op")) - words.begin())};
        if (chip.arch != "2201") {
            throw knobs.error("shape", chip.name + " has no copies with padding, which this kernel needs");
        }
        const std::uint64_t room = chip.buffers.ub - 8192;
        if (t.inner > 1) {
            columns(t, knobs, chip, room / (t.buffers * size + 4), size, blocks);
        } else if (t.outer > 1) {
            rows(t, knobs, chip, room / (t.buffers * size + 6), least, size, blocks);
        } else {
            whole(t, knobs, chip, room, least, size, blocks);
        }
        return t;
    }

    /// Pieces as large as the unified buffer allows: two buffers of elements and, for 16 bits, a piece as
    /// floats. The published tiling (foreach_reduce_tiling_func.cpp of ops-nn) converts 2192 elements at a
    /// time, which would take 17 cycles for 64 of them besides the load; measured are 14 with it (NORM-003,
    /// -005, -011).
    static void pieces(ReduceTiling& t, const ChipSpec& chip, std::uint64_t size, std::uint32_t blocks) {
        constexpr std::uint64_t reserve = 16384 + 4496;  // fixed, and its tiling
        t.share = round_up(ceil_div<std::uint64_t>(t.length, blocks), 32 / size);
        t.tile = static_cast<std::uint32_t>((chip.buffers.ub - reserve) / 8 / 64 * 64);
        t.piece = t.tile;
    }

    static void rows(ReduceTiling& t,
                     const Knobs& knobs,
                     const ChipSpec& chip,
                     std::uint64_t elements,
                     std::uint64_t least,
                     std::uint64_t size,
                     std::uint32_t& blocks) {
        blocks = blocks_or(
            knobs.count("blocks"), chip, t.outer, ceil_div(least, std::max<std::uint64_t>(t.length, 1)));
        t.share = ceil_div<std::uint64_t>(t.outer, blocks);
        t.chunk = static_cast<std::uint32_t>(std::min<std::uint64_t>(t.length, (elements - 512) / 64 * 64));
        t.pitch = static_cast<std::uint32_t>(round_up(std::uint64_t{t.chunk}, 32 / size));
        const std::uint64_t fits = elements / (t.pitch + 80);
        const std::uint64_t worth =
            std::max(ceil_div<std::uint64_t>(t.share, 4), ceil_div<std::uint64_t>(4096, t.pitch));
        t.tile = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(std::min(fits, worth), 1, 240));
    }

    static void columns(ReduceTiling& t,
                        const Knobs& knobs,
                        const ChipSpec& chip,
                        std::uint64_t elements,
                        std::uint64_t size,
                        std::uint32_t& blocks) {
        const std::uint64_t cores = knobs.count("blocks") == 0 ? vector_cores(chip) : knobs.count("blocks");
        // Columns in pieces of whole lines, as long as all cores get one.
        const std::uint64_t wanted = ceil_div(t.inner * t.outer, cores);
        const std::uint64_t piece = std::clamp<std::uint64_t>(round_up(wanted, 512 / size), 512 / size, 4096);
        t.chunk = static_cast<std::uint32_t>(std::min(t.inner, piece));
        t.pitch = static_cast<std::uint32_t>(round_up(std::uint64_t{t.chunk}, 32 / size));
        const std::uint64_t units = t.outer * ceil_div<std::uint64_t>(t.inner, t.chunk);
        blocks = blocks_or(knobs.count("blocks"), chip, units, 1);
        t.share = ceil_div<std::uint64_t>(units, blocks);
        const std::uint64_t fits = (elements - 2048) / t.pitch;
        t.tile = static_cast<std::uint32_t>(
            std::clamp<std::uint64_t>(std::min(fits, ceil_div<std::uint64_t>(t.length, 2)), 1, 2048));
    }

    static void expect(ReferenceData& data, const ReduceTiling& t) {
        const std::vector<float>& x = data.floats("x");
        std::vector<double>& y = data.expected("y");
        for (std::uint64_t i = 0; i < y.size(); ++i) {
            const std::uint64_t start = i / t.inner * t.length * t.inner + i % t.inner;
            double sum = t.op == ReduceOp::max   ? -std::numeric_limits<double>::infinity()
                         : t.op == ReduceOp::min ? std::numeric_limits<double>::infinity()
                                                 : 0.0;
            for (std::uint64_t k = 0; k < t.length; ++k) {
                sum = fold(t.op, sum, x[start + k * t.inner]);
            }
            y[i] = t.op == ReduceOp::mean   ? sum / static_cast<double>(t.length)
                   : t.op == ReduceOp::norm ? std::sqrt(sum)
                                            : sum;
        }
    }

    static double fold(ReduceOp op, double sum, double x) {
        switch (op) {
            case ReduceOp::max:
                return std::max(sum, x);
            case ReduceOp::min:
                return std::min(sum, x);
            case ReduceOp::sum_abs:
                return sum + std::abs(x);
            case ReduceOp::sum_square:
            case ReduceOp::norm:
                return sum + x * x;
            case ReduceOp::sum:
            case ReduceOp::mean:
                return sum + x;
        }
        return sum;
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::ReduceHost host;
    return &host;
}
#endif
