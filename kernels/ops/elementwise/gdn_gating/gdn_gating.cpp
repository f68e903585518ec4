// SPDX-License-Identifier: Apache-2.0
// The gates of a gated delta rule: g = -exp(decay) * softplus(a + bias), beta = sigmoid(b), for rows of
// heads. decay and bias are of a head and stay in the unified buffer, once for each row that is worked on at
// a time. The schedule is the one that vllm-ascend describes (pull request 9601): a core takes whole chunks
// of rows, every buffer is there once, and each operation waits for the one before it. A chunk moves as one
// copy of bursts of a row, or row by row where chunks are few or heads are no whole blocks.
#include "kernels/shared/order.h"

using namespace AscendC;

struct GdnGatingTiling {
    uint32_t rows;
    uint32_t heads;
    uint32_t pitch;  // heads in whole blocks of 16
    uint32_t chunk;  // rows at a time
    uint32_t share;  // chunks of a core
    uint32_t bulk;   // 1: a full chunk is one copy
    float beta;      // of softplus
    float per_beta;
};

template <typename T>
class GdnGating {
public:
    __aicore__ inline GdnGating(GM_ADDR a,
                                GM_ADDR b,
                                GM_ADDR decay,
                                GM_ADDR bias,
                                GM_ADDR g,
                                GM_ADDR beta,
                                const GdnGatingTiling& tiling)
        : t(tiling) {
        aGm.SetGlobalBuffer((__gm__ T*)a);
        bGm.SetGlobalBuffer((__gm__ T*)b);
        decayGm.SetGlobalBuffer((__gm__ float*)decay);
        biasGm.SetGlobalBuffer((__gm__ float*)bias);
        gGm.SetGlobalBuffer((__gm__ float*)g);
        betaGm.SetGlobalBuffer((__gm__ T*)beta);
        const uint32_t elements = t.chunk * t.pitch;
        pipe.InitBuffer(inA, 1, elements * sizeof(T));
        pipe.InitBuffer(inB, 1, elements * sizeof(T));
        pipe.InitBuffer(outG, 1, elements * sizeof(float));
        pipe.InitBuffer(outBeta, 1, elements * sizeof(T));
        pipe.InitBuffer(inHead, 1, t.pitch * sizeof(float));
        pipe.InitBuffer(factors, elements * sizeof(float));
        pipe.InitBuffer(biases, elements * sizeof(float));
        pipe.InitBuffer(wideA, elements * sizeof(float));
        pipe.InitBuffer(wideB, elements * sizeof(float));
        pipe.InitBuffer(scratch, elements * sizeof(float));
    }

    __aicore__ inline void Process() {
        LocalTensor<float> factor = factors.Get<float>();
        LoadHead(factor, decayGm);
        Exp(factor, factor, t.heads);
        PipeBarrier<PIPE_V>();
        Muls(factor, factor, -1.0f, t.heads);
        LocalTensor<float> bias = biases.Get<float>();
        LoadHead(bias, biasGm);
        if (t.chunk > 1) {
            for (uint32_t row = 1; row < t.chunk; ++row) {
                Adds(factor[row * t.pitch], factor, 0.0f, t.heads);
                Adds(bias[row * t.pitch], bias, 0.0f, t.heads);
            }
            PipeBarrier<PIPE_V>();
        }
        const uint32_t first = GetBlockIdx() * t.share * t.chunk;
        const uint32_t end = first + t.share * t.chunk < t.rows ? first + t.share * t.chunk : t.rows;
        for (uint32_t row = first; row < end; row += t.chunk) {
            Chunk(row, end - row < t.chunk ? end - row : t.chunk);
        }
    }

private:
    // (heads) GM -> UB
    __aicore__ inline void LoadHead(const LocalTensor<float>& to, const GlobalTensor<float>& from) {
        LocalTensor<float> head = inHead.AllocTensor<float>();
        DataCopyPad(head,
                    from,
                    DataCopyExtParams(1, static_cast<uint32_t>(t.heads * sizeof(float)), 0, 0, 0),
                    DataCopyPadExtParams<float>());
        inHead.EnQue(head);
        head = inHead.DeQue<float>();
        Adds(to, head, 0.0f, t.heads);
        PipeBarrier<PIPE_V>();
        inHead.FreeTensor(head);
    }

    __aicore__ inline void Chunk(uint32_t row, uint32_t count) {
        LocalTensor<T> a = inA.AllocTensor<T>();
        LocalTensor<T> b = inB.AllocTensor<T>();
        LocalTensor<float> g = outG.AllocTensor<float>();
        LocalTensor<T> beta = outBeta.AllocTensor<T>();
        Load(a, b, row, count);
        inA.EnQue(a);
        inB.EnQue(b);
        a = inA.DeQue<T>();
        b = inB.DeQue<T>();
        Gate(g, a, count * t.pitch);
        Sigmoid(beta, b, count * t.pitch);
        inA.FreeTensor(a);
        inB.FreeTensor(b);
        outG.EnQue(g);
        outBeta.EnQue(beta);
        g = outG.DeQue<float>();
        beta = outBeta.DeQue<T>();
        Store(g, beta, row, count);
        outG.FreeTensor(g);
        outBeta.FreeTensor(beta);
    }

    // (count, heads) GM -> (count, pitch) UB
    __aicore__ inline void Load(const LocalTensor<T>& a,
                                const LocalTensor<T>& b,
                                uint32_t row,
                                uint32_t count) {
        const bool whole = t.bulk != 0 && count == t.chunk;
        const DataCopyExtParams rows(whole ? count : 1, static_cast<uint32_t>(t.heads * sizeof(T)), 0, 0, 0);
        for (uint32_t i = 0; i < count; i += rows.blockCount) {
            const uint64_t at = static_cast<uint64_t>(row + i) * t.heads;
            DataCopyPad(a[i * t.pitch], aGm[at], rows, DataCopyPadExtParams<T>());
            DataCopyPad(b[i * t.pitch], bGm[at], rows, DataCopyPadExtParams<T>());
        }
    }

    // (count, pitch) UB -> (count, heads) GM
    __aicore__ inline void Store(const LocalTensor<float>& g,
                                 const LocalTensor<T>& beta,
                                 uint32_t row,
                                 uint32_t count) {
        const bool whole = t.bulk != 0 && count == t.chunk;
        const uint16_t at_once = whole ? count : 1;
        const uint32_t gap = (t.pitch - t.heads) / 8 * (whole ? 1 : 0);  // blocks behind a row of floats
        for (uint32_t i = 0; i < count; i += at_once) {
            const uint64_t at = static_cast<uint64_t>(row + i) * t.heads;
            DataCopyPad(
                gGm[at],
                g[i * t.pitch],
                DataCopyExtParams(at_once, static_cast<uint32_t>(t.heads * sizeof(float)), gap, 0, 0));
            DataCopyPad(betaGm[at],
                        beta[i * t.pitch],
                        DataCopyExtParams(at_once, static_cast<uint32_t>(t.heads * sizeof(T)), 0, 0, 0));
        }
    }

    // softplus(x) = max(x, 0) + ln(1 + exp(-|beta x|)) / beta
    __aicore__ inline void Gate(const LocalTensor<float>& g, const LocalTensor<T>& a, uint32_t n) {
        LocalTensor<float> x = wideA.Get<float>();
        LocalTensor<float> rest = scratch.Get<float>();
        Cast(x, a, RoundMode::CAST_NONE, n);
        PipeBarrier<PIPE_V>();
        Add(x, x, biases.Get<float>(), n);
        PipeBarrier<PIPE_V>();
        Muls(rest, x, t.beta, n);
        PipeBarrier<PIPE_V>();
        Abs(rest, rest, n);
        PipeBarrier<PIPE_V>();
        Muls(rest, rest, -1.0f, n);
        PipeBarrier<PIPE_V>();
        Exp(rest, rest, n);
        PipeBarrier<PIPE_V>();
        Adds(rest, rest, 1.0f, n);
        PipeBarrier<PIPE_V>();
        Ln(rest, rest, n);
        PipeBarrier<PIPE_V>();
        Muls(rest, rest, t.per_beta, n);
        PipeBarrier<PIPE_V>();
        Maxs(x, x, 0.0f, n);
        PipeBarrier<PIPE_V>();
        Add(g, x, rest, n);
        PipeBarrier<PIPE_V>();
        Mul(g, g, factors.Get<float>(), n);
        PipeBarrier<PIPE_V>();
    }

    // 1 / (1 + exp(-x))
    __aicore__ inline void Sigmoid(const LocalTensor<T>& beta, const LocalTensor<T>& b, uint32_t n) {
        LocalTensor<float> x = wideB.Get<float>();
        LocalTensor<float> one = scratch.Get<float>();
        Cast(x, b, RoundMode::CAST_NONE, n);
        PipeBarrier<PIPE_V>();
        Muls(x, x, -1.0f, n);
        PipeBarrier<PIPE_V>();
        Exp(x, x, n);
        PipeBarrier<PIPE_V>();
        Duplicate(one, 1.0f, n);
        PipeBarrier<PIPE_V>();
        Add(x, x, one, n);
        PipeBarrier<PIPE_V>();
        Div(x, one, x, n);
        PipeBarrier<PIPE_V>();
        Cast(beta, x, RoundMode::CAST_RINT, n);
        PipeBarrier<PIPE_V>();
    }

    GdnGatingTiling t;
    GlobalTensor<T> aGm, bGm, betaGm;
    GlobalTensor<float> decayGm, biasGm, gGm;
    TPipe pipe;
    TQue<TPosition::VECIN, 1> inA, inB, inHead;
    TQue<TPosition::VECOUT, 1> outG, outBeta;
    TBuf<TPosition::VECCALC> factors, biases, wideA, wideB, scratch;
};

extern "C" __global__ __aicore__ void gdn_gating_float16(
    GM_ADDR a, GM_ADDR b, GM_ADDR decay, GM_ADDR bias, GM_ADDR g, GM_ADDR beta, GdnGatingTiling tiling) {
    GdnGating<half>(a, b, decay, bias, g, beta, tiling).Process();
}

extern "C" __global__ __aicore__ void gdn_gating_bfloat16(
    GM_ADDR a, GM_ADDR b, GM_ADDR decay, GM_ADDR bias, GM_ADDR g, GM_ADDR beta, GdnGatingTiling tiling) {
    GdnGating<bfloat16_t>(a, b, decay, bias, g, beta, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"
#include "kernels/shared/float_types.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

class GdnGatingHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "g = -exp(decay) * softplus(a + bias), beta = sigmoid(b), of heads";
    }

    std::vector<Knob> knobs() const override {
        return {
            Knob::shape("shape", {1024, 32}, "extents of a, b, g and beta: rows, heads"),
            Knob::type("dtype", {DataType::half, DataType::bfloat16}, "element type of a, b and beta"),
            Knob::real("softplus_beta", 1, 1e-3, 1e3, "", "ln(1 + exp(beta x)) / beta"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: all, or one for each row"),
            Knob::integer("chunk", 0, 0, 4096, "rows", "rows at a time; 0: what the published tiling takes"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const Shape& shape = knobs.shape("shape");
        const DataType type = checked_float_type(knobs, chip);
        constexpr std::uint64_t most_heads = 1024;
        if (chip.arch != "2201" || shape.size() != 2 || shape[1] == 0 || shape[1] > most_heads) {
            throw knobs.error("shape", "must be rows and 1 to 1024 heads, on a chip whose copies pad");
        }
        std::uint32_t blocks = 1;
        const GdnGatingTiling t = tile(knobs, chip, blocks);
        Plan plan;
        plan.chosen = {{"chunk", t.chunk}};
        plan.problem = fmt::format("gates of {} rows of {} heads, {}", shape[0], shape[1], isa::name(type));
        plan.buffers = {Buffer::input("a", type, shape, fill::Normal{0, 2}),
                        Buffer::input("b", type, shape, fill::Normal{0, 2}),
                        Buffer::input("decay", DataType::float32, {shape[1]}),
                        Buffer::input("bias", DataType::float32, {shape[1]}),
                        Buffer::output("g", DataType::float32, shape),
                        Buffer::output("beta", type, shape)};
        plan.launches = {{.entry = fmt::format("gdn_gating_{}", isa::name(type)),
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {Argument::address("a"),
                                        Argument::address("b"),
                                        Argument::address("decay"),
                                        Argument::address("bias"),
                                        Argument::address("g"),
                                        Argument::address("beta"),
                                        Argument::of(t)}}};
        constexpr double operations = 16;  // of an element, as the formulas count them
        plan.work = {.vector_flops = operations * static_cast<double>(shape[0] * shape[1]),
                     .vector_type = DataType::float32,
                     .gm_bytes = least_traffic(plan.buffers)};
        plan.reference = [beta = double{t.beta}, heads = shape[1]](ReferenceData& data) {
            compute(data, beta, heads);
        };
        plan.tolerances = {{.output = "g", .absolute = 2e-6, .relative = 4e-6},
                           rounded_once("beta", type, 1e-6)};
        return plan;
    }

private:
    static void compute(ReferenceData& data, double beta, std::uint64_t heads) {
        const std::vector<float>& a = data.floats("a");
        const std::vector<float>& b = data.floats("b");
        const std::vector<float>& decay = data.floats("decay");
        const std::vector<float>& bias = data.floats("bias");
        std::vector<double>& g = data.expected("g");
        std::vector<double>& gate = data.expected("beta");
        for (std::size_t i = 0; i < g.size(); ++i) {
            const double x = double{a[i]} + double{bias[i % heads]};
            const double softplus = std::max(x, 0.0) + std::log1p(std::exp(-std::abs(beta * x))) / beta;
            g[i] = -std::exp(double{decay[i % heads]}) * softplus;
            gate[i] = 1 / (1 + std::exp(-double{b[i]}));
        }
    }

    /// The rule of the published kernel: as many rows as fit, a power of two up to 128; fewer where the cores
    /// would not all have a chunk.
    static GdnGatingTiling tile(const Knobs& knobs, const ChipSpec& chip, std::uint32_t& blocks) {
        constexpr std::uint64_t most_rows = 128;
        // Of an element: three of the inputs' type, six floats, two floats that are of the head alone.
        constexpr std::uint64_t bytes_of_element = 3 * 2 + 6 * 4 + 2 * 4;
        constexpr std::uint64_t lanes = 64;  // floats of a repetition: a chunk in bulk has whole ones
        constexpr std::uint64_t block = 16;  // halves in 32 B
        const Shape& shape = knobs.shape("shape");
        const std::uint64_t rows = std::max<std::uint64_t>(shape[0], 1);
        const std::uint64_t pitch = round_up(shape[1], block);
        blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(
            knobs.count("blocks") != 0 ? knobs.count("blocks") : vector_cores(chip), rows));
        const std::uint64_t fit = (chip.buffers.ub - 4 * pitch * sizeof(float)) / (bytes_of_element * pitch);
        std::uint64_t chunk = std::min(std::bit_floor(std::max<std::uint64_t>(fit, 1)), most_rows);
        if (knobs.count("chunk") != 0) {
            chunk = std::min<std::uint64_t>(knobs.count("chunk"), std::max<std::uint64_t>(fit, 1));
        } else if (rows <= chunk || ceil_div(rows, chunk) < blocks) {
            chunk = std::min(chunk, std::bit_floor(std::max<std::uint64_t>(rows / blocks, 1)));
        }
        const bool whole = chunk * shape[1] % lanes == 0 && shape[1] % block == 0;
        const auto beta = static_cast<float>(knobs.real("softplus_beta"));
        return {.rows = static_cast<std::uint32_t>(shape[0]),
                .heads = static_cast<std::uint32_t>(shape[1]),
                .pitch = static_cast<std::uint32_t>(pitch),
                .chunk = static_cast<std::uint32_t>(chunk),
                .share = static_cast<std::uint32_t>(ceil_div(ceil_div(rows, chunk), std::uint64_t{blocks})),
                .bulk = whole && rows > blocks * chunk ? 1U : 0U,
                .beta = beta,
                .per_beta = 1 / beta};
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::GdnGatingHost host;
    return &host;
}
#endif
