// SPDX-License-Identifier: Apache-2.0
// y = x with its axes permuted.
#include "kernels/ops/movement/transpose/transpose.h"

#include "kernels/ops/movement/transpose/transpose_tiles.h"

extern "C" __global__ __aicore__ void transpose_2(GM_ADDR x, GM_ADDR y, TransposeTiling tiling) {
    Transposition<int16_t>(x, y, tiling).Process();
}

extern "C" __global__ __aicore__ void transpose_4(GM_ADDR x, GM_ADDR y, TransposeTiling tiling) {
    Transposition<int32_t>(x, y, tiling).Process();
}

extern "C" __global__ __aicore__ void transpose_tiles_2(GM_ADDR x, GM_ADDR y, TransposeTilesTiling tiling) {
    TransposeTiles<int16_t>(x, y, tiling).Process();
}

extern "C" __global__ __aicore__ void transpose_tiles_4(GM_ADDR x, GM_ADDR y, TransposeTilesTiling tiling) {
    TransposeTiles<int32_t>(x, y, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "kernels/ops/movement/transpose/transpose_tiles.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

using Axis = TransposeAxis;

class TransposeHost : public KernelHost {
public:
    std::string_view meaning() const override { return "y = x with its axes permuted"; }

    std::vector<Knob> knobs() const override {
        return {
            Knob::shape("shape", {4096, 4096}, "extents of x"),
            Knob::shape("perm", {1, 0}, "which axis of x becomes each axis of y"),
            Knob::type(
                "dtype",
                {DataType::half, DataType::bfloat16, DataType::int16, DataType::float32, DataType::int32},
                "element type"),
            Knob::word("schedule",
                       {"overlapped", "library"},
                       "overlapped: two tiles in flight; library: the operator library's tiles, in turns"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
            Knob::integer("buffers", 2, 1, 2, "", "buffers of a tile; 2 overlaps copies and transposition"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const Shape& shape = knobs.shape("shape");
        const Shape& perm = knobs.shape("perm");
        const DataType type = knobs.type("dtype");
        const std::uint64_t size = isa::bits(type) / 8;
        if (chip.arch != "2201") {
            throw knobs.error("shape",
                              chip.name + " has no copies with strides in bytes, which this kernel needs");
        }
        const std::vector<Axis> axes = merged(axes_of(knobs));
        Plan plan;
        Shape out;
        for (const std::uint64_t axis : perm) {
            out.push_back(shape[axis]);
        }
        plan.problem = fmt::format("transpose {} to {} {}", text(shape), text(out), isa::name(type));
        plan.buffers = {Buffer::input("x", type, shape, fill::Integers{0, 2000}),
                        Buffer::output("y", type, out)};
        if (knobs.word("schedule") == "library" && axes.back().from != 1) {
            std::uint32_t blocks = knobs.count("blocks");
            const TransposeTilesTiling t = transpose_tiles(axes, chip, size, blocks);
            plan.launches = {launch(fmt::format("transpose_tiles_{}", size), blocks, Argument::of(t))};
        } else {
            std::uint32_t blocks = 1;
            const TransposeTiling t = tile(knobs, chip, size, axes, blocks);
            plan.launches = {launch(fmt::format("transpose_{}", size), blocks, Argument::of(t))};
        }
        plan.work = {.gm_bytes = 2 * plan.buffers[0].bytes()};
        plan.reference = [axes = axes_of(knobs)](ReferenceData& data) { expect(data, axes); };
        plan.tolerances = {{.output = "y"}};
        return plan;
    }

private:
    static Launch launch(std::string entry, std::uint32_t blocks, Argument tiling) {
        return {.entry = std::move(entry),
                .blocks = blocks,
                .cores = ascendsim::CoreUse::aiv,
                .arguments = {Argument::address("x"), Argument::address("y"), std::move(tiling)}};
    }

    /// The output's axes, outermost first.
    static std::vector<Axis> axes_of(const Knobs& knobs) {
        const Shape& shape = knobs.shape("shape");
        const Shape& perm = knobs.shape("perm");
        Shape sorted = perm;
        std::ranges::sort(sorted);
        Shape all(shape.size());
        std::iota(all.begin(), all.end(), 0);
        if (sorted != all || shape.empty()) {
            throw knobs.error("perm", fmt::format("must name each axis of {} once", text(shape)));
        }
        std::vector<Axis> axes;
        std::uint64_t stride = 1;
        for (auto axis = perm.rbegin(); axis != perm.rend(); ++axis) {
            std::uint64_t from = 1;
            for (std::size_t i = *axis + 1; i < shape.size(); ++i) {
                from *= shape[i];
            }
            axes.insert(axes.begin(), {shape[*axis], from, stride});
            stride *= shape[*axis];
        }
        return axes;
    }

    /// Neighbours that are neighbours in x as well become one axis; axes of extent 1 go.
    static std::vector<Axis> merged(const std::vector<Axis>& axes) {
        std::vector<Axis> result;
        for (const Axis& axis : axes) {
            if (axis.extent == 1) {
                continue;
            }
            if (!result.empty() && result.back().from == axis.extent * axis.from) {
                result.back() = {result.back().extent * axis.extent, axis.from, axis.to};
            } else {
                result.push_back(axis);
            }
        }
        if (result.empty()) {
            result.push_back({1, 1, 1});
        }
        return result;
    }

    /// Takes the two axes of a tile out of `axes`: the last of the output, and the one before it if rows stay
    /// rows, else the one that is the input's last. Returns the elements of both.
    static std::uint64_t take_tile_axes(TransposeTiling& t, std::vector<Axis>& axes) {
        const Axis last = axes.back();
        axes.pop_back();
        t.turn = last.from == 1 ? 0 : 1;
        if (t.turn == 0) {
            t.b = last.extent;
            t.b_to = 1;
            const Axis row = axes.empty() ? Axis{1, last.extent, last.extent} : axes.back();
            if (!axes.empty()) {
                axes.pop_back();
            }
            t.a = row.extent;
            t.a_from = row.from;
        } else {
            t.a = last.extent;
            t.a_from = last.from;
            const auto inner = std::ranges::find(axes, std::uint64_t{1}, &Axis::from);
            t.b = inner->extent;
            t.b_to = inner->to;
            axes.erase(inner);
        }
        return t.a * t.b;
    }

    static TransposeTiling tile(const Knobs& knobs,
                                const ChipSpec& chip,
                                std::uint64_t size,
                                std::vector<Axis> axes,
                                std::uint32_t& blocks) {
        TransposeTiling t{.buffers = knobs.count("buffers")};
        const std::uint64_t total = take_tile_axes(t, axes);
        if (axes.size() > transpose_most_axes) {
            throw knobs.error("shape", "too many axes that stay apart");
        }
        t.axes = static_cast<std::uint32_t>(axes.size());
        std::uint64_t outer = 1;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const Axis& axis = axes[axes.size() - 1 - i];
            t.extent[i] = axis.extent;
            t.from[i] = axis.from;
            t.to[i] = axis.to;
            outer *= axis.extent;
        }
        size_tile(t, knobs, chip, size, outer * total);
        if (knobs.word("schedule") == "library") {
            // Rows that stay rows are fetched one by one (80 cycles a row of 256 B, IDX-033, 95 of 1 KiB,
            // IDX-120). If they are no whole blocks, one has to be written before the next, in two parts
            // (1000 cycles a row of 508 B, IDX-046).
            const bool whole = t.b * size % 32 == 0;
            t.address_cycles = transpose_address_cycles;
            t.turns = whole ? 0 : 1;
            t.buffers = whole ? t.buffers : 1;
            t.tile_a = whole ? t.tile_a : 1;
        }
        t.units = outer * ceil_div<std::uint64_t>(t.a, t.tile_a) * ceil_div<std::uint64_t>(t.b, t.tile_b);
        blocks = blocks_or(knobs.count("blocks"), chip, t.units, 1);
        t.share = ceil_div<std::uint64_t>(t.units, blocks);
        return t;
    }

    static void size_tile(TransposeTiling& t,
                          const Knobs& knobs,
                          const ChipSpec& chip,
                          std::uint64_t size,
                          std::uint64_t total) {
        const std::uint64_t cores = knobs.count("blocks") != 0 ? knobs.count("blocks") : vector_cores(chip);
        const std::uint64_t block = 32 / size;
        // Tiles of at most 32 KiB, and at least two for each core.
        const std::uint64_t most = std::clamp<std::uint64_t>(total / cores / 2, 1024, 32768 / size);
        if (t.turn != 0) {
            const std::uint64_t wide = round_up(t.b, std::uint64_t{16});
            const std::uint64_t tall = round_up(t.a, std::uint64_t{16});
            const std::uint64_t side = most >= 16384 ? 128 : most >= 4096 ? 64 : 32;
            const std::uint64_t b = std::min(wide, tall < side ? most / tall / 16 * 16 : side);
            // One instruction takes a stripe of 16 rows, of 255 blocks at most.
            const std::uint64_t widest = tall == 16 ? 255 * block / 16 * 16 : 240;
            t.tile_b = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(b, 16, widest));
            t.tile_a = static_cast<std::uint32_t>(
                std::clamp<std::uint64_t>(std::min(tall, most / t.tile_b / 16 * 16), 16, 2048));
            return;
        }
        t.tile_b = static_cast<std::uint32_t>(std::min(t.b, round_up(most, block)));
        const std::uint64_t rows = most / round_up(std::uint64_t{t.tile_b}, block);
        t.tile_a = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(std::min(t.a, rows), 1, 2048));
    }

    static void expect(ReferenceData& data, const std::vector<Axis>& axes) {
        const std::vector<float>& x = data.floats("x");
        std::vector<double>& y = data.expected("y");
        for (std::uint64_t i = 0; i < y.size(); ++i) {
            std::uint64_t from = 0;
            for (const Axis& axis : axes) {
                from += i / axis.to % axis.extent * axis.from;
            }
            y[i] = x[from];
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::TransposeHost host;
    return &host;
}
#endif
