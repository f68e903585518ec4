// SPDX-License-Identifier: Apache-2.0
// The gate of a mixture of experts: softmax over the experts' scores of each token, then the k largest with
// their indices, renormalised to 1 if wanted. Written over the high-level API: SoftMax, TopK, Sum, Broadcast.
#include "kernel_operator.h"
#include "kernels/shared/order.h"

using namespace AscendC;

struct TopkGatingTiling {
    uint32_t tokens;
    uint32_t experts;
    uint32_t inner;  // experts in whole groups of 32, as TopK takes them
    uint32_t k;
    uint32_t padded;   // k in whole blocks of 8
    uint32_t share;    // tokens of a core
    uint32_t tile;     // tokens at a time
    uint32_t buffers;  // 2: copies and arithmetic overlap
    uint32_t space;    // B of temporary space
    uint32_t renormalise;
};

/// Scores (tokens, experts) in, weights and indices (tokens, k) out.
class TopkGating {
public:
    __aicore__ inline TopkGating(GM_ADDR scores,
                                 GM_ADDR weights,
                                 GM_ADDR indices,
                                 const TopkGatingTiling& tiling)
        : tiling(tiling) {
        scoresGm.SetGlobalBuffer((__gm__ float*)scores,
                                 static_cast<uint64_t>(tiling.tokens) * tiling.experts);
        weightsGm.SetGlobalBuffer((__gm__ float*)weights, static_cast<uint64_t>(tiling.tokens) * tiling.k);
        indicesGm.SetGlobalBuffer((__gm__ int32_t*)indices, static_cast<uint64_t>(tiling.tokens) * tiling.k);
        pipe.InitBuffer(inScores, tiling.buffers, tiling.tile * tiling.inner * sizeof(float));
        pipe.InitBuffer(outWeights, tiling.buffers, tiling.tile * tiling.padded * sizeof(float));
        pipe.InitBuffer(outIndices, tiling.buffers, tiling.tile * tiling.padded * sizeof(int32_t));
        pipe.InitBuffer(probabilities, tiling.tile * tiling.inner * sizeof(float));
        pipe.InitBuffer(sums, (tiling.tile + 7) / 8 * 8 * sizeof(float));
        pipe.InitBuffer(spread, tiling.tile * tiling.padded * sizeof(float));
        pipe.InitBuffer(space, tiling.space);
    }

    __aicore__ inline void Process() {
        const uint32_t first = tiling.share * GetBlockIdx();
        const uint32_t last = first + tiling.share < tiling.tokens ? first + tiling.share : tiling.tokens;
        for (uint32_t token = first; token < last; token += tiling.tile) {
            const uint32_t rows = last - token < tiling.tile ? last - token : tiling.tile;
            CopyIn(token, rows);
            Compute(rows);
            CopyOut(token, rows);
        }
    }

private:
    // (rows, experts) GM -> (rows, inner) UB; the columns after the experts lose against any score
    __aicore__ inline void CopyIn(uint32_t token, uint32_t rows) {
        LocalTensor<float> x = inScores.AllocTensor<float>();
        if (tiling.inner != tiling.experts) {
            Duplicate(x, -1e30f, rows * tiling.inner);
            Order<HardEvent::V_MTE2>(pipe);
        }
        const uint32_t blocks = (tiling.experts + 7) / 8;
        const auto pad = static_cast<uint8_t>(blocks * 8 - tiling.experts);
        DataCopyPad(x,
                    scoresGm[static_cast<uint64_t>(token) * tiling.experts],
                    {static_cast<uint16_t>(rows),
                     static_cast<uint32_t>(tiling.experts * sizeof(float)),
                     0,
                     tiling.inner / 8 - blocks,
                     0},
                    DataCopyPadExtParams<float>{pad != 0, 0, pad, -1e30f});
        inScores.EnQue(x);
    }

    __aicore__ inline void Compute(uint32_t rows) {
        LocalTensor<float> x = inScores.DeQue<float>();
        LocalTensor<float> weights = outWeights.AllocTensor<float>();
        LocalTensor<int32_t> indices = outIndices.AllocTensor<int32_t>();
        const LocalTensor<float> p = probabilities.Get<float>();
        const LocalTensor<uint8_t> tmp = space.Get<uint8_t>();
        SoftMaxTiling softmax;
        softmax.srcM = rows;
        softmax.srcK = tiling.inner;
        SoftMax<float>(p, x, tmp, softmax, {rows, tiling.inner, rows, tiling.experts});
        inScores.FreeTensor(x);
        Duplicate(weights, 1.0f, rows * tiling.padded);
        PipeBarrier<PIPE_V>();
        const TopKInfo info{static_cast<int32_t>(rows),
                            static_cast<int32_t>(tiling.inner),
                            static_cast<int32_t>(tiling.experts)};
        TopK<float>(
            weights, indices, p, LocalTensor<int32_t>(), LocalTensor<bool>(), tmp, tiling.k, {}, info);
        if (tiling.renormalise != 0) {
            Renormalise(weights, rows, tmp);
        }
        outWeights.EnQue(weights);
        outIndices.EnQue(indices);
    }

    __aicore__ inline void Renormalise(const LocalTensor<float>& weights,
                                       uint32_t rows,
                                       const LocalTensor<uint8_t>& tmp) {
        const LocalTensor<float> sum = sums.Get<float>();
        const LocalTensor<float> divisors = spread.Get<float>();
        Sum<float>(sum, weights, tmp, {rows, tiling.padded, tiling.k});
        const uint32_t matrix[2]{rows, tiling.padded};
        const uint32_t column[2]{rows, 1};
        Broadcast<float, 2, 1>(divisors, sum, matrix, column, tmp);
        Div(weights, weights, divisors, rows * tiling.padded);
        PipeBarrier<PIPE_V>();
    }

    // (rows, padded) UB -> (rows, k) GM
    __aicore__ inline void CopyOut(uint32_t token, uint32_t rows) {
        const LocalTensor<float> weights = outWeights.DeQue<float>();
        const LocalTensor<int32_t> indices = outIndices.DeQue<int32_t>();
        const uint64_t at = static_cast<uint64_t>(token) * tiling.k;
        const DataCopyExtParams shape{
            static_cast<uint16_t>(rows), static_cast<uint32_t>(tiling.k * sizeof(float)), 0, 0, 0};
        DataCopyPad(weightsGm[at], weights, shape);
        DataCopyPad(indicesGm[at], indices, shape);
        outWeights.FreeTensor(weights);
        outIndices.FreeTensor(indices);
    }

    TopkGatingTiling tiling;
    GlobalTensor<float> scoresGm;     // (tokens, experts)
    GlobalTensor<float> weightsGm;    // (tokens, k)
    GlobalTensor<int32_t> indicesGm;  // (tokens, k)
    TPipe pipe;
    TQue<TPosition::VECIN, 1> inScores;      // (tile, inner)
    TQue<TPosition::VECOUT, 1> outWeights;   // (tile, padded)
    TQue<TPosition::VECOUT, 1> outIndices;   // (tile, padded)
    TBuf<TPosition::VECCALC> probabilities;  // (tile, inner)
    TBuf<TPosition::VECCALC> sums;           // (tile)
    TBuf<TPosition::VECCALC> spread;         // (tile, padded)
    TBuf<TPosition::VECCALC> space;
};

extern "C" __global__ __aicore__ void topk_gating(GM_ADDR scores,
                                                  GM_ADDR weights,
                                                  GM_ADDR indices,
                                                  TopkGatingTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    TopkGating(scores, weights, indices, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"

namespace ascendsim::host {
namespace {

class TopkGatingHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "gate of a mixture of experts: softmax over experts, then the k largest with their indices";
    }

    std::vector<Knob> knobs() const override {
        return {
            Knob::integer("tokens", 1024, 1, 1 << 24, "", "rows of the scores"),
            Knob::integer("experts", 256, 1, 4096, "", "columns of the scores"),
            Knob::integer("k", 8, 1, 64, "", "experts that a token keeps"),
            Knob::flag("renormalise", true, "divide the kept weights by their sum"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
            Knob::integer("tile", 0, 0, 64, "tokens", "tokens at a time; 0: what fits"),
            Knob::integer("buffers", 2, 1, 2, "", "buffers in and out; 2 overlaps copies and arithmetic"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        if (chip.arch != "2201") {
            throw knobs.error("experts", chip.name + " has no copies with padding, which this kernel needs");
        }
        if (knobs.count("k") > knobs.count("experts")) {
            throw knobs.error("k", "is more than there are experts");
        }
        std::uint32_t blocks = blocks_or(knobs.count("blocks"), chip, knobs.count("tokens"), 4);
        const TopkGatingTiling t = tile(knobs, chip, blocks);
        Plan plan;
        plan.chosen = {{"tile", t.tile}};
        plan.problem = fmt::format("top {} of {} experts for {} tokens", t.k, t.experts, t.tokens);
        const auto f32 = isa::DataType::float32;
        plan.buffers = {Buffer::input("scores", f32, {t.tokens, t.experts}, fill::Uniform{-4, 4}),
                        Buffer::output("weights", f32, {t.tokens, t.k}),
                        Buffer::output("indices", isa::DataType::int32, {t.tokens, t.k})};
        plan.launches = {{.entry = "topk_gating", .blocks = blocks, .cores = ascendsim::CoreUse::aiv}};
        for (const Buffer& buffer : plan.buffers) {
            plan.launches[0].arguments.push_back(Argument::address(buffer.name));
            plan.work.gm_bytes += buffer.bytes();
        }
        plan.launches[0].arguments.push_back(Argument::of(t));
        // Maximum, difference, exponential, sum and quotient of each score; sorting is counted as one
        // comparison.
        plan.work.vector_flops = 6.0 * t.tokens * t.experts;
        plan.work.vector_type = f32;
        plan.reference = [t](ReferenceData& data) { expect(data, t); };
        // A softmax over up to 4096 floats; indices are exact, since equal scores keep their order.
        plan.tolerances = {{.output = "weights", .absolute = 1e-7, .relative = 1e-5}, {.output = "indices"}};
        return plan;
    }

private:
    static TopkGatingTiling tile(const Knobs& knobs, const ChipSpec& chip, std::uint32_t blocks) {
        TopkGatingTiling t{};
        t.tokens = knobs.count("tokens");
        t.experts = knobs.count("experts");
        t.inner = (t.experts + 31) / 32 * 32;
        t.k = knobs.count("k");
        t.padded = (t.k + 7) / 8 * 8;
        t.share = static_cast<std::uint32_t>(ceil_div(t.tokens, blocks));
        t.buffers = knobs.count("buffers");
        t.renormalise = knobs.flag("renormalise") ? 1 : 0;
        // TopK keeps pairs twice and indices, SoftMax folds 64 floats and keeps some values for each row.
        t.space = 24 * t.inner + 32 * 1024;
        const std::uint64_t row = 4ULL * ((t.buffers + 1) * t.inner + (2 * t.buffers + 1) * t.padded + 8);
        const std::uint64_t room = chip.buffers.ub - t.space - 1024;
        if (room < row || t.space + 1024 > chip.buffers.ub) {
            throw knobs.error("experts", "one token does not fit into the unified buffer");
        }
        const auto fits = static_cast<std::uint32_t>(std::min<std::uint64_t>(room / row, 64));
        t.tile = knobs.count("tile") == 0 ? std::min(fits, t.share) : knobs.count("tile");
        if (t.tile > fits) {
            throw knobs.error("tile", fmt::format("{} tokens fit", fits));
        }
        return t;
    }

    static void expect(ReferenceData& data, const TopkGatingTiling& t) {
        const std::vector<float>& scores = data.floats("scores");
        std::vector<double>& weights = data.expected("weights");
        std::vector<double>& indices = data.expected("indices");
        std::vector<std::uint32_t> order(t.experts);
        for (std::uint32_t token = 0; token < t.tokens; ++token) {
            const float* row = &scores[static_cast<std::size_t>(token) * t.experts];
            std::iota(order.begin(), order.end(), 0U);
            std::ranges::stable_sort(order, [row](auto a, auto b) { return row[a] > row[b]; });
            const double most = row[order[0]];
            double all = 0;
            double kept = 0;
            for (std::uint32_t i = 0; i < t.experts; ++i) {
                const double e = std::exp(row[order[i]] - most);
                all += e;
                kept += i < t.k ? e : 0;
            }
            for (std::uint32_t i = 0; i < t.k; ++i) {
                const std::size_t at = static_cast<std::size_t>(token) * t.k + i;
                weights[at] = std::exp(row[order[i]] - most) / (t.renormalise != 0 ? kept : all);
                indices[at] = order[i];
            }
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::TopkGatingHost host;
    return &host;
}
#endif
