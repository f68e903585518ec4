// SPDX-License-Identifier: Apache-2.0
// Latent vectors to 4 bits: each row is divided by its length, and each element becomes the number of the
// nearest of 16 ascending centroids, two numbers a byte. Behind them lies the length as float16, then zeros
// up to whole 64 bytes.
//
// The search is a chain of compare, select and add for each of the 15 boundaries between centroids. An
// instruction on one row is mostly its own latency; several rows in one instruction share it.
#include "kernel_operator.h"

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
        pipe_.InitBuffer(in_, 2, elements * sizeof(float));
        pipe_.InitBuffer(out_, 2, t_.batch * t_.slot);
        pipe_.InitBuffer(work_, elements * sizeof(float));
        pipe_.InitBuffer(ones_, elements * sizeof(float));
        pipe_.InitBuffer(numbers_, elements * sizeof(float));
        pipe_.InitBuffer(mask_, (elements / 8 + 255) / 256 * 256);
        pipe_.InitBuffer(weights_, lanes * sizeof(float));
        pipe_.InitBuffer(row_values_, 3 * row_room * sizeof(float));
        pipe_.InitBuffer(blocks_, row_room * block * sizeof(float));
        pipe_.InitBuffer(halves_, row_room * 2 * block * sizeof(half) + row_room * sizeof(half));
    }

    __aicore__ inline void Process() {
        const LocalTensor<float> weights = weights_.Get<float>();
        uint64_t odd[2] = {0xAAAAAAAAAAAAAAAAULL, 0};
        Duplicate(weights, 1.0F, static_cast<int32_t>(lanes));
        PipeBarrier<PIPE_V>();
        Duplicate(weights, 16.0F, odd, 1, 1, 8);
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
    static constexpr uint32_t lanes = 64;     // floats of a repeat
    static constexpr uint32_t block = 8;      // floats of 32 bytes
    static constexpr uint32_t row_room = 16;  // rows of a batch at most, in whole blocks
    static constexpr float least_square = 1e-16F;

    __aicore__ inline void Batch(uint32_t row, uint32_t rows) {
        LocalTensor<float> fetched = in_.AllocTensor<float>();
        DataCopy(fetched, x_[uint64_t{row} * t_.width], rows * t_.width);  // (rows, width) GM -> UB
        in_.EnQue(fetched);
        LocalTensor<float> x = in_.DeQue<float>();
        LocalTensor<uint8_t> slots = out_.AllocTensor<uint8_t>();
        Duplicate(slots.ReinterpretCast<int32_t>(), 0, static_cast<int32_t>(rows * t_.slot / 4));
        Normalise(x, rows);
        Search(x, rows * t_.width);
        Pack(slots, rows);
        in_.FreeTensor(x);
        out_.EnQue(slots);
        LocalTensor<uint8_t> packed = out_.DeQue<uint8_t>();
        DataCopy(z_[uint64_t{row} * t_.slot], packed, rows * t_.slot);  // (rows, slot) UB -> GM
        out_.FreeTensor(packed);
    }

    // x = x / length of its row; lengths stay in row values.
    __aicore__ inline void Normalise(const LocalTensor<float>& x, uint32_t rows) {
        const LocalTensor<float> squares = work_.Get<float>();
        const LocalTensor<float> sums = row_values_.Get<float>();
        const LocalTensor<float> lengths = sums[row_room];
        const LocalTensor<float> ones = sums[2 * row_room];
        const LocalTensor<float> blocks = blocks_.Get<float>();
        const auto groups = static_cast<int32_t>(t_.width / lanes);
        const auto pitch = static_cast<uint8_t>(t_.width / block);
        const auto repeats = static_cast<uint8_t>(rows);
        Mul(squares, x, x, static_cast<int32_t>(rows * t_.width));
        Duplicate(sums, 1.0F, static_cast<int32_t>(row_room));
        Duplicate(ones, 1.0F, static_cast<int32_t>(row_room));
        PipeBarrier<PIPE_V>();
        const BinaryRepeatParams fold(1, 1, 1, pitch, pitch, pitch);
        for (int32_t i = 1; i < groups; ++i) {
            Add(squares, squares, squares[static_cast<uint32_t>(i) * lanes], uint64_t{lanes}, repeats, fold);
            PipeBarrier<PIPE_V>();
        }
        WholeReduceSum(sums, squares, static_cast<int32_t>(lanes), static_cast<int32_t>(rows), 1, 1, pitch);
        PipeBarrier<PIPE_V>();
        Adds(sums, sums, least_square, static_cast<int32_t>(row_room));
        PipeBarrier<PIPE_V>();
        Sqrt(lengths, sums, static_cast<int32_t>(row_room));
        PipeBarrier<PIPE_V>();
        Div(sums, ones, lengths, static_cast<int32_t>(row_room));
        PipeBarrier<PIPE_V>();
        Brcb(blocks, sums, static_cast<uint8_t>((rows + block - 1) / block), BrcbRepeatParams(1, 8));
        PipeBarrier<PIPE_V>();
        const BinaryRepeatParams scale(1, 1, 0, pitch, pitch, 1);
        for (int32_t i = 0; i < groups; ++i) {
            const uint32_t at = static_cast<uint32_t>(i) * lanes;
            Mul(x[at], x[at], blocks, uint64_t{lanes}, repeats, scale);
        }
        PipeBarrier<PIPE_V>();
    }

    // numbers = how many boundaries each element reaches.
    __aicore__ inline void Search(const LocalTensor<float>& x, uint32_t count) {
        const LocalTensor<float> numbers = numbers_.Get<float>();
        const LocalTensor<float> above = work_.Get<float>();
        const LocalTensor<float> ones = ones_.Get<float>();
        const LocalTensor<uint8_t> mask = mask_.Get<uint8_t>();
        Duplicate(numbers, 0.0F, static_cast<int32_t>(count));
        for (uint32_t i = 0; i < 15; ++i) {
            CompareScalar(mask, x, t_.boundaries[i], CMPMODE::GE, count);
            PipeBarrier<PIPE_V>();
            Select(above, mask, ones, 0.0F, SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
            PipeBarrier<PIPE_V>();
            Add(numbers, numbers, above, static_cast<int32_t>(count));
            PipeBarrier<PIPE_V>();
        }
    }

    // Two numbers a byte, the first in the low half; then the length.
    __aicore__ inline void Pack(const LocalTensor<uint8_t>& slots, uint32_t rows) {
        const LocalTensor<float> numbers = numbers_.Get<float>();
        const LocalTensor<float> pairs = work_.Get<float>();
        const auto repeats = static_cast<uint8_t>(rows * t_.width / lanes);
        Mul(numbers,
            numbers,
            weights_.Get<float>(),
            uint64_t{lanes},
            repeats,
            BinaryRepeatParams(1, 1, 1, 8, 8, 0));
        PipeBarrier<PIPE_V>();
        PairReduceSum(pairs, numbers, repeats, static_cast<int32_t>(lanes), 1, 1, 8);
        PipeBarrier<PIPE_V>();
        const LocalTensor<half> bytes = numbers.ReinterpretCast<half>();
        const uint32_t half_width = t_.width / 2;
        Cast(bytes, pairs, RoundMode::CAST_NONE, rows * half_width);
        const LocalTensor<half> lengths = halves_.Get<half>();
        const LocalTensor<half> length_blocks = lengths[row_room];
        Cast(lengths, row_values_.Get<float>()[row_room], RoundMode::CAST_RINT, row_room);
        PipeBarrier<PIPE_V>();
        for (uint32_t row = 0; row < rows; ++row) {
            Cast(slots[row * t_.slot], bytes[row * half_width], RoundMode::CAST_RINT, half_width);
        }
        Brcb(length_blocks, lengths, static_cast<uint8_t>(row_room / block), BrcbRepeatParams(1, 8));
        PipeBarrier<PIPE_V>();
        Copy(slots.ReinterpretCast<half>()[half_width / 2],
             length_blocks,
             uint64_t{1},
             static_cast<uint8_t>(rows),
             CopyRepeatParams(1, 1, static_cast<uint16_t>(t_.slot / 32), 1));
        PipeBarrier<PIPE_V>();
    }

    CodebookTiling t_;
    TPipe pipe_;
    TQue<TPosition::VECIN, 1> in_;         // (batch, width) fp32
    TQue<TPosition::VECOUT, 1> out_;       // (batch, slot)
    TBuf<TPosition::VECCALC> work_;        // (batch, width) fp32
    TBuf<TPosition::VECCALC> ones_;        // (batch, width) fp32
    TBuf<TPosition::VECCALC> numbers_;     // (batch, width) fp32
    TBuf<TPosition::VECCALC> mask_;        // a bit for each element
    TBuf<TPosition::VECCALC> weights_;     // 1, 16, 1, 16, …
    TBuf<TPosition::VECCALC> row_values_;  // sums or their inverses, lengths, ones
    TBuf<TPosition::VECCALC> blocks_;      // (batch, 8) fp32
    TBuf<TPosition::VECCALC> halves_;      // lengths as float16, and each 16 times
    GlobalTensor<float> x_;                // (rows, width)
    GlobalTensor<uint8_t> z_;              // (rows, slot)
};

extern "C" __global__ __aicore__ void codebook_quant(GM_ADDR x, GM_ADDR z, CodebookTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    CodebookQuant(x, z, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include <cmath>

#include <fmt/format.h>

#include "kernels/host/element.hpp"
#include "kernels/host/kernel_host.hpp"
#include "kernels/host/work_split.hpp"

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
        plan.problem = fmt::format("codebook quantisation {}, {} rows an instruction", text(shape), t.batch);
        plan.buffers = {Buffer::input("x", DataType::float32, shape, fill::Normal{}),
                        Buffer::output("z", DataType::uint8, {t.rows, t.slot})};
        plan.launches = {{.entry = "codebook_quant",
                          .blocks = blocks,
                          .cores = CoreUse::aiv,
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
