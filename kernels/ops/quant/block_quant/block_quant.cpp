// SPDX-License-Identifier: Apache-2.0
// Quantisation in blocks: every `block` neighbours of a row share a scale, the largest magnitude among them /
// 127. y = round(x / scale) in int8, scale in float32. Written over the high-level API: ReduceMax, Broadcast.
#include "kernel_operator.h"

using namespace AscendC;

struct BlockQuantTiling {
    uint64_t blocks;   // of elements, all rows together: they lie one behind the other
    uint64_t share;    // blocks of a core
    uint32_t block;    // elements
    uint32_t tile;     // blocks at a time, a multiple of 8
    uint32_t buffers;  // 2: copies and arithmetic overlap
};

template <typename T>
class BlockQuant {
public:
    __aicore__ inline BlockQuant(GM_ADDR x, GM_ADDR y, GM_ADDR scale, const BlockQuantTiling& tiling)
        : tiling(tiling) {
        xGm.SetGlobalBuffer((__gm__ T*)x, tiling.blocks * tiling.block);
        yGm.SetGlobalBuffer((__gm__ int8_t*)y, tiling.blocks * tiling.block);
        scaleGm.SetGlobalBuffer((__gm__ float*)scale, tiling.blocks);
        const uint32_t elements = tiling.tile * tiling.block;
        pipe.InitBuffer(inX, tiling.buffers, elements * sizeof(T));
        pipe.InitBuffer(outY, tiling.buffers, elements);
        pipe.InitBuffer(outScale, tiling.buffers, tiling.tile * sizeof(float));
        pipe.InitBuffer(wide, elements * sizeof(float));
        pipe.InitBuffer(factors, elements * sizeof(float));
        pipe.InitBuffer(inverse, tiling.tile * sizeof(float));
        pipe.InitBuffer(space, spaceBytes);
    }

    __aicore__ inline void Process() {
        const uint64_t first = tiling.share * GetBlockIdx();
        const uint64_t last = first + tiling.share < tiling.blocks ? first + tiling.share : tiling.blocks;
        for (uint64_t at = first; at < last; at += tiling.tile) {
            const auto rows = static_cast<uint32_t>(last - at < tiling.tile ? last - at : tiling.tile);
            LocalTensor<T> x = inX.template AllocTensor<T>();
            DataCopy(x, xGm[at * tiling.block], rows * tiling.block);  // (rows, block) GM -> UB
            inX.EnQue(x);
            Compute(rows);
            const LocalTensor<int8_t> y = outY.template DeQue<int8_t>();
            DataCopy(yGm[at * tiling.block], y, rows * tiling.block);
            outY.FreeTensor(y);
            const LocalTensor<float> scale = outScale.template DeQue<float>();
            DataCopyPad(scaleGm[at], scale, {1, static_cast<uint32_t>(rows * sizeof(float)), 0, 0, 0});
            outScale.FreeTensor(scale);
        }
    }

    static constexpr uint32_t spaceBytes = 24 * 1024;

private:
    __aicore__ inline void Compute(uint32_t rows) {
        const uint32_t count = rows * tiling.block;
        const LocalTensor<float> v = wide.template Get<float>();
        const LocalTensor<float> f = factors.template Get<float>();
        const LocalTensor<float> r = inverse.template Get<float>();
        const LocalTensor<uint8_t> tmp = space.template Get<uint8_t>();
        LocalTensor<T> x = inX.template DeQue<T>();
        if constexpr (std::is_same_v<T, float>) {
            Muls(v, x, 1.0f, count);
        } else {
            Cast(v, x, RoundMode::CAST_NONE, count);
        }
        inX.FreeTensor(x);
        PipeBarrier<PIPE_V>();
        Abs(f, v, count);
        PipeBarrier<PIPE_V>();
        LocalTensor<float> scale = outScale.template AllocTensor<float>();
        const uint32_t shape[2]{rows, tiling.block};
        const uint32_t column[2]{rows, 1};
        ReduceMax<float, Pattern::Reduce::AR>(scale, f, tmp, shape, true);
        Maxs(scale, scale, 1e-30f, rows);  // a block of zeros stays one
        PipeBarrier<PIPE_V>();
        Muls(scale, scale, 1.0f / 127.0f, rows);
        PipeBarrier<PIPE_V>();
        Reciprocal(r, scale, rows);
        PipeBarrier<PIPE_V>();
        outScale.EnQue(scale);
        Broadcast<float, 2, 1>(f, r, shape, column, tmp);
        Mul(v, v, f, count);
        PipeBarrier<PIPE_V>();
        // Whole numbers first: a half cannot tell 126.49 from 126.5.
        Cast(v, v, RoundMode::CAST_RINT, count);
        PipeBarrier<PIPE_V>();
        const LocalTensor<half> narrow = f.template ReinterpretCast<half>();
        Cast(narrow, v, RoundMode::CAST_NONE, count);
        PipeBarrier<PIPE_V>();
        LocalTensor<int8_t> y = outY.template AllocTensor<int8_t>();
        Cast(y, narrow, RoundMode::CAST_NONE, count);
        outY.EnQue(y);
    }

    BlockQuantTiling tiling;
    GlobalTensor<T> xGm;          // (blocks, block)
    GlobalTensor<int8_t> yGm;     // (blocks, block)
    GlobalTensor<float> scaleGm;  // (blocks)
    TPipe pipe;
    TQue<TPosition::VECIN, 1> inX;        // (tile, block)
    TQue<TPosition::VECOUT, 1> outY;      // (tile, block)
    TQue<TPosition::VECOUT, 1> outScale;  // (tile)
    TBuf<TPosition::VECCALC> wide;        // (tile, block)
    TBuf<TPosition::VECCALC> factors;     // (tile, block)
    TBuf<TPosition::VECCALC> inverse;     // (tile)
    TBuf<TPosition::VECCALC> space;
};

extern "C" __global__ __aicore__ void block_quant_float16(GM_ADDR x,
                                                          GM_ADDR y,
                                                          GM_ADDR scale,
                                                          BlockQuantTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    BlockQuant<half>(x, y, scale, tiling).Process();
}

extern "C" __global__ __aicore__ void block_quant_bfloat16(GM_ADDR x,
                                                           GM_ADDR y,
                                                           GM_ADDR scale,
                                                           BlockQuantTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    BlockQuant<bfloat16_t>(x, y, scale, tiling).Process();
}

extern "C" __global__ __aicore__ void block_quant_float32(GM_ADDR x,
                                                          GM_ADDR y,
                                                          GM_ADDR scale,
                                                          BlockQuantTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    BlockQuant<float>(x, y, scale, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

class BlockQuantHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "int8 of a matrix with a scale for every block of neighbours in a row";
    }

    std::vector<Knob> knobs() const override {
        return {
            Knob::integer("rows", 2048, 1, 1 << 24, "", "rows of x"),
            Knob::integer("width", 4096, 32, 1 << 20, "", "columns of x; a multiple of the block"),
            Knob::integer("block", 128, 32, 1024, "elements", "neighbours of one scale; a multiple of 32"),
            Knob::type("dtype", {DataType::half, DataType::bfloat16, DataType::float32}, "element type of x"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
            Knob::integer("tile", 0, 0, 248, "blocks", "blocks at a time, a multiple of 8; 0: what fits"),
            Knob::integer("buffers", 2, 1, 2, "", "buffers in and out; 2 overlaps copies and arithmetic"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const DataType type = knobs.type("dtype");
        const BlockQuantTiling t = tile(knobs, chip, isa::bits(type) / 8);
        const std::uint64_t rows = knobs.count("rows");
        const std::uint64_t width = knobs.count("width");
        Plan plan;
        plan.chosen = {{"tile", t.tile}};
        plan.problem =
            fmt::format("block_quant [{}, {}] {} in blocks of {}", rows, width, isa::name(type), t.block);
        plan.buffers = {Buffer::input("x", type, {rows, width}, fill::Normal{}),
                        Buffer::output("y", DataType::int8, {rows, width}),
                        Buffer::output("scale", DataType::float32, {rows, width / t.block})};
        plan.launches = {{.entry = fmt::format("block_quant_{}", isa::name(type)),
                          .blocks = static_cast<std::uint32_t>(ceil_div(t.blocks, t.share)),
                          .cores = ascendsim::CoreUse::aiv}};
        for (const Buffer& buffer : plan.buffers) {
            plan.launches[0].arguments.push_back(Argument::address(buffer.name));
            plan.work.gm_bytes += buffer.bytes();
        }
        plan.launches[0].arguments.push_back(Argument::of(t));
        plan.work.vector_flops =
            4.0 * static_cast<double>(rows * width);  // magnitude, maximum, product, rounding
        plan.work.vector_type = DataType::float32;
        plan.reference = [t](ReferenceData& data) { expect(data, t); };
        // The product with the reciprocal may fall on the other side of a half: one step of int8.
        plan.tolerances = {{.output = "y", .absolute = 1}, {.output = "scale", .relative = 1e-6}};
        return plan;
    }

private:
    static BlockQuantTiling tile(const Knobs& knobs, const ChipSpec& chip, std::uint64_t element_bytes) {
        if (chip.arch != "2201") {
            throw knobs.error("width", chip.name + " has no copies with padding, which this kernel needs");
        }
        BlockQuantTiling t{};
        t.block = knobs.count("block");
        if (t.block % 32 != 0) {
            throw knobs.error("block", "is not a multiple of 32");
        }
        if (knobs.count("width") % t.block != 0) {
            throw knobs.error("width", fmt::format("is not a multiple of the block, {}", t.block));
        }
        t.blocks = static_cast<std::uint64_t>(knobs.count("rows")) * (knobs.count("width") / t.block);
        t.buffers = knobs.count("buffers");
        const std::uint32_t cores = blocks_or(knobs.count("blocks"), chip, t.blocks, 8);
        t.share = (ceil_div<std::uint64_t>(t.blocks, cores) + 7) / 8 * 8;
        constexpr std::uint64_t space = 24 * 1024 + 1024;
        const std::uint64_t each = t.block * (t.buffers * (element_bytes + 1) + 8) + 4ULL * (t.buffers + 1);
        const std::uint64_t fits = std::min<std::uint64_t>((chip.buffers.ub - space) / each / 8 * 8, 248);
        t.tile = knobs.count("tile") == 0 ? static_cast<std::uint32_t>(std::min(fits, t.share))
                                          : knobs.count("tile");
        if (t.tile > fits || t.tile % 8 != 0 || t.tile == 0) {
            throw knobs.error("tile", fmt::format("a multiple of 8 up to {} fits", fits));
        }
        return t;
    }

    static void expect(ReferenceData& data, const BlockQuantTiling& t) {
        const std::vector<float>& x = data.floats("x");
        std::vector<double>& y = data.expected("y");
        std::vector<double>& scale = data.expected("scale");
        for (std::uint64_t b = 0; b < t.blocks; ++b) {
            double most = 1e-30;
            for (std::uint32_t i = 0; i < t.block; ++i) {
                most = std::max(most, std::abs(static_cast<double>(x[b * t.block + i])));
            }
            scale[b] = most / 127;
            for (std::uint32_t i = 0; i < t.block; ++i) {
                y[b * t.block + i] = std::nearbyint(x[b * t.block + i] / scale[b]);
            }
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::BlockQuantHost host;
    return &host;
}
#endif
