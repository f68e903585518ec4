// SPDX-License-Identifier: Apache-2.0
// Small square matrices made doubly stochastic: a softmax of the rows, then columns and rows divided by their
// sums in turn (Sinkhorn and Knopp 1967; the stream mixing of hyper-connections). Matrices lie side by side
// in a vector, element by element, so that all sums are between whole vectors.
#include "kernels/shared/gm_copy.h"

struct SinkhornTiling {
    uint64_t matrices;
    uint64_t share;  // of a core
    uint32_t side;
    uint32_t tile;  // matrices in a buffer, a multiple of 8
    uint32_t steps;
    float epsilon;
};

class Sinkhorn {
public:
    using Floats = AscendC::LocalTensor<float>;

    __aicore__ inline Sinkhorn(GM_ADDR x, GM_ADDR y, const SinkhornTiling& tiling) : t(tiling) {
        xGm.SetGlobalBuffer((__gm__ float*)x);
        yGm.SetGlobalBuffer((__gm__ float*)y);
        cells = t.side * t.side;
        const uint32_t bytes = t.tile * cells * sizeof(float);
        pipe.InitBuffer(in, 1, bytes);
        pipe.InitBuffer(out, 1, bytes);
        pipe.InitBuffer(work, bytes);
        pipe.InitBuffer(apart, bytes);
        pipe.InitBuffer(together, bytes);
        pipe.InitBuffer(sums, t.tile * t.side * sizeof(float));
    }

    __aicore__ inline void Process() {
        const uint64_t first = t.share * AscendC::GetBlockIdx();
        const uint64_t end = first + t.share < t.matrices ? first + t.share : t.matrices;
        if (first >= end) {
            return;
        }
        Places();
        for (uint64_t at = first; at < end; at += t.tile) {
            Tile(at, end - at < t.tile ? end - at : t.tile);
        }
    }

private:
    __aicore__ inline static void Then() { AscendC::PipeBarrier<PIPE_V>(); }

    /// Element (i, j) of all matrices.
    __aicore__ inline Floats Cell(uint32_t i, uint32_t j) {
        return work.template Get<float>()[(i * t.side + j) * t.tile];
    }

    /// Where each element lies in bytes: k = m cells + e, and k = e tile + m the other way. Quotients of
    /// whole numbers below 2^24 are exact with half added.
    __aicore__ inline void Places() {
        const uint32_t count = t.tile * cells;
        Swap(apart.template Get<int32_t>(), t.tile, cells, count);
        Swap(together.template Get<int32_t>(), cells, t.tile, count);
    }

    /// at[k] = 4 (k % within * pitch + k / within)
    __aicore__ inline void Swap(const AscendC::LocalTensor<int32_t>& at,
                                uint32_t within,
                                uint32_t pitch,
                                uint32_t count) {
        const Floats k = work.template Get<float>();
        const Floats q = at.template ReinterpretCast<float>();
        AscendC::CreateVecIndex(at, int32_t{0}, count), Then();
        AscendC::Cast(k, at, AscendC::RoundMode::CAST_NONE, count), Then();
        AscendC::Adds(q, k, 0.5f, count), Then();
        AscendC::Muls(q, q, 1.0f / static_cast<float>(within), count), Then();
        AscendC::Cast(q, q, AscendC::RoundMode::CAST_FLOOR, count), Then();
        // (k - q within) pitch + q = k pitch + q (1 - within pitch)
        AscendC::Muls(k, k, static_cast<float>(pitch), count), Then();
        AscendC::Axpy(
            k, q, 1.0f - static_cast<float>(within) * static_cast<float>(pitch), static_cast<int32_t>(count)),
            Then();
        AscendC::Muls(k, k, 4.0f, count), Then();
        AscendC::Cast(at, k, AscendC::RoundMode::CAST_RINT, count), Then();
    }

    __aicore__ inline void Tile(uint64_t at, uint32_t n) {
        const uint32_t all = t.tile * cells;
        Floats x = in.template AllocTensor<float>();
        CopyElementsIn(x, xGm[at * cells], n * cells);
        in.EnQue(x);
        x = in.template DeQue<float>();
        Then();
        if (n < t.tile) {  // what is missing is computed on as well
            AscendC::Duplicate(
                x[(n * cells + 7) / 8 * 8], 1.0f, static_cast<int32_t>(all - (n * cells + 7) / 8 * 8)),
                Then();
        }
        AscendC::Gather(work.template Get<float>(), x, apart.template Get<uint32_t>(), 0, all);
        Then();
        in.FreeTensor(x);
        RowSoftmax();
        Columns();
        for (uint32_t step = 1; step < t.steps; ++step) {
            Rows();
            Columns();
        }
        Floats y = out.template AllocTensor<float>();
        AscendC::Gather(y, work.template Get<float>(), together.template Get<uint32_t>(), 0, all);
        out.template EnQue<float>(y);
        y = out.template DeQue<float>();
        CopyElementsOut(yGm[at * cells], y, n * cells);
        out.FreeTensor(y);
    }

    /// Sum 0 = row i: of its elements, or the largest.
    __aicore__ inline void RowTotal(uint32_t i, bool largest) {
        const Floats total = sums.template Get<float>();
        const auto n = static_cast<int32_t>(t.tile);
        for (uint32_t j = 1; j < t.side; ++j) {
            const Floats left = j == 1 ? Cell(i, 0) : total;
            if (largest) {
                AscendC::Max(total, left, Cell(i, j), n);
            } else {
                AscendC::Add(total, left, Cell(i, j), n);
            }
            Then();
        }
    }

    __aicore__ inline void RowSoftmax() {
        const Floats total = sums.template Get<float>();
        const auto n = static_cast<int32_t>(t.tile);
        const auto all = static_cast<int32_t>(t.tile * cells);
        for (uint32_t i = 0; i < t.side; ++i) {
            RowTotal(i, true);
            for (uint32_t j = 0; j < t.side; ++j) {
                AscendC::Sub(Cell(i, j), Cell(i, j), total, n);
            }
            Then();
        }
        AscendC::Exp(Cell(0, 0), Cell(0, 0), all), Then();
        for (uint32_t i = 0; i < t.side; ++i) {
            RowTotal(i, false);
            for (uint32_t j = 0; j < t.side; ++j) {
                AscendC::Div(Cell(i, j), Cell(i, j), total, n);
            }
            Then();
        }
        AscendC::Adds(Cell(0, 0), Cell(0, 0), t.epsilon, all), Then();
    }

    __aicore__ inline void Rows() {
        const Floats total = sums.template Get<float>();
        const auto n = static_cast<int32_t>(t.tile);
        for (uint32_t i = 0; i < t.side; ++i) {
            RowTotal(i, false);
            AscendC::Adds(total, total, t.epsilon, n), Then();
            for (uint32_t j = 0; j < t.side; ++j) {
                AscendC::Div(Cell(i, j), Cell(i, j), total, n);
            }
            Then();
        }
    }

    /// Rows lie behind each other, so that all columns are summed at once.
    __aicore__ inline void Columns() {
        const Floats total = sums.template Get<float>();
        const auto n = static_cast<int32_t>(t.tile * t.side);
        for (uint32_t i = 1; i < t.side; ++i) {
            AscendC::Add(total, i == 1 ? Cell(0, 0) : total, Cell(i, 0), n), Then();
        }
        AscendC::Adds(total, total, t.epsilon, n), Then();
        for (uint32_t i = 0; i < t.side; ++i) {
            AscendC::Div(Cell(i, 0), Cell(i, 0), total, n);
        }
        Then();
    }

    SinkhornTiling t;
    uint32_t cells;
    AscendC::GlobalTensor<float> xGm, yGm;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out;
    AscendC::TBuf<AscendC::TPosition::VECCALC> work, apart, together, sums;
};

extern "C" __global__ __aicore__ void sinkhorn(GM_ADDR x, GM_ADDR y, SinkhornTiling tiling) {
    Sinkhorn(x, y, tiling).Process();
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

class SinkhornHost : public KernelHost {
public:
    std::string_view meaning() const override { return "small square matrices made doubly stochastic"; }

    std::vector<Knob> knobs() const override {
        return {
            Knob::shape("shape", {4096, 4, 4}, "matrices and their two sides"),
            Knob::integer("steps", 20, 1, 100, "", "times that rows and columns are divided by their sums"),
            Knob::real("epsilon", 1e-6, 0, 1, "", "added to each sum"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const Shape& shape = knobs.shape("shape");
        if (chip.arch != "2201" || shape.size() < 2 || shape.back() != shape[shape.size() - 2] ||
            shape.back() < 2 || shape.back() > 16) {
            throw knobs.error("shape", "must be square matrices of 2 to 16 rows, on a chip whose copies pad");
        }
        SinkhornTiling t{.matrices = elements(shape) / shape.back() / shape.back(),
                         .side = static_cast<std::uint32_t>(shape.back()),
                         .steps = knobs.count("steps"),
                         .epsilon = static_cast<float>(knobs.real("epsilon"))};
        const std::uint64_t each = 4 * (5 * shape.back() * shape.back() + shape.back());
        const std::uint64_t fits = (chip.buffers.ub - 2048) / each / 8 * 8;
        const std::uint32_t blocks = blocks_or(knobs.count("blocks"), chip, t.matrices, 16);
        t.share = ceil_div<std::uint64_t>(t.matrices, blocks);
        t.tile = static_cast<std::uint32_t>(std::min(fits, round_up(t.share, std::uint64_t{8})));
        Plan plan;
        plan.problem = fmt::format("Sinkhorn {} in {} steps", text(shape), t.steps);
        plan.buffers = {Buffer::input("x", DataType::float32, shape, fill::Normal{0, 1}),
                        Buffer::output("y", DataType::float32, shape)};
        plan.launches = {{.entry = "sinkhorn",
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {Argument::address("x"), Argument::address("y"), Argument::of(t)}}};
        plan.work = {.vector_flops = 4.0 * t.steps * static_cast<double>(elements(shape)),
                     .vector_type = DataType::float32,
                     .gm_bytes = 2 * plan.buffers[0].bytes()};
        plan.reference = [t](ReferenceData& data) { expect(data, t); };
        plan.tolerances = {{.output = "y", .absolute = 1e-5, .relative = 1e-5}};
        return plan;
    }

private:
    static void expect(ReferenceData& data, const SinkhornTiling& t) {
        const std::vector<float>& x = data.floats("x");
        std::vector<double>& y = data.expected("y");
        const std::size_t n = t.side;
        for (std::size_t at = 0; at < x.size(); at += n * n) {
            const auto divide = [&](bool rows, double before, double behind) {
                for (std::size_t i = 0; i < n; ++i) {
                    double sum = before;
                    for (std::size_t j = 0; j < n; ++j) {
                        sum += y[at + (rows ? i * n + j : j * n + i)];
                    }
                    for (std::size_t j = 0; j < n; ++j) {
                        double& cell = y[at + (rows ? i * n + j : j * n + i)];
                        cell = cell / sum + behind;
                    }
                }
            };
            for (std::size_t i = 0; i < n * n; ++i) {
                y[at + i] = std::exp(static_cast<double>(x[at + i]));
            }
            const auto epsilon = static_cast<double>(t.epsilon);
            divide(true, 0, epsilon);
            divide(false, epsilon, 0);
            for (std::uint32_t step = 1; step < t.steps; ++step) {
                divide(true, epsilon, 0);
                divide(false, epsilon, 0);
            }
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::SinkhornHost host;
    return &host;
}
#endif
