// SPDX-License-Identifier: Apache-2.0
// The filter of a depthwise convolution as conv2d.cpp takes it: FRACTAL_Z, (KH*KW, N1, 16, C0) with one input
// channel used of C0, to FRACTAL_Z with groups, (N1 * 16 / C0 * KH*KW, 1, 16, C0), where a channel's tap
// stands on its block's diagonal. C0 elements are 32 bytes. A core takes groups of 16 channels in turn; the
// scalar unit places element by element.
#include "kernels/shared/await.h"

struct FractalGroupsTiling {
    uint32_t groups;  // of 16 channels
    uint32_t taps;
};

template <typename T>
class FractalGroups {
public:
    static constexpr uint32_t c0 = 32 / sizeof(T);
    static constexpr uint32_t rows = 16;          // output channels of a block
    static constexpr uint32_t parts = rows / c0;  // blocks of input channels to a group

    __aicore__ inline FractalGroups(GM_ADDR w, GM_ADDR y, const FractalGroupsTiling& tiling) : t(tiling) {
        wGm.SetGlobalBuffer((__gm__ T*)w);
        yGm.SetGlobalBuffer((__gm__ T*)y);
        pipe.InitBuffer(from, 1, t.taps * rows * 32);
        pipe.InitBuffer(to, 1, parts * t.taps * rows * 32);
    }

    __aicore__ inline void Process() {
        for (uint32_t group = AscendC::GetBlockIdx(); group < t.groups; group += AscendC::GetBlockNum()) {
            Group(group);
        }
    }

private:
    __aicore__ inline void Group(uint32_t group) {
        constexpr uint32_t block = rows * c0;
        AscendC::LocalTensor<T> taps = from.template AllocTensor<T>();
        AscendC::DataCopy(
            taps,
            wGm[group * block],
            AscendC::DataCopyParams(t.taps, rows, (t.groups - 1) * rows, 0));  // (taps, 16, c0) GM -> UB
        from.EnQue(taps);
        AscendC::LocalTensor<T> spread = to.template AllocTensor<T>();
        AscendC::Duplicate(
            spread.template ReinterpretCast<int16_t>(), int16_t{0}, parts * t.taps * rows * 16);
        Await<AscendC::HardEvent::V_S>();
        taps = from.template DeQue<T>();
        Await<AscendC::HardEvent::MTE2_S>();
        for (uint32_t tap = 0; tap < t.taps; ++tap) {
            for (uint32_t n = 0; n < rows; ++n) {
                const uint32_t at = (n / c0 * t.taps + tap) * block + n * c0 + n % c0;
                spread.SetValue(at, taps.GetValue(tap * block + n * c0));
            }
        }
        Await<AscendC::HardEvent::S_MTE3>();
        from.FreeTensor(taps);
        to.EnQue(spread);
        spread = to.template DeQue<T>();
        const uint32_t all = parts * t.taps * block;
        AscendC::DataCopy(yGm[group * all], spread, all);  // (parts, taps, 16, c0) UB -> GM
        to.FreeTensor(spread);
    }

    FractalGroupsTiling t;
    AscendC::GlobalTensor<T> wGm, yGm;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> from;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> to;
};

extern "C" __global__ __aicore__ void fractal_groups_2(GM_ADDR w, GM_ADDR y, FractalGroupsTiling tiling) {
    FractalGroups<int16_t>(w, y, tiling).Process();
}

extern "C" __global__ __aicore__ void fractal_groups_4(GM_ADDR w, GM_ADDR y, FractalGroupsTiling tiling) {
    FractalGroups<int32_t>(w, y, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include <algorithm>

#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

class FractalGroupsHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "The filter of a depthwise convolution onto the diagonals of the cube's blocks, for conv2d in "
               "groups of 16";
    }

    std::vector<Knob> knobs() const override {
        return {
            Knob::integer("groups", 4, 1, 4096, "blocks", "channels by 16"),
            Knob::integer("filter", 3, 1, 15, "taps", "rows and columns of the filter"),
            Knob::type("dtype", {DataType::half, DataType::bfloat16, DataType::float32}, "element type"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const DataType type = knobs.type("dtype");
        const std::uint64_t size = isa::bits(type) / 8;
        const std::uint64_t c0 = 32 / size;
        const std::uint64_t parts = rows / c0;
        const FractalGroupsTiling t{.groups = knobs.count("groups"),
                                    .taps = knobs.count("filter") * knobs.count("filter")};
        if ((1 + parts) * t.taps * rows * 32 > chip.buffers.ub) {
            throw knobs.error("filter",
                              "is too large: a group's filter and its blocks must fit the unified buffer");
        }
        Plan plan;
        plan.problem = fmt::format(
            "filter of {} taps for {} channels in groups {}", t.taps, t.groups * rows, isa::name(type));
        plan.buffers = {Buffer::input("w", type, {t.taps, t.groups, rows, c0}),
                        Buffer::output("y", type, {t.groups, parts, t.taps, rows, c0})};
        plan.launches = {{.entry = fmt::format("fractal_groups_{}", size),
                          .blocks = blocks_or(knobs.count("blocks"), chip, t.groups, 1),
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {Argument::address("w"), Argument::address("y"), Argument::of(t)}}};
        plan.work = {.gm_bytes = plan.buffers[0].bytes() + plan.buffers[1].bytes()};
        plan.reference = [t, c0](ReferenceData& data) { spread(t, c0, data); };
        plan.tolerances = {{.output = "y"}};
        return plan;
    }

private:
    static constexpr std::uint64_t rows = 16;

    static void spread(const FractalGroupsTiling& t, std::uint64_t c0, ReferenceData& data) {
        const std::vector<float>& w = data.floats("w");
        std::vector<double>& y = data.expected("y");
        std::ranges::fill(y, 0.0);
        for (std::uint64_t channel = 0; channel < t.groups * rows; ++channel) {
            for (std::uint64_t tap = 0; tap < t.taps; ++tap) {
                const std::uint64_t n = channel % rows;
                const std::uint64_t block = ((channel / rows) * (rows / c0) + n / c0) * t.taps + tap;
                y[(block * rows + n) * c0 + n % c0] = w[(tap * t.groups * rows + channel) * c0];
            }
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::FractalGroupsHost host;
    return &host;
}
#endif
