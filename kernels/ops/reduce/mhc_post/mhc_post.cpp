// SPDX-License-Identifier: Apache-2.0
// y[t, n, :] = x[t, :] * h[t, n]: a token's values to several residual streams, each by a factor of its own
// (manifold-constrained hyper-connections). A core takes a share of the tokens, several at a time: x is read
// once, the streams are written side by side. The scalar unit reads the factors.
#include "kernels/shared/gm_copy.h"

struct MhcPostTiling {
    uint64_t tokens;
    uint32_t width;  // values of a token
    uint32_t streams;
    uint32_t tile;   // tokens at a time
    uint32_t chunk;  // values of a token at a time
    uint32_t pitch;  // elements of the longest row of a buffer, in whole blocks of 32 B
    uint32_t buffers;
};

class MhcPost {
public:
    __aicore__ inline MhcPost(GM_ADDR x, GM_ADDR h, GM_ADDR y, const MhcPostTiling& tiling) : t(tiling) {
        xGm.SetGlobalBuffer((__gm__ float*)x);
        hGm.SetGlobalBuffer((__gm__ float*)h);
        yGm.SetGlobalBuffer((__gm__ float*)y);
        pipe.InitBuffer(in, t.buffers, t.tile * t.pitch * sizeof(float));
        pipe.InitBuffer(factors, t.buffers, (t.tile * t.streams + 7) / 8 * 32);
        pipe.InitBuffer(out, t.buffers, t.tile * t.streams * t.pitch * sizeof(float));
    }

    __aicore__ inline void Process() {
        const uint64_t first = t.tokens * AscendC::GetBlockIdx() / AscendC::GetBlockNum();
        const uint64_t end = t.tokens * (AscendC::GetBlockIdx() + 1) / AscendC::GetBlockNum();
        for (uint64_t i = first; i < end; i += t.tile) {
            const auto n = static_cast<uint32_t>(end - i < t.tile ? end - i : t.tile);
            for (uint32_t column = 0; column < t.width; column += t.chunk) {
                Tile(i, n, column, t.width - column < t.chunk ? t.width - column : t.chunk);
            }
        }
    }

private:
    __aicore__ inline void Tile(uint64_t token, uint32_t n, uint32_t column, uint32_t width) {
        AscendC::LocalTensor<float> x = in.AllocTensor<float>();
        const auto bytes = static_cast<uint32_t>(width * sizeof(float));
        const auto rest = static_cast<uint32_t>((t.width - width) * sizeof(float));
        AscendC::DataCopyPad(x,
                             xGm[token * t.width + column],
                             AscendC::DataCopyExtParams(n, bytes, rest, 0, 0),
                             AscendC::DataCopyPadExtParams<float>());  // (n, width) GM -> UB
        in.EnQue(x);
        AscendC::LocalTensor<float> h = factors.AllocTensor<float>();
        CopyElementsIn(h, hGm[token * t.streams], n * t.streams);  // (n, streams) GM -> UB
        factors.EnQue(h);
        h = factors.DeQue<float>();
        const AscendC::TEventID come = pipe.FetchEventID<AscendC::HardEvent::MTE2_S>();
        AscendC::SetFlag<AscendC::HardEvent::MTE2_S>(come);
        AscendC::WaitFlag<AscendC::HardEvent::MTE2_S>(come);
        x = in.DeQue<float>();
        AscendC::LocalTensor<float> y = out.AllocTensor<float>();
        const uint32_t pitch = (width + 7) / 8 * 8;  // copies leave rows in whole blocks
        for (uint32_t row = 0; row < n * t.streams; ++row) {
            AscendC::Muls(y[row * pitch], x[row / t.streams * pitch], h.GetValue(row), width);
        }
        in.FreeTensor(x);
        factors.FreeTensor(h);
        out.EnQue(y);
        y = out.DeQue<float>();
        AscendC::DataCopyPad(
            yGm[token * t.streams * t.width + column],
            y,
            AscendC::DataCopyExtParams(n * t.streams, bytes, 0, rest, 0));  // (n * streams, width) UB -> GM
        out.FreeTensor(y);
    }

    MhcPostTiling t;
    AscendC::GlobalTensor<float> xGm, hGm, yGm;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in, factors;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out;
};

extern "C" __global__ __aicore__ void mhc_post(GM_ADDR x, GM_ADDR h, GM_ADDR y, MhcPostTiling tiling) {
    MhcPost(x, h, y, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include <algorithm>

#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

class MhcPostHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "y[t, n, :] = x[t, :] * h[t, n]: values to several streams, each scaled";
    }

    std::vector<Knob> knobs() const override {
        return {
            Knob::shape("shape", {2048, 256}, "extents of x: tokens, values of a token"),
            Knob::integer("streams", 4, 1, 64, "", "streams of the result"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
            Knob::integer("buffers", 2, 1, 2, "", "buffers of x and y; 2 overlaps copies and arithmetic"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const Shape& shape = knobs.shape("shape");
        if (chip.arch != "2201" || shape.size() != 2) {
            throw knobs.error("shape", "must be tokens and values of a token, on a chip whose copies pad");
        }
        std::uint32_t blocks = 1;
        const MhcPostTiling t = tile(knobs, chip, blocks);
        Plan plan;
        plan.problem = fmt::format("{} tokens of {} to {} streams float32", shape[0], shape[1], t.streams);
        plan.buffers = {Buffer::input("x", DataType::float32, shape),
                        Buffer::input("h", DataType::float32, {shape[0], t.streams}),
                        Buffer::output("y", DataType::float32, {shape[0], t.streams, shape[1]})};
        plan.launches = {
            {.entry = "mhc_post",
             .blocks = blocks,
             .cores = ascendsim::CoreUse::aiv,
             .arguments = {
                 Argument::address("x"), Argument::address("h"), Argument::address("y"), Argument::of(t)}}};
        plan.work = {.gm_bytes = plan.buffers[0].bytes() + plan.buffers[1].bytes() + plan.buffers[2].bytes()};
        plan.tolerances = {{.output = "y", .ulp = 1}};
        plan.reference = [streams = t.streams, width = shape[1]](ReferenceData& data) {
            const std::vector<float>& x = data.floats("x");
            const std::vector<float>& h = data.floats("h");
            std::vector<double>& y = data.expected("y");
            for (std::size_t i = 0; i < y.size(); ++i) {
                y[i] = static_cast<double>(x[i / width / streams * width + i % width]) *
                       static_cast<double>(h[i / width]);
            }
        };
        return plan;
    }

private:
    /// As many tokens as fit, in at most 32 KB of results, so that copies begin early; of long ones, a part.
    static MhcPostTiling tile(const Knobs& knobs, const ChipSpec& chip, std::uint32_t& blocks) {
        constexpr std::uint64_t least_share =
            4096;  // B of results, below which a further core costs more than it saves
        constexpr std::uint64_t block = 8;  // elements in 32 B
        const Shape& shape = knobs.shape("shape");
        MhcPostTiling t{.tokens = shape[0],
                        .width = static_cast<std::uint32_t>(shape[1]),
                        .streams = knobs.count("streams"),
                        .buffers = knobs.count("buffers")};
        const std::uint64_t token = std::max<std::uint64_t>(shape[1] * t.streams * sizeof(float), 1);
        blocks = blocks_or(knobs.count("blocks"), chip, t.tokens, ceil_div(least_share, token));
        const std::uint64_t room = std::min<std::uint64_t>(
            (chip.buffers.ub - 8192) / t.buffers / 4 / (t.streams + 1), 8192 / t.streams);
        t.chunk = static_cast<std::uint32_t>(
            std::clamp<std::uint64_t>(room / block * block, block, std::max<std::uint64_t>(shape[1], 1)));
        t.pitch = static_cast<std::uint32_t>(round_up(std::uint64_t{t.chunk}, block));
        const std::uint64_t share = ceil_div<std::uint64_t>(t.tokens, blocks);
        t.tile = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
            room / t.pitch, 1, std::max<std::uint64_t>(std::min<std::uint64_t>(share, 1024 / t.streams), 1)));
        return t;
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::MhcPostHost host;
    return &host;
}
#endif
