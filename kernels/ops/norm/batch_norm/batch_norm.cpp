// SPDX-License-Identifier: Apache-2.0
// Batch normalisation while training: y = (x - mean_c) / deviation_c gamma_c + beta_c, mean and deviation of
// a channel over all images. Each core sums whole planes (n, c) and adds to the channel's sums in global
// memory; when all have, each normalises the planes it summed, last one first, which it has read most lately.
#include "kernels/shared/row_kernel.h"

struct ChannelNormTiling {
    uint64_t planes;
    uint64_t share;  // of a core
    uint32_t channels;
    uint32_t size;   // elements of a plane
    uint32_t chunk;  // of them at a time, a multiple of 64
    uint32_t buffers;
    float part;  // 1 / elements of a channel
    float epsilon;
};

template <typename T>
class ChannelNorm {
public:
    using Floats = AscendC::LocalTensor<float>;

    __aicore__ inline ChannelNorm(
        GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, GM_ADDR sums, const ChannelNormTiling& tiling)
        : t(tiling) {
        xGm.SetGlobalBuffer((__gm__ T*)x);
        yGm.SetGlobalBuffer((__gm__ T*)y);
        gammaGm.SetGlobalBuffer((__gm__ float*)gamma);
        betaGm.SetGlobalBuffer((__gm__ float*)beta);
        sumsGm.SetGlobalBuffer((__gm__ float*)sums);
        wide_channels = (t.channels + 63) / 64 * 64;
        pipe.InitBuffer(in, t.buffers, t.chunk * sizeof(T));
        pipe.InitBuffer(out, t.buffers, t.chunk * sizeof(T));
        pipe.InitBuffer(wide, 2 * t.chunk * sizeof(float));
        pipe.InitBuffer(fold, FoldPitch(t.chunk) * sizeof(float));
        pipe.InitBuffer(total, 2, 64);
        pipe.InitBuffer(each, 5 * wide_channels * sizeof(float));
        first = t.share * AscendC::GetBlockIdx();
        end = first + t.share < t.planes ? first + t.share : t.planes;
    }

    __aicore__ inline void Process() {
        for (uint64_t plane = first; plane < end; ++plane) {
            Sum(plane);
        }
        AscendC::SyncAll();
        if (first < end) {
            Factors();
        }
        for (uint64_t plane = end; plane > first; --plane) {
            Normalise(plane - 1);
        }
    }

private:
    __aicore__ inline static void Then() { AscendC::PipeBarrier<PIPE_V>(); }

    __aicore__ inline Floats Each(uint32_t i) { return each.template Get<float>()[i * wide_channels]; }

    __aicore__ inline Floats Load(uint64_t at, uint32_t count) {
        AscendC::LocalTensor<T> x = in.template AllocTensor<T>();
        CopyElementsIn(x, xGm[at], count);
        in.EnQue(x);
        x = in.template DeQue<T>();
        const Floats values = wide.template Get<float>();
        Then();
        Narrow(values, Widened(values, x, count), count);
        Then();
        in.FreeTensor(x);
        return values;
    }

    __aicore__ inline void Sum(uint64_t plane) {
        const Floats squares = wide.template Get<float>()[t.chunk];
        const Floats scratch = fold.template Get<float>();
        for (uint32_t at = 0; at < t.size; at += t.chunk) {
            const uint32_t count = t.size - at < t.chunk ? t.size - at : t.chunk;
            const Floats x = Load(plane * t.size + at, count);
            const Rows row{1, count, (count + 7) / 8 * 8};
            AscendC::Mul(squares, x, x, static_cast<int32_t>(count)), Then();
            Floats both = total.template AllocTensor<float>();
            ReduceRows<RowSum>(both, x, scratch, row), Then();
            ReduceRows<RowSum>(both[8], squares, scratch, row), Then();
            total.template EnQue<float>(both);
            both = total.template DeQue<float>();
            AscendC::SetAtomicAdd<float>();
            CopyElementsOut(sumsGm[plane % t.channels], both, 1);
            CopyElementsOut(sumsGm[t.channels + plane % t.channels], both[8], 1);
            AscendC::SetAtomicNone();
            total.FreeTensor(both);
        }
    }

    /// Of every channel: what x is multiplied with (0), and what is added then (1).
    __aicore__ inline void Factors() {
        const auto n = static_cast<int32_t>(t.channels);
        CopyElementsIn(Each(1), sumsGm, t.channels);
        CopyElementsIn(Each(0), sumsGm[t.channels], t.channels);
        CopyElementsIn(Each(2), gammaGm, t.channels);
        CopyElementsIn(Each(3), betaGm, t.channels);
        const AscendC::TEventID come = pipe.template FetchEventID<AscendC::HardEvent::MTE2_V>();
        AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(come);
        AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(come);
        AscendC::Muls(Each(1), Each(1), t.part, n), AscendC::Muls(Each(0), Each(0), t.part, n), Then();
        AscendC::Mul(Each(4), Each(1), Each(1), n), Then();
        AscendC::Sub(Each(0), Each(0), Each(4), n), Then();
        AscendC::Adds(Each(0), Each(0), t.epsilon, n), Then();
        AscendC::Sqrt(Each(0), Each(0), n), Then();
        AscendC::Div(Each(0), Each(2), Each(0), n), Then();
        AscendC::Mul(Each(1), Each(1), Each(0), n), Then();
        AscendC::Sub(Each(1), Each(3), Each(1), n);
        const AscendC::TEventID ready = pipe.template FetchEventID<AscendC::HardEvent::V_S>();
        AscendC::SetFlag<AscendC::HardEvent::V_S>(ready);
        AscendC::WaitFlag<AscendC::HardEvent::V_S>(ready);
    }

    __aicore__ inline void Normalise(uint64_t plane) {
        const float factor = Each(0).GetValue(plane % t.channels);
        const float shift = Each(1).GetValue(plane % t.channels);
        for (uint32_t at = 0; at < t.size; at += t.chunk) {
            const uint32_t count = t.size - at < t.chunk ? t.size - at : t.chunk;
            const Floats x = Load(plane * t.size + at, count);
            AscendC::Muls(x, x, factor, static_cast<int32_t>(count)), Then();
            AscendC::Adds(x, x, shift, static_cast<int32_t>(count)), Then();
            AscendC::LocalTensor<T> y = out.template AllocTensor<T>();
            Narrow(y, x, count);
            out.template EnQue<T>(y);
            y = out.template DeQue<T>();
            CopyElementsOut(yGm[plane * t.size + at], y, count);
            out.FreeTensor(y);
        }
    }

    ChannelNormTiling t;
    uint64_t first, end;
    uint32_t wide_channels;
    AscendC::GlobalTensor<T> xGm, yGm;
    AscendC::GlobalTensor<float> gammaGm, betaGm, sumsGm;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out, total;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wide, fold, each;
};

extern "C" __global__ __aicore__ void batch_norm_float16(
    GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, GM_ADDR sums, ChannelNormTiling tiling) {
    ChannelNorm<half>(x, gamma, beta, y, sums, tiling).Process();
}

extern "C" __global__ __aicore__ void batch_norm_bfloat16(
    GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, GM_ADDR sums, ChannelNormTiling tiling) {
    ChannelNorm<bfloat16_t>(x, gamma, beta, y, sums, tiling).Process();
}

extern "C" __global__ __aicore__ void batch_norm_float32(
    GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, GM_ADDR sums, ChannelNormTiling tiling) {
    ChannelNorm<float>(x, gamma, beta, y, sums, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"
#include "kernels/shared/float_types.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

class BatchNormHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "batch normalisation while training: each channel by its own mean and deviation";
    }

    std::vector<Knob> knobs() const override {
        return {
            Knob::shape("shape", {8, 64, 32, 32}, "images, channels, what is behind"),
            Knob::type("dtype",
                       {DataType::half, DataType::bfloat16, DataType::float32},
                       "element type; the arithmetic is in float32"),
            Knob::real("epsilon", 1e-5, 0, 1, "", "added to the variance"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
            Knob::integer("buffers", 2, 1, 2, "", "buffers of x and y; 2 overlaps copies and arithmetic"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const DataType type = checked_float_type(knobs, chip);
        const Shape& shape = knobs.shape("shape");
        if (chip.arch != "2201" || shape.size() < 3 || shape[1] > 2048) {
            throw knobs.error(
                "shape",
                "must be images, up to 2048 channels and what is behind, on a chip whose copies pad");
        }
        std::uint32_t blocks = 1;
        const ChannelNormTiling t = tile(knobs, chip, isa::bits(type) / 8, blocks);
        Plan plan;
        plan.problem = fmt::format("batch norm {} {}", text(shape), isa::name(type));
        plan.buffers = {Buffer::input("x", type, shape, fill::Normal{0.5, 1}),
                        Buffer::input("gamma", DataType::float32, {t.channels}, fill::Uniform{0.5, 1.5}),
                        Buffer::input("beta", DataType::float32, {t.channels}),
                        Buffer::output("y", type, shape),
                        Buffer::workspace("sums", std::uint64_t{8} * t.channels)};
        plan.launches = {{.entry = fmt::format("batch_norm_{}", isa::name(type)),
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {Argument::address("x"),
                                        Argument::address("gamma"),
                                        Argument::address("beta"),
                                        Argument::address("y"),
                                        Argument::address("sums"),
                                        Argument::of(t)}}};
        plan.work = {.vector_flops = 5.0 * static_cast<double>(elements(shape)),
                     .vector_type = DataType::float32,
                     .gm_bytes = 2 * plan.buffers[0].bytes()};
        plan.reference = [t](ReferenceData& data) { expect(data, t); };
        plan.tolerances = {rounded_once("y", type, 1e-4)};  // the variance is a difference of two sums
        return plan;
    }

private:
    static ChannelNormTiling tile(const Knobs& knobs,
                                  const ChipSpec& chip,
                                  std::uint64_t size,
                                  std::uint32_t& blocks) {
        constexpr std::uint64_t least_share = 4096;  // B, below which a further core costs more than it saves
        const Shape& shape = knobs.shape("shape");
        ChannelNormTiling t{.planes = shape[0] * shape[1],
                            .channels = static_cast<std::uint32_t>(shape[1]),
                            .buffers = knobs.count("buffers")};
        const std::uint64_t plane = elements(shape) / std::max<std::uint64_t>(t.planes, 1);
        t.size = static_cast<std::uint32_t>(plane);
        const std::uint64_t room = chip.buffers.ub - 2048 - 20 * round_up(shape[1], std::uint64_t{64});
        const std::uint64_t fits = room / (2 * t.buffers * size + 8 + 2) / 128 * 128;
        t.chunk = static_cast<std::uint32_t>(
            std::clamp<std::uint64_t>(round_up(plane, std::uint64_t{64}), 64, fits));
        blocks = blocks_or(knobs.count("blocks"),
                           chip,
                           t.planes,
                           ceil_div(least_share, std::max<std::uint64_t>(plane * size, 1)));
        t.share = ceil_div<std::uint64_t>(t.planes, blocks);
        t.part = static_cast<float>(1.0 / static_cast<double>(shape[0] * plane));
        t.epsilon = static_cast<float>(knobs.real("epsilon"));
        return t;
    }

    static void expect(ReferenceData& data, const ChannelNormTiling& t) {
        const std::vector<float>& x = data.floats("x");
        std::vector<double>& y = data.expected("y");
        const auto channel = [&t](std::size_t i) { return i / t.size % t.channels; };
        std::vector<double> mean(t.channels, 0.0);
        std::vector<double> variance(t.channels, 0.0);
        const double part = static_cast<double>(t.channels) / static_cast<double>(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            mean[channel(i)] += part * static_cast<double>(x[i]);
        }
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double off = static_cast<double>(x[i]) - mean[channel(i)];
            variance[channel(i)] += part * off * off;
        }
        for (std::size_t i = 0; i < x.size(); ++i) {
            const std::size_t c = channel(i);
            y[i] = (static_cast<double>(x[i]) - mean[c]) /
                       std::sqrt(variance[c] + static_cast<double>(t.epsilon)) *
                       static_cast<double>(data.floats("gamma")[c]) +
                   static_cast<double>(data.floats("beta")[c]);
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::BatchNormHost host;
    return &host;
}
#endif
