// SPDX-License-Identifier: Apache-2.0
// Elements gathered or scattered along an axis by an index
// (kernels/ops/movement/index_elements/index_elements.h).
#include "kernels/ops/movement/index_elements/index_elements.h"

/// One of the two ways to gather.
template <typename T>
__aicore__ inline void RunGather(GM_ADDR x, GM_ADDR index, GM_ADDR y, const IndexElementsTiling& tiling) {
    if (tiling.by_scalar != 0) {
        IndexElements<T>(x, index, y, tiling).GatherByScalar();
    } else {
        IndexElements<T>(x, index, y, tiling).Gather();
    }
}

extern "C" __global__ __aicore__ void gather_elements_2(GM_ADDR x,
                                                        GM_ADDR index,
                                                        GM_ADDR y,
                                                        IndexElementsTiling tiling) {
    RunGather<half>(x, index, y, tiling);
}

extern "C" __global__ __aicore__ void gather_elements_4(GM_ADDR x,
                                                        GM_ADDR index,
                                                        GM_ADDR y,
                                                        IndexElementsTiling tiling) {
    RunGather<float>(x, index, y, tiling);
}

extern "C" __global__ __aicore__ void scatter_elements_float16(GM_ADDR x,
                                                               GM_ADDR index,
                                                               GM_ADDR y,
                                                               IndexElementsTiling tiling) {
    IndexElements<half>(x, index, y, tiling).Scatter();
}

extern "C" __global__ __aicore__ void scatter_elements_float32(GM_ADDR x,
                                                               GM_ADDR index,
                                                               GM_ADDR y,
                                                               IndexElementsTiling tiling) {
    IndexElements<float>(x, index, y, tiling).Scatter();
}

#ifdef ASCENDSIM_HOST
#include <algorithm>

#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

class IndexElementsHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "gather: y[.., i, ..] = x[.., index[.., i, ..], ..]; scatter: y[.., index[.., i, ..], ..] = "
               "x[.., i, ..]";
    }

    std::vector<Knob> knobs() const override {
        return {
            Knob::word("kind", {"gather", "scatter", "scatter_add"}, "what is done"),
            Knob::shape(
                "shape", {1024, 1024}, "extents of the tensor that is indexed: x of gather, y of scatter"),
            Knob::shape("index", {512, 1024}, "extents of the index, and of what is gathered or set"),
            Knob::integer("axis", 0, 0, 15, "", "the axis"),
            Knob::type("dtype",
                       {DataType::half, DataType::float32},
                       "element type; another of the same size takes as long"),
            Knob::word("schedule",
                       {"vector", "scalar"},
                       "gather: the vector unit, many at a time, or the scalar unit, one by one"),
            Knob::integer("buffers", 2, 1, 2, "", "buffers of the index and of what is gathered"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const DataType type = knobs.type("dtype");
        const bool gather = knobs.word("kind") == "gather";
        std::uint32_t blocks = 1;
        IndexElementsTiling t = tile(knobs, chip, isa::bits(type) / 8, gather, blocks);
        t.add = knobs.word("kind") == "scatter_add" ? 1 : 0;
        const Shape& shape = knobs.shape("shape");
        const Shape& index = knobs.shape("index");
        Plan plan;
        plan.problem = fmt::format(
            "{} of elements {} by {} {}", knobs.word("kind"), text(shape), text(index), isa::name(type));
        Buffer places = Buffer::input(
            "index", DataType::int32, index, fill::Integers{0, static_cast<std::int64_t>(t.length) - 1});
        places.control = !gather || t.by_scalar != 0;  // the scalar unit addresses with them
        if (!gather && t.add == 0) {
            // Of several that go to one place any may stay: none do where i only moves along.
            places.fill = distinct(t);
        }
        Buffer y = Buffer::output("y", type, gather ? index : shape);
        if (!gather) {
            y.role = Role::in_out;
            y.fill = fill::Integers{0, 7};
        }
        plan.buffers = {Buffer::input("x", type, gather ? shape : index, fill::Integers{0, 2000}), places, y};
        if (!gather) {
            plan.buffers[0].fill = fill::Integers{0, 7};
        }
        plan.launches = {{.entry = gather ? fmt::format("gather_elements_{}", isa::bits(type) / 8)
                                          : fmt::format("scatter_elements_{}", isa::name(type)),
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {Argument::address("x"),
                                        Argument::address("index"),
                                        Argument::address("y"),
                                        Argument::of(t)}}};
        plan.work.gm_bytes = least_traffic(plan.buffers);
        plan.reference = [t, gather](ReferenceData& data) { expect(data, t, gather); };
        plan.tolerances = {{.output = "y"}};
        return plan;
    }

private:
    static Fill distinct(const IndexElementsTiling& t) {
        const std::uint64_t outer = t.units / ceil_div<std::uint64_t>(t.inner, t.chunk);
        std::vector<std::int32_t> places(outer * t.m * t.inner);
        for (std::size_t i = 0; i < places.size(); ++i) {
            places[i] = static_cast<std::int32_t>((i / t.inner % t.m + 3 * (i % t.inner)) % t.length);
        }
        const std::span<const std::byte> bytes = std::as_bytes(std::span{places});
        return fill::Content{{bytes.begin(), bytes.end()}};
    }

    /// Joins the axes around `axis` to those that the kernel has: up to two before it, whose extents differ
    /// in x and index, and one behind it. Returns the index's elements before the axis.
    static std::uint64_t join_axes(const Knobs& knobs, std::size_t axis, IndexElementsTiling& t) {
        const Shape& shape = knobs.shape("shape");
        const Shape& index = knobs.shape("index");
        for (std::size_t i = axis + 1; i < shape.size(); ++i) {
            if (index[i] != shape[i] && i != axis + 1) {
                throw knobs.error(
                    "index", "may be shorter than shape on the axis, the first behind it and two before it");
            }
            t.x_inner *= shape[i];
            t.inner *= index[i];
        }
        // Axes before: those that agree join the ones in front of them.
        std::uint64_t outer = 1;
        std::uint64_t stride = t.length * t.x_inner;
        std::size_t i = axis;
        t.x_outer1 = stride;
        for (; i > 0; --i) {
            t.outer1 *= index[i - 1];
            stride *= shape[i - 1];
            if (index[i - 1] != shape[i - 1]) {
                --i;
                break;
            }
        }
        t.x_outer0 = stride;
        for (; i > 0; --i) {
            outer *= index[i - 1];
            if (index[i - 1] != shape[i - 1] && i != 1) {
                throw knobs.error(
                    "index", "may be shorter than shape on the axis, the first behind it and two before it");
            }
        }
        return outer * t.outer1;
    }

    /// Deals elements of the index to cores whose scalar units go through them piece by piece.
    static void deal_pieces(const Knobs& knobs,
                            const ChipSpec& chip,
                            std::uint32_t& blocks,
                            IndexElementsTiling& t) {
        constexpr std::uint64_t most = 4096;  // elements of a piece
        t.by_scalar = 1;
        t.units = elements(knobs.shape("index"));
        t.tile = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
            round_up(ceil_div<std::uint64_t>(t.units, vector_cores(chip)), std::uint64_t{16}), 16, most));
        blocks = blocks_or(knobs.count("blocks"), chip, ceil_div<std::uint64_t>(t.units, t.tile), 1);
        t.share = ceil_div<std::uint64_t>(ceil_div<std::uint64_t>(t.units, t.tile), blocks);
    }

    static IndexElementsTiling tile(
        const Knobs& knobs, const ChipSpec& chip, std::uint64_t size, bool gather, std::uint32_t& blocks) {
        const Shape& shape = knobs.shape("shape");
        const Shape& index = knobs.shape("index");
        const std::size_t axis = knobs.count("axis");
        if (chip.arch != "2201" || axis >= shape.size() || index.size() != shape.size()) {
            throw knobs.error("index", "needs an extent for each axis of shape, on a chip whose copies pad");
        }
        IndexElementsTiling t{.outer1 = 1,
                              .length = shape[axis],
                              .m = index[axis],
                              .x_inner = 1,
                              .inner = 1,
                              .buffers = knobs.count("buffers")};
        const std::uint64_t outer = join_axes(knobs, axis, t);
        if (gather && knobs.word("schedule") == "scalar") {
            deal_pieces(knobs, chip, blocks, t);
            return t;
        }
        cut(knobs, chip, size, gather, outer, t);
        t.units = outer * ceil_div<std::uint64_t>(t.inner, t.chunk);
        blocks = blocks_or(knobs.count("blocks"), chip, t.units, 1);
        t.share = ceil_div<std::uint64_t>(t.units, blocks);
        return t;
    }

    /// As many columns as leave room for some rows of the index; no more than make every core busy.
    static void cut(const Knobs& knobs,
                    const ChipSpec& chip,
                    std::uint64_t size,
                    bool gather,
                    std::uint64_t outer,
                    IndexElementsTiling& t) {
        const std::uint64_t room = chip.buffers.ub - 2048;
        const std::uint64_t each = t.buffers * (4 + size) + (gather ? 4 : 0);  // B of an element of a tile
        if (t.inner == 1 && t.x_inner == 1) {
            t.chunk = t.pitch = 1;
        } else {
            const std::uint64_t fits = room * 3 / 4 / (t.length * size) / 16 * 16;
            const std::uint64_t wanted =
                round_up(ceil_div<std::uint64_t>(t.inner * outer, vector_cores(chip)), std::uint64_t{16});
            t.chunk = static_cast<std::uint32_t>(std::min(
                {t.inner, std::max<std::uint64_t>(fits, 1), std::max<std::uint64_t>(wanted, 128 / size)}));
            t.pitch = static_cast<std::uint32_t>(round_up(std::uint64_t{t.chunk}, std::uint64_t{16}));
        }
        const std::uint64_t table = round_up(t.length * t.pitch, std::uint64_t{16}) * size;
        if (table + each * 16 * t.pitch > room) {
            throw knobs.error("shape",
                              fmt::format("{} elements of the axis do not fit the unified buffer", t.length));
        }
        const std::uint64_t rows = (room - table) / each / t.pitch;
        t.tile = static_cast<std::uint32_t>(std::min<std::uint64_t>(rows >= 16 ? rows / 16 * 16 : rows, t.m));
    }

    static void expect(ReferenceData& data, const IndexElementsTiling& t, bool gather) {
        const std::vector<float>& x = data.floats("x");
        const std::span<const std::int32_t> index = data.view<std::int32_t>("index");
        std::vector<double>& y = data.expected("y");
        if (!gather) {
            const std::vector<float>& before = data.floats("y");
            std::copy(before.begin(), before.end(), y.begin());
        }
        for (std::size_t e = 0; e < index.size(); ++e) {
            if (index[e] < 0 || static_cast<std::uint64_t>(index[e]) >= t.length) {
                throw UserError{"index_elements: index {} is {}, on an axis of {}", e, index[e], t.length};
            }
            const std::size_t o = e / t.inner / t.m;
            const std::size_t at = o / t.outer1 * t.x_outer0 + o % t.outer1 * t.x_outer1 +
                                   static_cast<std::size_t>(index[e]) * t.x_inner + e % t.inner;
            if (gather) {
                y[e] = x[at];
            } else {
                y[at] = (t.add != 0 ? y[at] : 0.0) + static_cast<double>(x[e]);
            }
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::IndexElementsHost host;
    return &host;
}
#endif
