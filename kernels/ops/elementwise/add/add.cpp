// SPDX-License-Identifier: Apache-2.0
// z = x + y, element by element: the first kernel anybody writes, with every knob the beginner turns. Cores
// take contiguous shares; a share is worked through in tiles that fit the unified buffer.
#include "kernels/ops/elementwise/add/add_by_hand.h"
#include "kernels/ops/elementwise/add/add_share.h"

template <typename T>
class AddVector : private AddShare<T> {
public:
    __aicore__ inline AddVector(GM_ADDR x, GM_ADDR y, GM_ADDR z, const AddTiling& tiling)
        : AddShare<T>(x, y, z, tiling) {}

    __aicore__ inline void Process() {
        const uint32_t bytes = this->tiling.tile * sizeof(T);
        pipe.InitBuffer(inX, this->tiling.buffers, bytes);
        pipe.InitBuffer(beforeY, this->tiling.spacer_y);
        pipe.InitBuffer(inY, this->tiling.buffers, bytes);
        pipe.InitBuffer(beforeZ, this->tiling.spacer_z);
        pipe.InitBuffer(outZ, this->tiling.buffers, bytes);
        for (uint64_t at = 0; at < this->length; at += this->tiling.tile) {
            const uint32_t count = this->CountAt(at);
            CopyIn(at, count);
            Compute(count);
            CopyOut(at, count);
        }
    }

private:
    __aicore__ inline void CopyIn(uint64_t at, uint32_t count) {
        LocalTensor<T> x = inX.template AllocTensor<T>();
        LocalTensor<T> y = inY.template AllocTensor<T>();
        this->Fetch(x, this->xGm[at], count);  // (count) GM -> UB
        this->Fetch(y, this->yGm[at], count);  // (count) GM -> UB
        inX.EnQue(x);
        inY.EnQue(y);
    }

    __aicore__ inline void Compute(uint32_t count) {
        LocalTensor<T> x = inX.template DeQue<T>();
        LocalTensor<T> y = inY.template DeQue<T>();
        LocalTensor<T> z = outZ.template AllocTensor<T>();
        Add(z, x, y, count);  // (count)
        outZ.template EnQue<T>(z);
        inX.FreeTensor(x);
        inY.FreeTensor(y);
    }

    __aicore__ inline void CopyOut(uint64_t at, uint32_t count) {
        LocalTensor<T> z = outZ.template DeQue<T>();
        this->Store(this->zGm[at], z, count);  // (count) UB -> GM
        outZ.FreeTensor(z);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 1> inX, inY;  // (tile)
    TBuf<TPosition::VECCALC> beforeY, beforeZ;
    TQue<TPosition::VECOUT, 1> outZ;  // (tile)
};

/// The same on the scalar unit, one element after the other: what happens when a loop is ported as it stands.
template <typename T>
class AddScalar : private AddShare<T> {
public:
    __aicore__ inline AddScalar(GM_ADDR x, GM_ADDR y, GM_ADDR z, const AddTiling& tiling)
        : AddShare<T>(x, y, z, tiling) {}

    __aicore__ inline void Process() {
        const uint32_t bytes = this->tiling.tile * sizeof(T);
        pipe.InitBuffer(bufX, bytes);
        pipe.InitBuffer(bufY, bytes);
        pipe.InitBuffer(bufZ, bytes);
        for (uint64_t at = 0; at < this->length; at += this->tiling.tile) {
            Tile(at, this->CountAt(at));
        }
    }

private:
    __aicore__ inline void Tile(uint64_t at, uint32_t count) {
        LocalTensor<T> x = bufX.template Get<T>();
        LocalTensor<T> y = bufY.template Get<T>();
        LocalTensor<T> z = bufZ.template Get<T>();
        this->Fetch(x, this->xGm[at], count);  // (count) GM -> UB
        this->Fetch(y, this->yGm[at], count);  // (count) GM -> UB
        SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
        for (uint32_t i = 0; i < count; ++i) {
            z.SetValue(i, Sum(x.GetValue(i), y.GetValue(i)));
        }
        SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
        this->Store(this->zGm[at], z, count);  // (count) UB -> GM
        SetFlag<HardEvent::MTE3_S>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_S>(EVENT_ID0);
    }

    // The scalar unit computes floats in single precision.
    __aicore__ inline T Sum(T a, T b) const {
        if constexpr (std::is_same_v<T, half>) {
            return static_cast<half>(static_cast<float>(a) + static_cast<float>(b));
        } else {
            return static_cast<T>(a + b);
        }
    }

    TPipe pipe;
    TBuf<TPosition::VECCALC> bufX, bufY, bufZ;  // (tile)
};

extern "C" __global__ __aicore__ void add_float16(GM_ADDR x, GM_ADDR y, GM_ADDR z, AddTiling tiling) {
    AddVector<half>(x, y, z, tiling).Process();
}

extern "C" __global__ __aicore__ void add_float32(GM_ADDR x, GM_ADDR y, GM_ADDR z, AddTiling tiling) {
    AddVector<float>(x, y, z, tiling).Process();
}

extern "C" __global__ __aicore__ void add_int32(GM_ADDR x, GM_ADDR y, GM_ADDR z, AddTiling tiling) {
    AddVector<int32_t>(x, y, z, tiling).Process();
}

extern "C" __global__ __aicore__ void add_int16(GM_ADDR x, GM_ADDR y, GM_ADDR z, AddTiling tiling) {
    AddVector<int16_t>(x, y, z, tiling).Process();
}

extern "C" __global__ __aicore__ void add_by_hand_float16(GM_ADDR x, GM_ADDR y, GM_ADDR z, AddTiling tiling) {
    AddByHand<half, Refill::taken>(x, y, z, tiling).Process();
}

extern "C" __global__ __aicore__ void add_by_turns_float16(GM_ADDR x,
                                                           GM_ADDR y,
                                                           GM_ADDR z,
                                                           AddTiling tiling) {
    AddByHand<half, Refill::written>(x, y, z, tiling).Process();
}

extern "C" __global__ __aicore__ void add_scalar_float16(GM_ADDR x, GM_ADDR y, GM_ADDR z, AddTiling tiling) {
    AddScalar<half>(x, y, z, tiling).Process();
}

extern "C" __global__ __aicore__ void add_by_hand_float32(GM_ADDR x, GM_ADDR y, GM_ADDR z, AddTiling tiling) {
    AddByHand<float, Refill::taken>(x, y, z, tiling).Process();
}

extern "C" __global__ __aicore__ void add_by_turns_float32(GM_ADDR x,
                                                           GM_ADDR y,
                                                           GM_ADDR z,
                                                           AddTiling tiling) {
    AddByHand<float, Refill::written>(x, y, z, tiling).Process();
}

extern "C" __global__ __aicore__ void add_scalar_float32(GM_ADDR x, GM_ADDR y, GM_ADDR z, AddTiling tiling) {
    AddScalar<float>(x, y, z, tiling).Process();
}

extern "C" __global__ __aicore__ void add_by_hand_int32(GM_ADDR x, GM_ADDR y, GM_ADDR z, AddTiling tiling) {
    AddByHand<int32_t, Refill::taken>(x, y, z, tiling).Process();
}

extern "C" __global__ __aicore__ void add_by_turns_int32(GM_ADDR x, GM_ADDR y, GM_ADDR z, AddTiling tiling) {
    AddByHand<int32_t, Refill::written>(x, y, z, tiling).Process();
}

extern "C" __global__ __aicore__ void add_scalar_int32(GM_ADDR x, GM_ADDR y, GM_ADDR z, AddTiling tiling) {
    AddScalar<int32_t>(x, y, z, tiling).Process();
}

extern "C" __global__ __aicore__ void add_by_hand_int16(GM_ADDR x, GM_ADDR y, GM_ADDR z, AddTiling tiling) {
    AddByHand<int16_t, Refill::taken>(x, y, z, tiling).Process();
}

extern "C" __global__ __aicore__ void add_by_turns_int16(GM_ADDR x, GM_ADDR y, GM_ADDR z, AddTiling tiling) {
    AddByHand<int16_t, Refill::written>(x, y, z, tiling).Process();
}

extern "C" __global__ __aicore__ void add_scalar_int16(GM_ADDR x, GM_ADDR y, GM_ADDR z, AddTiling tiling) {
    AddScalar<int16_t>(x, y, z, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include <fmt/format.h>

#include "kernels/plan/element.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

constexpr std::uint64_t line_bytes = 512;  // shares and tiles start at whole lines of L2
constexpr std::uint32_t bank_offset =
    256;  // x and y half a round of bank groups apart: reads of 256 B never meet
constexpr std::uint64_t least_share_bytes =
    8192;  // of an operand; below, a further core costs more than it saves
constexpr std::uint64_t tiles_for_overlap = 4;  // of a share, so that filling and draining stay small

class Add : public KernelHost {
public:
    std::string_view meaning() const override { return "z = x + y, element by element"; }

    std::vector<Knob> knobs() const override {
        return {
            Knob::shape("shape", {8192, 8192}, "extents of x, y and z"),
            Knob::type("dtype",
                       {DataType::half, DataType::float32, DataType::int32, DataType::int16},
                       "element type"),
            Knob::word("schedule",
                       {"vector", "by_hand", "by_turns", "scalar"},
                       "who adds: the vector unit; the same, with flags set by hand instead of queues; the "
                       "same, a tile "
                       "filled again only once its sum is written; or a loop of the scalar unit"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
            Knob::integer("tile", 0, 0, 1 << 20, "elements", "elements in a buffer; 0: what fits"),
            Knob::integer("buffers", 2, 1, 2, "", "buffers of each operand; 2 overlaps copies and additions"),
            Knob::integer("copy", 0, 0, 1 << 20, "elements", "elements of one copy; 0: a whole tile"),
            Knob::flag("spread", true, "keep the vector unit's two reads out of each other's banks"),
            Knob::word("l2_bypass", {"none", "inputs", "all"}, "what goes past L2"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const Shape& shape = knobs.shape("shape");
        const DataType type = knobs.type("dtype");
        std::uint32_t blocks = 0;
        const AddTiling tiling = tile(knobs, chip, blocks);
        const std::uint64_t size = isa::bits(type) / 8;
        Plan plan;
        plan.problem = fmt::format("add {} {}, {}", text(shape), isa::name(type), knobs.word("schedule"));
        plan.buffers = {Buffer::input("x", type, shape, values(type)),
                        Buffer::input("y", type, shape, values(type)),
                        Buffer::output("z", type, shape)};
        const std::string schedule = knobs.word("schedule") == "vector" ? "" : knobs.word("schedule") + "_";
        plan.launches = {{.entry = fmt::format("add_{}{}", schedule, isa::name(type)),
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {Argument::address("x"),
                                        Argument::address("y"),
                                        Argument::address("z"),
                                        Argument::of(tiling)}}};
        plan.work = {.vector_flops = static_cast<double>(tiling.total),
                     .vector_type = type,
                     .gm_bytes = 3 * tiling.total * size};
        plan.reference = [type](ReferenceData& data) { expect(data, type); };
        plan.chosen = {{"tile", tiling.tile}, {"copy", tiling.copy}};
        plan.tolerances = {{.output = "z"}};  // one addition, rounded once: exact
        return plan;
    }

private:
    static AddTiling tile(const Knobs& knobs, const ChipSpec& chip, std::uint32_t& blocks) {
        const std::uint64_t size = isa::bits(knobs.type("dtype")) / 8;
        const std::uint64_t line = line_bytes / size;
        AddTiling tiling{};
        tiling.total = elements(knobs.shape("shape"));
        tiling.buffers = knobs.word("schedule") == "scalar" ? 1 : knobs.count("buffers");
        const std::uint64_t lines = ceil_div(tiling.total, line);
        blocks = blocks_or(knobs.count("blocks"), chip, lines, least_share_bytes / line_bytes);
        tiling.share = std::max<std::uint64_t>(ceil_div<std::uint64_t>(lines, blocks), 1) * line;
        tiling.bypass_l2 = knobs.word("l2_bypass") == "none" ? 0 : knobs.word("l2_bypass") == "all" ? 2 : 1;
        tiling.tile = tile_elements(knobs, chip, tiling, size);
        if (knobs.flag("spread")) {
            spread(chip, tiling, tiling.tile * size * tiling.buffers);
        }
        tiling.copy = knobs.count("copy") == 0 ? tiling.tile : std::min(knobs.count("copy"), tiling.tile);
        if (tiling.copy * size % 64 != 0) {
            throw knobs.error("copy", fmt::format("must be a multiple of {} elements (64 B)", 64 / size));
        }
        return tiling;
    }

    // Reads of 256 B meet unless y lies half a round of bank groups behind x; a write meets them unless z
    // lies in other banks. What does not fit stays where it is.
    static void spread(const ChipSpec& chip, AddTiling& tiling, std::uint64_t operand_bytes) {
        const std::uint64_t bank_round =
            std::uint64_t{chip.buffers.ub_bank_groups} * chip.buffers.ub_bank_bytes;
        const std::uint64_t y = round_up(operand_bytes, line_bytes) + bank_offset;
        const std::uint64_t z = round_up(y + operand_bytes, bank_round);
        if (y + 2 * operand_bytes <= chip.buffers.ub) {
            tiling.spacer_y = static_cast<std::uint32_t>(y - operand_bytes);
        }
        if (z + operand_bytes <= chip.buffers.ub) {
            tiling.spacer_z = static_cast<std::uint32_t>(z - y - operand_bytes);
        }
    }

    // The most that fits, but several tiles to a share: the first copy in and the last copy out overlap
    // nothing.
    static std::uint32_t tile_elements(const Knobs& knobs,
                                       const ChipSpec& chip,
                                       const AddTiling& tiling,
                                       std::uint64_t size) {
        const std::uint64_t room = chip.buffers.ub / (3 * tiling.buffers);
        if (const std::uint32_t wanted = knobs.count("tile"); wanted != 0) {
            if (wanted * size % 64 != 0) {
                throw knobs.error("tile", fmt::format("must be a multiple of {} elements (64 B)", 64 / size));
            }
            if (wanted * size > room) {
                throw knobs.error(
                    "tile",
                    fmt::format("3 x {} buffers of it do not fit the unified buffer of {} B; up to {}",
                                tiling.buffers,
                                chip.buffers.ub,
                                whole_steps(room, size, 64 / size)));
            }
            return wanted;
        }
        const std::uint64_t for_overlap =
            std::max(ceil_div(tiling.share * size, tiles_for_overlap), least_share_bytes);
        const std::uint64_t spread_room = room - (knobs.flag("spread") ? bank_offset : 0);
        return whole_steps(
            std::min(spread_room, round_up(for_overlap, line_bytes)), size, bank_offset / size);
    }

    static Fill values(DataType type) {
        if (type == DataType::half || type == DataType::float32) {
            return fill::Uniform{-4, 4};
        }
        return fill::Integers{-10000, 10000};
    }

    static void expect(ReferenceData& data, DataType type) {
        const std::vector<float>& x = data.floats("x");
        const std::vector<float>& y = data.floats("y");
        std::vector<double>& z = data.expected("z");
        for (std::size_t i = 0; i < z.size(); ++i) {
            const float sum = x[i] + y[i];  // exact for half; rounded as the chip does for float32
            z[i] = type == DataType::half ? half_to_float(float_to_half(sum)) : sum;
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::Add host;
    return &host;
}
#endif
