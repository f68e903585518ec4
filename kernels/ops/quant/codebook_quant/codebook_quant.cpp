// SPDX-License-Identifier: Apache-2.0
// Latent vectors to 4 bits: each row is divided by its length, and each element becomes the number of the
// nearest of 16 ascending centroids, two numbers a byte. Behind them lies the length as float16, then zeros
// up to whole 64 bytes.
//
// The search is a chain of compare, select and add for each of the 15 boundaries between centroids. An
// instruction on one row is mostly its own latency; several rows in one instruction share it. The scalar unit
// takes each row's length. The steps are those of a published kernel (TurboQuantCompressLatent of ops-nn).
#include <cmath>

#include "kernel_operator.h"
#include "kernels/shared/order.h"

using namespace AscendC;

struct CodebookTiling {
    uint32_t rows;
    uint32_t width;  // elements of a row
    uint32_t slot;   // bytes of a packed row
    uint32_t batch;  // rows of an instruction
    float boundaries[15];
};

class CodebookQuant {
public:
    __aicore__ inline CodebookQuant(GM_ADDR x, GM_ADDR z, const CodebookTiling& tiling) : t_(tiling) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
        z_.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(z));
        const uint32_t elements = t_.batch * t_.width;
        pipe_.InitBuffer(in_, 1, elements * sizeof(float));
        pipe_.InitBuffer(out_, 1, t_.batch * t_.slot);
        pipe_.InitBuffer(unit_, elements * sizeof(float));
        pipe_.InitBuffer(work_, elements * sizeof(float));
        pipe_.InitBuffer(ones_, elements * sizeof(float));
        pipe_.InitBuffer(numbers_, elements * sizeof(float));
        pipe_.InitBuffer(halves_, elements * sizeof(half));
        pipe_.InitBuffer(mask_, (elements / 8 + 255) / 256 * 256);
        pipe_.InitBuffer(folds_, t_.width * sizeof(float));
        pipe_.InitBuffer(sums_, most_rows * block * sizeof(float));
    }

    __aicore__ inline void Process() {
        Duplicate(ones_.Get<float>(), 1.0F, static_cast<int32_t>(t_.batch * t_.width));
        PipeBarrier<PIPE_V>();
        const auto cores = static_cast<uint32_t>(GetBlockNum());
        const auto core = static_cast<uint32_t>(GetBlockIdx());
        const uint32_t share = (t_.rows + cores - 1) / cores;
        const uint32_t end = (core + 1) * share < t_.rows ? (core + 1) * share : t_.rows;
        for (uint32_t row = core * share; row < end; row += t_.batch) {
            Batch(row, end - row < t_.batch ? end - row : t_.batch);
        }
    }

private:
    static constexpr uint32_t block = 8;       // floats of 32 bytes
    static constexpr uint32_t most_rows = 12;  // of a batch
    static constexpr float least_square = 1e-16F;

    __aicore__ inline void Batch(uint32_t row, uint32_t rows) {
        LocalTensor<float> fetched = in_.AllocTensor<float>();
        DataCopy(fetched, x_[uint64_t{row} * t_.width], rows * t_.width);  // (rows, width) GM -> UB
        in_.EnQue(fetched);
        LocalTensor<float> x = in_.DeQue<float>();
        LocalTensor<uint8_t> slots = out_.AllocTensor<uint8_t>();
        Duplicate(slots.ReinterpretCast<int32_t>(), 0, static_cast<int32_t>(rows * t_.slot / 4));
        PipeBarrier<PIPE_V>();
        Normalise(x, rows);
        Search(rows * t_.width);
        Pack(slots, rows);
        in_.FreeTensor(x);
        out_.EnQue(slots);
        LocalTensor<uint8_t> packed = out_.DeQue<uint8_t>();
        DataCopy(z_[uint64_t{row} * t_.slot], packed, rows * t_.slot);  // (rows, slot) UB -> GM
        out_.FreeTensor(packed);
    }

    // unit = x / length of its row; the scalar unit takes the roots and keeps them.
    __aicore__ inline void Normalise(const LocalTensor<float>& x, uint32_t rows) {
        const LocalTensor<float> squares = work_.Get<float>();
        const LocalTensor<float> unit = unit_.Get<float>();
        const LocalTensor<float> sums = sums_.Get<float>();
        const auto width = static_cast<int32_t>(t_.width);
        Mul(squares, x, x, static_cast<int32_t>(rows * t_.width));
        PipeBarrier<PIPE_V>();
        for (uint32_t i = 0; i < rows; ++i) {
            ReduceSum(sums[i * block], squares[i * t_.width], folds_.Get<float>(), width);
            PipeBarrier<PIPE_V>();  // the next one folds in the same place
        }
        Order<HardEvent::V_S>(pipe_);
        for (uint32_t i = 0; i < rows; ++i) {
            lengths_[i] = sqrtf(sums.GetValue(i * block) + least_square);
            Muls(unit[i * t_.width], x[i * t_.width], 1.0F / lengths_[i], width);
        }
        PipeBarrier<PIPE_V>();
    }

    // numbers = how many boundaries each element reaches.
    __aicore__ inline void Search(uint32_t count) {
        const LocalTensor<float> unit = unit_.Get<float>();
        const LocalTensor<float> numbers = numbers_.Get<float>();
        const LocalTensor<float> above = work_.Get<float>();
        const LocalTensor<float> ones = ones_.Get<float>();
        const LocalTensor<uint8_t> mask = mask_.Get<uint8_t>();
        Duplicate(numbers, 0.0F, static_cast<int32_t>(count));
        PipeBarrier<PIPE_V>();
        for (uint32_t i = 0; i < 15; ++i) {
            CompareScalar(mask, unit, t_.boundaries[i], CMPMODE::GE, count);
            PipeBarrier<PIPE_V>();
            Select(above, mask, ones, 0.0F, SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
            PipeBarrier<PIPE_V>();
            Add(numbers, numbers, above, static_cast<int32_t>(count));
            PipeBarrier<PIPE_V>();
        }
    }

    // 0 to 15 become the signed 4 bits of the same pattern, two a byte, the first in the low half; then the
    // length.
    __aicore__ inline void Pack(const LocalTensor<uint8_t>& slots, uint32_t rows) {
        const LocalTensor<float> numbers = numbers_.Get<float>();
        const LocalTensor<float> lower = work_.Get<float>();
        const LocalTensor<float> folded = unit_.Get<float>();
        const LocalTensor<half> halves = halves_.Get<half>();
        const LocalTensor<uint8_t> mask = mask_.Get<uint8_t>();
        const uint32_t count = rows * t_.width;
        CompareScalar(mask, numbers, 8.0F, CMPMODE::LT, count);
        PipeBarrier<PIPE_V>();
        Adds(lower, numbers, -16.0F, static_cast<int32_t>(count));
        PipeBarrier<PIPE_V>();
        Select(folded, mask, numbers, lower, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
        PipeBarrier<PIPE_V>();
        Cast(halves, folded, RoundMode::CAST_RINT, count);
        PipeBarrier<PIPE_V>();
        for (uint32_t row = 0; row < rows; ++row) {
            Cast(slots[row * t_.slot].ReinterpretCast<int4b_t>(),
                 halves[row * t_.width],
                 RoundMode::CAST_RINT,
                 t_.width);
        }
        Order<HardEvent::V_S>(pipe_);
        for (uint32_t row = 0; row < rows; ++row) {
            slots.ReinterpretCast<half>().SetValue((row * t_.slot + t_.width / 2) / 2,
                                                   static_cast<half>(lengths_[row]));
        }
        Order<HardEvent::S_MTE3>(pipe_);
    }

    CodebookTiling t_;
    TPipe pipe_;
    TQue<TPosition::VECIN, 1> in_;      // (batch, width) fp32
    TQue<TPosition::VECOUT, 1> out_;    // (batch, slot)
    TBuf<TPosition::VECCALC> unit_;     // (batch, width) fp32
    TBuf<TPosition::VECCALC> work_;     // (batch, width) fp32
    TBuf<TPosition::VECCALC> ones_;     // (batch, width) fp32
    TBuf<TPosition::VECCALC> numbers_;  // (batch, width) fp32
    TBuf<TPosition::VECCALC> halves_;   // (batch, width) fp16
    TBuf<TPosition::VECCALC> mask_;     // a bit for each element
    TBuf<TPosition::VECCALC> folds_;    // of a row's sum
    TBuf<TPosition::VECCALC> sums_;     // (batch, 8) fp32
    GlobalTensor<float> x_;             // (rows, width)
    GlobalTensor<uint8_t> z_;           // (rows, slot)
    float lengths_[most_rows];
};

extern "C" __global__ __aicore__ void codebook_quant(GM_ADDR x, GM_ADDR z, CodebookTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    CodebookQuant(x, z, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include <cmath>

#include <fmt/format.h>

#include "kernels/plan/element.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

constexpr std::uint32_t most_rows = 12;  // of an instruction

class CodebookQuantHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "rows to 4-bit numbers of the nearest of 16 centroids, and their length";
    }

    std::vector<Knob> knobs() const override {
        return {
            Knob::shape("shape", {1024, 512}, "rows and their elements, in multiples of 64"),
            Knob::integer("batch",
                          0,
                          0,
                          most_rows,
                          "rows",
                          "rows of an instruction; 0: up to 12, as many as a core has"),
            Knob::integer("blocks", 0, 0, 1024, "", "cores; 0: all that have a row"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const Shape& shape = knobs.shape("shape");
        if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0 || shape[1] % 64 != 0 || shape[1] > 512) {
            throw knobs.error("shape", "must be rows x elements, the latter a multiple of 64 up to 512");
        }
        CodebookTiling t{.rows = static_cast<std::uint32_t>(shape[0]),
                         .width = static_cast<std::uint32_t>(shape[1])};
        t.slot = round_up(t.width / 2 + 2, 64U);
        const std::uint32_t blocks = blocks_or(knobs.count("blocks"), chip, t.rows, 1);
        t.batch =
            knobs.count("batch") != 0 ? knobs.count("batch") : std::min(most_rows, ceil_div(t.rows, blocks));
        for (std::uint32_t i = 0; i < 15; ++i) {
            t.boundaries[i] = boundary(i, t.width);
        }
        Plan plan;
        plan.chosen = {{"batch", t.batch}};
        plan.problem = fmt::format("codebook quantisation {}, {} rows an instruction", text(shape), t.batch);
        plan.buffers = {Buffer::input("x", DataType::float32, shape, fill::Normal{}),
                        Buffer::output("z", DataType::uint8, {t.rows, t.slot})};
        plan.launches = {{.entry = "codebook_quant",
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {Argument::address("x"), Argument::address("z"), Argument::of(t)}}};
        plan.work = {.vector_flops = static_cast<double>(elements(shape)) * (4 + 3 * 15),
                     .vector_type = DataType::float32,
                     .gm_bytes = elements(shape) * 4 + std::uint64_t{t.rows} * t.slot};
        plan.tolerances = {{.output = "z"}};  // numbers and bytes: exact
        plan.reference = [t](ReferenceData& data) { expect(data, t); };
        return plan;
    }

private:
    // Between centroids of a normal distribution whose squares sum up to 1: evenly from -2 to 2 deviations.
    static float boundary(std::uint32_t i, std::uint32_t width) {
        return (static_cast<float>(i) - 7.0F) / 3.5F / std::sqrt(static_cast<float>(width));
    }

    static void expect(ReferenceData& data, const CodebookTiling& t) {
        const std::vector<float>& x = data.floats("x");
        std::vector<double>& z = data.expected("z");
        for (std::uint32_t row = 0; row < t.rows; ++row) {
            const float* in = &x[std::size_t{row} * t.width];
            double square = 1e-16;
            for (std::uint32_t i = 0; i < t.width; ++i) {
                square += static_cast<double>(in[i]) * static_cast<double>(in[i]);
            }
            const double length = std::sqrt(square);
            double* out = &z[std::size_t{row} * t.slot];
            for (std::uint32_t i = 0; i < t.width; ++i) {
                std::uint32_t number = 0;
                for (const float boundary : t.boundaries) {
                    number += static_cast<double>(in[i]) / length >= static_cast<double>(boundary) ? 1U : 0U;
                }
                out[i / 2] += number << (i % 2 * 4);
            }
            const std::uint16_t bits = float_to_half(static_cast<float>(length));
            out[t.width / 2] = bits & 0xFFU;
            out[t.width / 2 + 1] = bits >> 8U;
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::CodebookQuantHost host;
    return &host;
}
#endif
