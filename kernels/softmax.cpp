// SPDX-License-Identifier: Apache-2.0
// y = softmax(x) over the last axis. A row that fits the unified buffer is read once; a longer one is read
// twice, its maximum and sum kept up to date chunk by chunk (on-line softmax). In the operator library's
// order copies and arithmetic take turns, and each row's maximum and sum pass through the scalar unit.
#include "kernels/common/row_kernel.h"

using namespace AscendC;

/// Tiles of whole rows.
template <typename T>
class SoftmaxRows {
public:
    __aicore__ inline SoftmaxRows(GM_ADDR x, GM_ADDR y, const RowTiling& tiling)
        : tiling(tiling), share(tiling) {
        xGm.SetGlobalBuffer((__gm__ T*)x + share.first * tiling.width, share.count * tiling.width);
        yGm.SetGlobalBuffer((__gm__ T*)y + share.first * tiling.width, share.count * tiling.width);
        const uint32_t elements = tiling.tile * tiling.pitch;
        const uint32_t groups = (tiling.tile + 7) / 8 * 8;
        pipe.InitBuffer(inX, tiling.buffers, elements * sizeof(T));
        pipe.InitBuffer(outY, tiling.buffers, elements * sizeof(T));
        pipe.InitBuffer(wideX, elements * sizeof(float));
        pipe.InitBuffer(work, tiling.tile * FoldPitch(tiling.width) * sizeof(float));
        pipe.InitBuffer(value, groups * sizeof(float));
        pipe.InitBuffer(ones, groups * sizeof(float));
        pipe.InitBuffer(spread, groups * 8 * sizeof(float));
        Duplicate(ones.template Get<float>(), 1.0f, groups);
        // Values are spread in groups of 8 rows, whether there are as many or not.
        Duplicate(value.template Get<float>(), 1.0f, groups);
        if (tiling.width != tiling.pitch) {
            Duplicate(wideX.template Get<float>(), 0.0f, elements);  // also between the rows
        }
        PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Process() {
        for (uint64_t row = 0; row < share.count; row += tiling.tile) {
            const uint32_t rows = share.count - row < tiling.tile ? share.count - row : tiling.tile;
            LocalTensor<T> x = inX.template AllocTensor<T>();
            CopyRowsIn(x, xGm[row * tiling.width], rows, tiling);  // (rows, width) GM -> UB
            inX.EnQue(x);
            Compute(rows);
            LocalTensor<T> y = outY.template DeQue<T>();
            CopyRowsOut(yGm[row * tiling.width], y, rows, tiling);  // (rows, width) UB -> GM
            outY.FreeTensor(y);
            if (tiling.schedule == 2) {
                PipeBarrier<PIPE_ALL>();
            }
        }
    }

private:
    /// to[r, :] = from[r, :] - values[r], or divided by it: the value comes from the unified buffer, row by
    /// row.
    template <bool divides>
    __aicore__ inline void EachRow(const LocalTensor<float>& to,
                                   const LocalTensor<float>& from,
                                   const LocalTensor<float>& values,
                                   uint32_t rows) {
        const TEventID ready = pipe.FetchEventID<HardEvent::V_S>();
        SetFlag<HardEvent::V_S>(ready);
        WaitFlag<HardEvent::V_S>(ready);
        for (uint32_t r = 0; r < rows; ++r) {
            const uint32_t at = r * tiling.pitch;
            if constexpr (divides) {
                Muls(to[at], from[at], 1.0f / values.GetValue(r), tiling.width);
            } else {
                Adds(to[at], from[at], -values.GetValue(r), tiling.width);
            }
        }
    }

    __aicore__ inline void Compute(uint32_t rows) {
        LocalTensor<T> x = inX.template DeQue<T>();
        LocalTensor<T> y = outY.template AllocTensor<T>();
        LocalTensor<float> e = wideX.template Get<float>();      // (rows, pitch)
        LocalTensor<float> each = value.template Get<float>();   // (rows)
        LocalTensor<float> wide = spread.template Get<float>();  // (rows, 8)
        LocalTensor<float> scratch = work.template Get<float>();
        const Rows shape{rows, tiling.width, tiling.pitch};
        const uint32_t count = rows * tiling.pitch;
        const LocalTensor<float> in = Widened(e, x, count);
        ReduceRows<RowMax>(each, in, scratch, shape);
        PipeBarrier<PIPE_V>();
        if (tiling.schedule == 2) {
            EachRow<false>(e, in, each, rows);
        } else {
            SpreadRowValues(wide, each, rows);
            PipeBarrier<PIPE_V>();
            RowsWithValues<RowSub>(e, in, wide, shape);
        }
        inX.FreeTensor(x);
        PipeBarrier<PIPE_V>();
        Exp(e, e, count);
        PipeBarrier<PIPE_V>();
        ReduceRows<RowSum>(each, e, scratch, shape);
        PipeBarrier<PIPE_V>();
        if (tiling.schedule == 2) {
            EachRow<true>(e, e, each, rows);
        } else {
            Div(each, ones.template Get<float>(), each, rows);
            PipeBarrier<PIPE_V>();
            SpreadRowValues(wide, each, rows);
            PipeBarrier<PIPE_V>();
            RowsWithValues<RowMul>(e, e, wide, shape);
        }
        PipeBarrier<PIPE_V>();
        Narrow(y, e, count);
        outY.template EnQue<T>(y);
    }

    RowTiling tiling;
    RowShare share;
    GlobalTensor<T> xGm, yGm;  // (share.count, width)
    TPipe pipe;
    TQue<TPosition::VECIN, 1> inX;    // (tile, pitch)
    TQue<TPosition::VECOUT, 1> outY;  // (tile, pitch)
    TBuf<TPosition::VECCALC> wideX, work, value, ones, spread;
};

/// Rows in chunks: m is the maximum so far, s the sum of exp(x - m) so far, each filling a block of 8.
template <typename T>
class SoftmaxChunks {
public:
    __aicore__ inline SoftmaxChunks(GM_ADDR x, GM_ADDR y, const RowTiling& tiling)
        : tiling(tiling), share(tiling) {
        xGm.SetGlobalBuffer((__gm__ T*)x + share.first * tiling.width, share.count * tiling.width);
        yGm.SetGlobalBuffer((__gm__ T*)y + share.first * tiling.width, share.count * tiling.width);
        pipe.InitBuffer(inX, tiling.buffers, tiling.chunk * sizeof(T));
        pipe.InitBuffer(outY, tiling.buffers, tiling.chunk * sizeof(T));
        pipe.InitBuffer(wideX, tiling.chunk * sizeof(float));
        pipe.InitBuffer(work, FoldPitch(tiling.chunk) * sizeof(float));
        pipe.InitBuffer(state, 5 * 64 * sizeof(float));
        Duplicate(state.template Get<float>(), 1.0f, 5 * 64);  // spread in groups of 8, of which one is used
        PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Process() {
        for (uint64_t row = 0; row < share.count; ++row) {
            Start();
            for (uint32_t at = 0; at < tiling.width; at += tiling.chunk) {
                Take(row, at);
            }
            Finish();
            for (uint32_t at = 0; at < tiling.width; at += tiling.chunk) {
                Give(row, at);
            }
        }
    }

private:
    // Blocks of 8 in the state; a reduced value and what Brcb makes of it need 8 and 64 floats.
    __aicore__ inline LocalTensor<float> M() { return state.template Get<float>(); }

    __aicore__ inline LocalTensor<float> S() { return state.template Get<float>()[64]; }

    __aicore__ inline LocalTensor<float> Spread() { return state.template Get<float>()[128]; }

    __aicore__ inline LocalTensor<float> Value() { return state.template Get<float>()[192]; }

    __aicore__ inline LocalTensor<float> Factor() { return state.template Get<float>()[256]; }

    __aicore__ inline uint32_t CountAt(uint32_t at) const {
        return tiling.width - at < tiling.chunk ? tiling.width - at : tiling.chunk;
    }

    __aicore__ inline void Start() {
        constexpr float lowest = -3.0e38f;
        Duplicate(M(), lowest, 8);
        Duplicate(S(), 0.0f, 8);
        PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Fetch(uint64_t row, uint32_t at, uint32_t count) {
        LocalTensor<T> x = inX.template AllocTensor<T>();
        CopyElementsIn(x, xGm[row * tiling.width + at], count);  // (count) GM -> UB
        inX.EnQue(x);
    }

    // m' = max(m, max(x)); s = s exp(m - m') + sum(exp(x - m')); m = m'.
    __aicore__ inline void Take(uint64_t row, uint32_t at) {
        const uint32_t count = CountAt(at);
        Fetch(row, at, count);
        LocalTensor<T> x = inX.template DeQue<T>();
        LocalTensor<float> e = wideX.template Get<float>();  // (count)
        LocalTensor<float> scratch = work.template Get<float>();
        const Rows shape{1, count, tiling.chunk};
        const LocalTensor<float> in = Widened(e, x, count);
        ReduceRows<RowMax>(Value(), in, scratch, shape);
        PipeBarrier<PIPE_V>();
        SpreadRowValues(Spread(), Value(), 1);
        PipeBarrier<PIPE_V>();
        Max(Spread(), Spread(), M(), 8);
        PipeBarrier<PIPE_V>();
        Sub(Factor(), M(), Spread(), 8);
        RowsWithValues<RowSub>(e, in, Spread(), shape);
        inX.FreeTensor(x);
        PipeBarrier<PIPE_V>();
        Adds(M(), Spread(), 0.0f, 8);
        Exp(Factor(), Factor(), 8);
        Exp(e, e, count);
        PipeBarrier<PIPE_V>();
        Mul(S(), S(), Factor(), 8);
        ReduceRows<RowSum>(Value(), e, scratch, shape);
        PipeBarrier<PIPE_V>();
        SpreadRowValues(Spread(), Value(), 1);
        PipeBarrier<PIPE_V>();
        Add(S(), S(), Spread(), 8);
        PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Finish() {
        Duplicate(Factor(), 1.0f, 8);
        PipeBarrier<PIPE_V>();
        Div(S(), Factor(), S(), 8);
        PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Give(uint64_t row, uint32_t at) {
        const uint32_t count = CountAt(at);
        Fetch(row, at, count);
        LocalTensor<T> x = inX.template DeQue<T>();
        LocalTensor<T> y = outY.template AllocTensor<T>();
        LocalTensor<float> e = wideX.template Get<float>();  // (count)
        const Rows shape{1, count, tiling.chunk};
        const LocalTensor<float> in = Widened(e, x, count);
        RowsWithValues<RowSub>(e, in, M(), shape);
        inX.FreeTensor(x);
        PipeBarrier<PIPE_V>();
        Exp(e, e, count);
        PipeBarrier<PIPE_V>();
        RowsWithValues<RowMul>(e, e, S(), shape);
        PipeBarrier<PIPE_V>();
        Narrow(y, e, count);
        PipeBarrier<PIPE_V>();
        outY.template EnQue<T>(y);
        LocalTensor<T> out = outY.template DeQue<T>();
        CopyElementsOut(yGm[row * tiling.width + at], out, count);  // (count) UB -> GM
        outY.FreeTensor(out);
    }

    RowTiling tiling;
    RowShare share;
    GlobalTensor<T> xGm, yGm;  // (share.count, width)
    TPipe pipe;
    TQue<TPosition::VECIN, 1> inX;    // (chunk)
    TQue<TPosition::VECOUT, 1> outY;  // (chunk)
    TBuf<TPosition::VECCALC> wideX, work, state;
};

template <typename T>
__aicore__ inline void Softmax(GM_ADDR x, GM_ADDR y, const RowTiling& tiling) {
    if (tiling.schedule != 1) {
        SoftmaxRows<T>(x, y, tiling).Process();
    } else {
        SoftmaxChunks<T>(x, y, tiling).Process();
    }
}

extern "C" __global__ __aicore__ void softmax_float16(GM_ADDR x, GM_ADDR y, RowTiling tiling) {
    Softmax<half>(x, y, tiling);
}

extern "C" __global__ __aicore__ void softmax_bfloat16(GM_ADDR x, GM_ADDR y, RowTiling tiling) {
    Softmax<bfloat16_t>(x, y, tiling);
}

extern "C" __global__ __aicore__ void softmax_float32(GM_ADDR x, GM_ADDR y, RowTiling tiling) {
    Softmax<float>(x, y, tiling);
}

#ifdef ASCENDSIM_HOST
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/common/float_types.hpp"
#include "kernels/common/row_host.hpp"
#include "kernels/host/kernel_host.hpp"

namespace ascendsim::host {
namespace {

class SoftmaxHost : public KernelHost {
public:
    std::string_view meaning() const override { return "y = softmax(x) over the last axis"; }

    std::vector<Knob> knobs() const override {
        std::vector<Knob> knobs = row_knobs({32, 16, 512, 512});
        knobs.push_back(Knob::word(
            "schedule",
            {"auto", "rows", "online", "library"},
            "whole rows in the unified buffer, or chunks; the operator library's order of whole rows"));
        knobs.push_back(
            Knob::integer("chunk", 0, 0, 1 << 20, "elements", "of a row at a time; 0: what fits"));
        return knobs;
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const isa::DataType type = checked_float_type(knobs, chip);
        const std::uint64_t size = isa::bits(type) / 8;
        const std::uint32_t buffers = knobs.count("buffers");
        RowProblem problem = row_problem(knobs, chip, type);
        problem.local_bytes = 2 * buffers * size + 4 + 2;  // x, y, x in float, half a row to reduce in
        problem.row_bytes = 64 * 4 + 4 + 4 + 32;  // a short row to reduce in, value, one, spread value
        std::uint32_t blocks = 1;
        const RowTiling tiling = tile(chip, problem, knobs, blocks);
        Plan plan;
        plan.problem = fmt::format("softmax {} {}, {}",
                                   text(knobs.shape("shape")),
                                   isa::name(type),
                                   tiling.schedule == 1 ? "online" : "rows");
        plan.buffers = {Buffer::input("x", type, knobs.shape("shape"), fill::Normal{0, 3}),
                        Buffer::output("y", type, knobs.shape("shape"))};
        plan.launches = {
            {.entry = fmt::format("softmax_{}", isa::name(type)),
             .blocks = blocks,
             .cores = CoreUse::aiv,
             .arguments = {Argument::address("x"), Argument::address("y"), Argument::of(tiling)}}};
        const std::uint64_t total = problem.rows * problem.width;
        // Maximum, difference, exponential, sum, product.
        plan.work = {.vector_flops = 5.0 * static_cast<double>(total),
                     .vector_type = isa::DataType::float32,
                     .gm_bytes = 2 * total * size};
        plan.reference = [width = problem.width](ReferenceData& data) { expect(data, width); };
        plan.tolerances = {rounded_once("y", type, 1e-7)};
        return plan;
    }

private:
    /// As compiled schedules of SoftmaxV2 do (source not published): rows as fit beside five floats of each
    /// element, four if elements are floats, and no second buffer, as along other axes (softmax_axis.cpp).
    /// Measured are 28 cycles for 64 elements of long rows, 15 of them the vector unit's (NORM-035, -044,
    /// -050), and 154 for a row of 67 (NORM-046). Rows below a block (16 cycles for 2, NORM-045) and too long
    /// ones stay as they are.
    static void take_turns(RowTiling& tiling,
                           const ChipSpec& chip,
                           const RowProblem& problem,
                           std::uint32_t& blocks) {
        const std::uint64_t room = chip.buffers.ub / (problem.element_bytes == 4 ? 16 : 20);  // elements
        if (tiling.schedule == 1 || problem.width * problem.element_bytes < 32 || tiling.pitch > room) {
            return;
        }
        const std::uint64_t each = tiling.pitch * (2 * problem.element_bytes + 6) + problem.row_bytes;
        const std::uint64_t fits = std::min((chip.buffers.ub - 1024) / each, room / tiling.pitch);
        tiling.schedule = 2;
        tiling.buffers = 1;
        tiling.tile = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(fits, 1, 248));
        tiling.share = ceil_div<std::uint64_t>(problem.rows, blocks);
        blocks = static_cast<std::uint32_t>(ceil_div(problem.rows, tiling.share));
    }

    static RowTiling tile(const ChipSpec& chip,
                          const RowProblem& problem,
                          const Knobs& knobs,
                          std::uint32_t& blocks) {
        RowTiling tiling = row_tiling(chip, problem, knobs, blocks, knobs.word("schedule"));
        if (knobs.word("schedule") == "library") {
            take_turns(tiling, chip, problem, blocks);
        }
        const std::uint32_t wanted = knobs.count("chunk");
        if (wanted == 0) {
            return tiling;
        }
        if (wanted > tiling.chunk || wanted * problem.element_bytes % 64 != 0) {
            throw knobs.error("chunk",
                              fmt::format("must be a multiple of {} elements (64 B), up to {}",
                                          64 / problem.element_bytes,
                                          tiling.chunk));
        }
        tiling.chunk = wanted;
        return tiling;
    }

    static void expect(ReferenceData& data, std::uint64_t width) {
        const std::vector<float>& x = data.floats("x");
        std::vector<double>& y = data.expected("y");
        for (std::uint64_t row = 0; row < x.size(); row += width) {
            const double most = *std::max_element(x.begin() + static_cast<std::ptrdiff_t>(row),
                                                  x.begin() + static_cast<std::ptrdiff_t>(row + width));
            double sum = 0;
            for (std::uint64_t i = row; i < row + width; ++i) {
                y[i] = std::exp(x[i] - most);
                sum += y[i];
            }
            for (std::uint64_t i = row; i < row + width; ++i) {
                y[i] /= sum;
            }
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::SoftmaxHost host;
    return &host;
}
#endif
