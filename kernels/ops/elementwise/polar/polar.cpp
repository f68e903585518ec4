// SPDX-License-Identifier: Apache-2.0
// y = r (cos a + i sin a), complex values as pairs of float32: real, imaginary. Follows what ops-math
// publishes of its experimental operator: tiles of 2048 elements, two in flight; cosine and sine side by
// side, both times r, then one Gather by offsets that are made once brings them into pairs. An even number of
// cores shares the elements.
#include "kernels/shared/gm_copy.h"
#include "lib/math/cos.h"
#include "lib/math/sin.h"

struct PolarTiling {
    uint64_t elements;
    uint32_t tile;     // elements
    uint32_t scratch;  // bytes that cosine and sine take
    uint32_t buffers;
};

class Polar {
public:
    __aicore__ inline Polar(GM_ADDR r, GM_ADDR a, GM_ADDR y, const PolarTiling& tiling) : t(tiling) {
        rGm.SetGlobalBuffer((__gm__ float*)r);
        aGm.SetGlobalBuffer((__gm__ float*)a);
        yGm.SetGlobalBuffer((__gm__ float*)y);
        pipe.InitBuffer(in, t.buffers, 2 * t.tile * sizeof(float));
        pipe.InitBuffer(out, t.buffers, 2 * t.tile * sizeof(float));
        pipe.InitBuffer(parts, 2 * t.tile * sizeof(float));
        pipe.InitBuffer(offsets, 2 * t.tile * sizeof(uint32_t));
        pipe.InitBuffer(scratch, t.scratch);
    }

    __aicore__ inline void Process() {
        MakeOffsets();
        const uint64_t cores = AscendC::GetBlockNum();
        const uint64_t core = AscendC::GetBlockIdx();
        const uint64_t longer = t.elements % cores;  // cores that have one more
        const uint64_t share = t.elements / cores;
        const uint64_t first = share * core + (core < longer ? core : longer);
        const uint64_t end = first + share + (core < longer ? 1 : 0);
        for (uint64_t i = first; i < end; i += t.tile) {
            Tile(i, static_cast<uint32_t>(end - i < t.tile ? end - i : t.tile));
        }
    }

private:
    // Of element j of a tile's pairs: byte 4 (j / 2) of the cosines for even j, of the sines for odd j.
    __aicore__ inline void MakeOffsets() {
        const auto all = static_cast<int32_t>(2 * t.tile);
        const auto bytes = static_cast<int32_t>(t.tile * sizeof(float));
        AscendC::LocalTensor<int32_t> to = offsets.Get<int32_t>();
        AscendC::LocalTensor<int32_t> half = parts.Get<int32_t>();
        AscendC::CreateVecIndex(to, int32_t{0}, all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::ShiftRight(half, to, int32_t{1}, all);
        AscendC::Muls(to, to, bytes, all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(half, half, 4 - 2 * bytes, all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(to, to, half, all);
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Tile(uint64_t i, uint32_t n) {
        AscendC::LocalTensor<float> operands = in.AllocTensor<float>();
        CopyElementsIn(operands, rGm[i], n);          // (n) GM -> UB
        CopyElementsIn(operands[t.tile], aGm[i], n);  // (n) GM -> UB
        in.EnQue(operands);
        operands = in.DeQue<float>();
        const AscendC::LocalTensor<float> angle = operands[t.tile];
        AscendC::LocalTensor<float> real = parts.Get<float>();
        AscendC::LocalTensor<float> imaginary = real[t.tile];
        const AscendC::LocalTensor<uint8_t> shared = scratch.Get<uint8_t>();
        AscendC::Cos<float, false>(real, angle, shared, n);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Sin<float, false>(imaginary, angle, shared, n);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(real, real, operands, n);
        AscendC::Mul(imaginary, imaginary, operands, n);
        AscendC::PipeBarrier<PIPE_V>();
        in.FreeTensor(operands);
        AscendC::LocalTensor<float> pairs = out.AllocTensor<float>();
        AscendC::Gather(pairs, real, offsets.Get<uint32_t>(), 0, 2 * n);
        AscendC::PipeBarrier<PIPE_V>();
        out.EnQue(pairs);
        pairs = out.DeQue<float>();
        CopyElementsOut(yGm[2 * i], pairs, 2 * n);  // (2 n) UB -> GM
        out.FreeTensor(pairs);
    }

    PolarTiling t;
    AscendC::GlobalTensor<float> rGm, aGm, yGm;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out;
    AscendC::TBuf<AscendC::TPosition::VECCALC> parts, offsets, scratch;
};

extern "C" __global__ __aicore__ void polar(GM_ADDR r, GM_ADDR a, GM_ADDR y, PolarTiling tiling) {
    Polar(r, a, y, tiling).Process();
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

class PolarHost : public KernelHost {
public:
    std::string_view meaning() const override { return "y = r (cos a + i sin a), as pairs of float32"; }

    std::vector<Knob> knobs() const override {
        return {
            Knob::shape("shape", {1024, 1024}, "extents of r and a"),
            Knob::integer("tile", 2048, 64, 4096, "elements", "elements of a tile, a multiple of 64"),
            Knob::integer(
                "blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting, an even number"),
            Knob::integer(
                "buffers", 2, 1, 2, "", "buffers of operands and results; 2 overlaps copies and arithmetic"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const Shape& shape = knobs.shape("shape");
        const PolarTiling t = tile(knobs, chip);
        constexpr std::uint64_t least = 2048;  // elements of a core
        std::uint32_t blocks = blocks_or(knobs.count("blocks"), chip, t.elements, least);
        if (knobs.count("blocks") == 0 && blocks > 2) {
            blocks -= blocks % 2;
        }
        Shape pairs = shape;
        pairs.push_back(2);
        Plan plan;
        plan.problem = fmt::format("polar {} float32", text(shape));
        plan.buffers = {Buffer::input("r", DataType::float32, shape),
                        Buffer::input("a", DataType::float32, shape, fill::Uniform{-4, 4}),
                        Buffer::output("y", DataType::float32, pairs)};
        plan.launches = {
            {.entry = "polar",
             .blocks = blocks,
             .cores = ascendsim::CoreUse::aiv,
             .arguments = {
                 Argument::address("r"), Argument::address("a"), Argument::address("y"), Argument::of(t)}}};
        plan.work = {.gm_bytes = 2 * plan.buffers[2].bytes()};
        plan.tolerances = {
            {.output = "y", .absolute = 2e-6}};  // sine and cosine are polynomials, exact to some 2^-20
        plan.reference = [](ReferenceData& data) {
            const std::vector<float>& r = data.floats("r");
            const std::vector<float>& a = data.floats("a");
            std::vector<double>& y = data.expected("y");
            for (std::size_t i = 0; i < r.size(); ++i) {
                y[2 * i] = static_cast<double>(r[i]) * std::cos(static_cast<double>(a[i]));
                y[2 * i + 1] = static_cast<double>(r[i]) * std::sin(static_cast<double>(a[i]));
            }
        };
        return plan;
    }

private:
    static PolarTiling tile(const Knobs& knobs, const ChipSpec& chip) {
        PolarTiling t{.tile = knobs.count("tile"), .buffers = knobs.count("buffers")};
        if (chip.arch != "2201" || t.tile % 64 != 0) {
            throw knobs.error("tile", "must be a multiple of 64, on a chip whose copies pad");
        }
        t.elements = 1;
        for (const std::uint64_t extent : knobs.shape("shape")) {
            t.elements *= extent;
        }
        t.scratch = 3 * t.tile * sizeof(float);  // with it, cosine and sine take a tile at once
        const std::uint64_t bytes = 8ULL * t.tile * (2 * t.buffers + 2) + t.scratch;
        if (bytes > chip.buffers.ub) {
            throw knobs.error("tile",
                              fmt::format("takes {} B of the unified buffer's {}", bytes, chip.buffers.ub));
        }
        return t;
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::PolarHost host;
    return &host;
}
#endif
