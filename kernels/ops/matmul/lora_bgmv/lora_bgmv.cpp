// SPDX-License-Identifier: Apache-2.0
// Batched gather and multiply for adapters (LoRA): every token has a matrix of its own, chosen by an index;
// tokens with a negative index are left alone. `shrink`: y[t, r] = scale sum_h x[t, h] w[index[t], r, h].
// `expand`: y[t, n] += sum_r x[t, r] w[index[t], n, r].
#include "kernel_operator.h"

using namespace AscendC;

struct LoraTiling {
    uint32_t tokens;
    uint32_t hidden;   // h or n
    uint32_t rank;     // r
    uint32_t share;    // tokens of a core
    uint32_t chunk;    // shrink: columns of w at a time; expand: rows
    uint32_t buffers;  // of w; 2 overlaps copies and arithmetic
    float scale;
};

/// What both directions share: the token's matrix, and the row that multiplies it.
class LoraBase {
protected:
    __aicore__ inline LoraBase(GM_ADDR x, GM_ADDR w, GM_ADDR index, GM_ADDR y, const LoraTiling& tiling)
        : tiling(tiling) {
        xGm.SetGlobalBuffer((__gm__ half*)x);
        wGm.SetGlobalBuffer((__gm__ half*)w);
        indexGm.SetGlobalBuffer((__gm__ int32_t*)index, tiling.tokens);
        yGm.SetGlobalBuffer((__gm__ float*)y);
    }

    template <class One>
    __aicore__ inline void EachToken(One one) {
        const uint32_t first = tiling.share * GetBlockIdx();
        for (uint32_t t = first; t < first + tiling.share && t < tiling.tokens; ++t) {
            const int32_t index = indexGm.GetValue(t);
            if (index >= 0) {
                one(t, static_cast<uint64_t>(index) * tiling.hidden * tiling.rank);
            }
        }
    }

    LoraTiling tiling;
    GlobalTensor<half> xGm;
    GlobalTensor<half> wGm;
    GlobalTensor<int32_t> indexGm;
    GlobalTensor<float> yGm;
    TPipe pipe;
};

/// Eight rows of w at a time, in chunks of columns; their sums gather in a block.
class LoraShrink : private LoraBase {
public:
    __aicore__ inline LoraShrink(GM_ADDR x, GM_ADDR w, GM_ADDR index, GM_ADDR y, const LoraTiling& tiling)
        : LoraBase(x, w, index, y, tiling) {
        pipe.InitBuffer(inX, 1, tiling.hidden * sizeof(half));
        pipe.InitBuffer(inW, tiling.buffers, 8 * tiling.chunk * sizeof(half));
        pipe.InitBuffer(outY, 1, tiling.rank * sizeof(float));
        pipe.InitBuffer(wideX, tiling.hidden * sizeof(float));
        pipe.InitBuffer(products, 8 * tiling.chunk * sizeof(float));
        pipe.InitBuffer(part, 32);
        pipe.InitBuffer(space, 8192);
    }

    __aicore__ inline void Process() {
        EachToken([this](uint32_t token, uint64_t matrix) { Token(token, matrix); });
    }

private:
    __aicore__ inline void Token(uint32_t token, uint64_t matrix) {
        LocalTensor<half> x = inX.AllocTensor<half>();
        DataCopy(x, xGm[static_cast<uint64_t>(token) * tiling.hidden], tiling.hidden);
        inX.EnQue(x);
        x = inX.DeQue<half>();
        Cast(wideX.Get<float>(), x, RoundMode::CAST_NONE, tiling.hidden);
        inX.FreeTensor(x);
        LocalTensor<float> y = outY.AllocTensor<float>();
        Duplicate(y, 0.0f, tiling.rank);
        PipeBarrier<PIPE_V>();
        for (uint32_t row = 0; row < tiling.rank; row += 8) {
            for (uint32_t column = 0; column < tiling.hidden; column += tiling.chunk) {
                Fetch(matrix + static_cast<uint64_t>(row) * tiling.hidden + column);
                Multiply(y[row], column);
            }
        }
        Muls(y, y, tiling.scale, tiling.rank);
        outY.EnQue(y);
        y = outY.DeQue<float>();
        DataCopy(yGm[static_cast<uint64_t>(token) * tiling.rank], y, tiling.rank);
        outY.FreeTensor(y);
    }

    // (8, chunk) GM -> UB
    __aicore__ inline void Fetch(uint64_t at) {
        LocalTensor<half> w = inW.AllocTensor<half>();
        const auto blocks = static_cast<uint16_t>(tiling.chunk / 16);
        const auto gap = static_cast<uint16_t>((tiling.hidden - tiling.chunk) / 16);
        DataCopy(w, wGm[at], {8, blocks, gap, 0});
        inW.EnQue(w);
    }

    __aicore__ inline void Multiply(const LocalTensor<float>& y, uint32_t column) {
        const LocalTensor<float> product = products.Get<float>();
        const LocalTensor<float> x = wideX.Get<float>();
        LocalTensor<half> w = inW.DeQue<half>();
        Cast(product, w, RoundMode::CAST_NONE, 8 * tiling.chunk);
        inW.FreeTensor(w);
        PipeBarrier<PIPE_V>();
        for (uint32_t row = 0; row < 8; ++row) {
            const LocalTensor<float> one = product[row * tiling.chunk];
            Mul(one, one, x[column], tiling.chunk);
        }
        PipeBarrier<PIPE_V>();
        const LocalTensor<float> sums = part.Get<float>();
        Sum<float>(sums, product, space.Get<uint8_t>(), {8, tiling.chunk, tiling.chunk});
        Add(y, y, sums, 8);
        PipeBarrier<PIPE_V>();
    }

    TQue<TPosition::VECIN, 1> inX;      // (hidden)
    TQue<TPosition::VECIN, 1> inW;      // (8, chunk)
    TQue<TPosition::VECOUT, 1> outY;    // (rank)
    TBuf<TPosition::VECCALC> wideX;     // (hidden)
    TBuf<TPosition::VECCALC> products;  // (8, chunk)
    TBuf<TPosition::VECCALC> part;      // (8)
    TBuf<TPosition::VECCALC> space;
};

/// `chunk` rows of w at a time: each times the token's x, then a sum per row.
class LoraExpand : private LoraBase {
public:
    __aicore__ inline LoraExpand(GM_ADDR x, GM_ADDR w, GM_ADDR index, GM_ADDR y, const LoraTiling& tiling)
        : LoraBase(x, w, index, y, tiling) {
        pipe.InitBuffer(inX, 1, tiling.rank < 16 ? 32 : tiling.rank * sizeof(half));
        pipe.InitBuffer(inW, tiling.buffers, tiling.chunk * tiling.rank * sizeof(half));
        pipe.InitBuffer(inY, tiling.buffers, tiling.chunk * sizeof(float));
        pipe.InitBuffer(outY, tiling.buffers, tiling.chunk * sizeof(float));
        pipe.InitBuffer(wideX, tiling.rank * sizeof(float));
        pipe.InitBuffer(products, tiling.chunk * tiling.rank * sizeof(float));
        pipe.InitBuffer(space, 8192);
    }

    __aicore__ inline void Process() {
        EachToken([this](uint32_t token, uint64_t matrix) { Token(token, matrix); });
    }

private:
    __aicore__ inline void Token(uint32_t token, uint64_t matrix) {
        LocalTensor<half> x = inX.AllocTensor<half>();
        DataCopyPad(x,
                    xGm[static_cast<uint64_t>(token) * tiling.rank],
                    {1, static_cast<uint32_t>(tiling.rank * sizeof(half)), 0, 0, 0},
                    DataCopyPadExtParams<half>{false, 0, 0, half(0.0f)});
        inX.EnQue(x);
        x = inX.DeQue<half>();
        Cast(wideX.Get<float>(), x, RoundMode::CAST_NONE, tiling.rank);
        inX.FreeTensor(x);
        PipeBarrier<PIPE_V>();
        for (uint32_t row = 0; row < tiling.hidden; row += tiling.chunk) {
            const uint32_t rows = tiling.hidden - row < tiling.chunk ? tiling.hidden - row : tiling.chunk;
            const uint64_t at = static_cast<uint64_t>(token) * tiling.hidden + row;
            Fetch(matrix + static_cast<uint64_t>(row) * tiling.rank, at, rows);
            Multiply(rows);
            LocalTensor<float> y = outY.DeQue<float>();
            DataCopy(yGm[at], y, rows);
            outY.FreeTensor(y);
        }
    }

    // (rows, rank) and (rows) GM -> UB
    __aicore__ inline void Fetch(uint64_t matrix, uint64_t at, uint32_t rows) {
        LocalTensor<half> w = inW.AllocTensor<half>();
        DataCopy(w, wGm[matrix], rows * tiling.rank);
        inW.EnQue(w);
        LocalTensor<float> before = inY.AllocTensor<float>();
        DataCopy(before, yGm[at], rows);
        inY.EnQue(before);
    }

    __aicore__ inline void Multiply(uint32_t rows) {
        const LocalTensor<float> product = products.Get<float>();
        LocalTensor<half> w = inW.DeQue<half>();
        Cast(product, w, RoundMode::CAST_NONE, rows * tiling.rank);
        inW.FreeTensor(w);
        PipeBarrier<PIPE_V>();
        const auto hop = static_cast<uint8_t>(tiling.rank / 8);
        Mul(product,
            product,
            wideX.Get<float>(),
            uint64_t{tiling.rank},
            static_cast<uint8_t>(rows),
            {1, 1, 1, hop, hop, 0});
        PipeBarrier<PIPE_V>();
        LocalTensor<float> y = outY.AllocTensor<float>();
        Sum<float>(y, product, space.Get<uint8_t>(), {rows, tiling.rank, tiling.rank});
        LocalTensor<float> before = inY.DeQue<float>();
        Add(y, y, before, rows);
        inY.FreeTensor(before);
        outY.EnQue(y);
    }

    TQue<TPosition::VECIN, 1> inX;      // (rank)
    TQue<TPosition::VECIN, 1> inW;      // (chunk, rank)
    TQue<TPosition::VECIN, 1> inY;      // (chunk)
    TQue<TPosition::VECOUT, 1> outY;    // (chunk)
    TBuf<TPosition::VECCALC> wideX;     // (rank)
    TBuf<TPosition::VECCALC> products;  // (chunk, rank)
    TBuf<TPosition::VECCALC> space;
};

extern "C" __global__ __aicore__ void lora_shrink(
    GM_ADDR x, GM_ADDR w, GM_ADDR index, GM_ADDR y, LoraTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    LoraShrink(x, w, index, y, tiling).Process();
}

extern "C" __global__ __aicore__ void lora_expand(
    GM_ADDR x, GM_ADDR w, GM_ADDR index, GM_ADDR y, LoraTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    LoraExpand(x, w, index, y, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include <algorithm>

#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"

namespace ascendsim::host {
namespace {

class LoraHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "adapters of a batch (LoRA): each token times the matrix that its index chooses";
    }

    std::vector<Knob> knobs() const override {
        return {
            Knob::word("direction", {"shrink", "expand"}, "hidden to rank, or rank to hidden added to y"),
            Knob::integer("tokens", 64, 1, 1 << 20, "", "rows of x and y"),
            Knob::integer("hidden", 4096, 128, 16384, "", "width of the model; a multiple of 128"),
            Knob::integer("rank", 16, 8, 64, "", "width of the adapter: 8, 16, 32 or 64"),
            Knob::integer("adapters", 4, 1, 4096, "", "matrices to choose from"),
            Knob::real("scale", 1, -1e6, 1e6, "", "of shrink"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
            Knob::integer("buffers", 2, 1, 2, "", "buffers of the matrix; 2 overlaps copies and arithmetic"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const LoraTiling t = tile(knobs, chip);
        const bool shrinks = knobs.word("direction") == "shrink";
        const std::uint64_t adapters = knobs.count("adapters");
        const std::uint64_t in = shrinks ? t.hidden : t.rank;
        const std::uint64_t out = shrinks ? t.rank : t.hidden;
        Plan plan;
        plan.problem = fmt::format("LoRA {} of {} tokens, {} x {}, {} adapters",
                                   knobs.word("direction"),
                                   t.tokens,
                                   t.hidden,
                                   t.rank,
                                   adapters);
        plan.buffers = buffers_of(t, adapters, in, out);
        plan.launches = {{.entry = shrinks ? "lora_shrink" : "lora_expand",
                          .blocks = static_cast<std::uint32_t>(ceil_div(t.tokens, t.share)),
                          .cores = ascendsim::CoreUse::aiv}};
        for (const Buffer& buffer : plan.buffers) {
            plan.launches[0].arguments.push_back(Argument::address(buffer.name));
            plan.work.gm_bytes += buffer.bytes();
        }
        plan.launches[0].arguments.push_back(Argument::of(t));
        plan.work.vector_flops = 2.0 * t.tokens * t.hidden * t.rank;
        plan.work.vector_type = isa::DataType::float32;
        plan.reference = [t, shrinks](ReferenceData& data) { expect(data, t, shrinks); };
        // Sums of up to `hidden` products of numbers below 1, in float.
        plan.tolerances = {
            {.output = "y", .absolute = 2e-6 * static_cast<double>(in) / 16, .relative = 1e-5}};
        return plan;
    }

private:
    static std::vector<Buffer> buffers_of(const LoraTiling& t,
                                          std::uint64_t adapters,
                                          std::uint64_t in,
                                          std::uint64_t out) {
        Buffer index = Buffer::input("index",
                                     isa::DataType::int32,
                                     {t.tokens},
                                     fill::Integers{-1, static_cast<std::int64_t>(adapters) - 1});
        index.control = true;
        Buffer y = Buffer::output("y", isa::DataType::float32, {t.tokens, out});
        y.role = Role::in_out;
        y.fill = fill::Uniform{};
        return {Buffer::input("x", isa::DataType::half, {t.tokens, in}),
                Buffer::input("w", isa::DataType::half, {adapters, t.rank, t.hidden}),
                index,
                y};
    }

    static LoraTiling tile(const Knobs& knobs, const ChipSpec& chip) {
        if (chip.arch != "2201") {
            throw knobs.error("rank", chip.name + " has no copies with padding, which this kernel needs");
        }
        LoraTiling t{};
        t.tokens = knobs.count("tokens");
        t.hidden = knobs.count("hidden");
        t.rank = knobs.count("rank");
        if (t.hidden % 128 != 0) {
            throw knobs.error("hidden", "is not a multiple of 128");
        }
        if (t.rank != 8 && t.rank != 16 && t.rank != 32 && t.rank != 64) {
            throw knobs.error("rank", "8, 16, 32 and 64 are taken");
        }
        const std::uint32_t blocks = blocks_or(knobs.count("blocks"), chip, t.tokens, 1);
        t.share = static_cast<std::uint32_t>(ceil_div(t.tokens, blocks));
        t.buffers = knobs.count("buffers");
        t.scale = static_cast<float>(knobs.real("scale"));
        // Shrink: the largest multiple of 128 up to 1024 that divides the width. Expand: rows of one repeat
        // each.
        t.chunk = 128;
        for (std::uint32_t chunk = 1024; chunk > 128; chunk -= 128) {
            if (t.hidden % chunk == 0) {
                t.chunk = chunk;
                break;
            }
        }
        t.chunk = knobs.word("direction") == "shrink" ? t.chunk : 128;
        return t;
    }

    static void expect(ReferenceData& data, const LoraTiling& t, bool shrinks) {
        const std::vector<float>& x = data.floats("x");
        const std::vector<float>& w = data.floats("w");
        const std::vector<float>& before = data.floats("y");
        const auto index = data.view<std::int32_t>("index");
        std::vector<double>& y = data.expected("y");
        std::copy(before.begin(), before.end(), y.begin());
        const std::uint64_t out = shrinks ? t.rank : t.hidden;
        const std::uint64_t in = shrinks ? t.hidden : t.rank;
        for (std::uint64_t token = 0; token < t.tokens; ++token) {
            if (index[token] < 0) {
                continue;
            }
            const float* matrix = &w[static_cast<std::size_t>(index[token]) * t.hidden * t.rank];
            for (std::uint64_t o = 0; o < out; ++o) {
                double sum = 0;
                for (std::uint64_t i = 0; i < in; ++i) {
                    sum += static_cast<double>(x[token * in + i]) * matrix[o * in + i];
                }
                double& result = y[token * out + o];
                result = shrinks ? sum * t.scale : result + sum;
            }
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::LoraHost host;
    return &host;
}
#endif
