// SPDX-License-Identifier: Apache-2.0
// The vector core's program of instruction.cpp: one instruction again and again, between two readings of the
// clock.
#pragma once

#include "kernel_operator.h"
#include "kernels/ops/micro/instruction/instruction_tiling.hpp"

namespace instruction {

using namespace AscendC;

template <typename T>
class VectorProgram {
public:
    __aicore__ inline explicit VectorProgram(const Tiling& tiling)
        : t_(tiling), dst_(At(tiling.dst)), src0_(At(tiling.src0)), src1_(At(tiling.src1)) {}

    __aicore__ inline void Process(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR cycles) {
        CopyIn(src0_, x, t_.x_bytes);
        CopyIn(src1_, y, t_.y_bytes);
        if (t_.clear != 0) {
            Duplicate(dst_.template ReinterpretCast<int32_t>(),
                      0,
                      static_cast<int32_t>((t_.z_bytes + 31) / 32 * 8));
        }
        PipeBarrier<PIPE_ALL>();
        const int64_t before = GetSystemCycle();
        Issue();
        PipeBarrier<PIPE_ALL>();
        const int64_t after = GetSystemCycle();
        GlobalTensor<T> out;
        out.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(z));
        DataCopyPad(out, dst_, DataCopyExtParams(1, t_.z_bytes, 0, 0, 0));
        GlobalTensor<int64_t> taken;
        taken.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(cycles));
        taken.SetValue(0, after - before);
        DataCacheCleanAndInvalid<int64_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(taken);
    }

private:
    static constexpr uint64_t lanes = 256 / sizeof(T);

    __aicore__ inline static LocalTensor<T> At(uint32_t offset) {
        constexpr uint32_t ub = 192 * 1024;
        return LocalTensor<T>(TPosition::VECCALC, offset, (ub - offset) / static_cast<uint32_t>(sizeof(T)));
    }

    __aicore__ inline static void CopyIn(const LocalTensor<T>& to, GM_ADDR from, uint32_t bytes) {
        GlobalTensor<T> tensor;
        tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(from));
        DataCopy(to, tensor, bytes / static_cast<uint32_t>(sizeof(T)));
        PipeBarrier<PIPE_MTE2>();  // both operands may be the same place
    }

    template <typename Call>
    __aicore__ inline void Loop(const Call& call) {
        for (uint32_t i = 0; i < t_.calls; ++i) {
            call();
            if (t_.barrier != 0) {
                PipeBarrier<PIPE_V>();
            }
        }
    }

    __aicore__ inline void Issue() {
        switch (t_.op) {
            case Op::add:
                return Binary([](auto... a) { Add(a...); });
            case Op::sub:
                return Binary([](auto... a) { Sub(a...); });
            case Op::mul:
                return Binary([](auto... a) { Mul(a...); });
            case Op::max:
                return Binary([](auto... a) { Max(a...); });
            case Op::min:
                return Binary([](auto... a) { Min(a...); });
            case Op::adds:
                return Scalar([](auto... a) { Adds(a...); });
            case Op::muls:
                return Scalar([](auto... a) { Muls(a...); });
            case Op::copy:
                return Loop([this] {
                    Copy(dst_,
                         src0_,
                         lanes,
                         Repeats(),
                         CopyRepeatParams(t_.block_stride[0],
                                          t_.block_stride[1],
                                          t_.repeat_stride[0],
                                          t_.repeat_stride[1]));
                });
            case Op::duplicate:
                return Loop([this] {
                    Duplicate(dst_, T(1), lanes, Repeats(), t_.block_stride[0], Byte(t_.repeat_stride[0]));
                });
            default:
                return IssueFloat();
        }
    }

    __aicore__ inline void IssueFloat() {
        if constexpr (std::is_same_v<T, half> || std::is_same_v<T, float>) {
            switch (t_.op) {
                case Op::div:
                    return Binary([](auto... a) { Div(a...); });
                case Op::exp:
                    return Unary([](auto... a) { Exp(a...); });
                case Op::ln:
                    return Unary([](auto... a) { Ln(a...); });
                case Op::sqrt:
                    return Unary([](auto... a) { Sqrt(a...); });
                case Op::rsqrt:
                    return Unary([](auto... a) { Rsqrt(a...); });
                case Op::reciprocal:
                    return Unary([](auto... a) { Reciprocal(a...); });
                case Op::abs:
                    return Unary([](auto... a) { Abs(a...); });
                case Op::relu:
                    return Unary([](auto... a) { Relu(a...); });
                case Op::cast:
                    return CastToOther();
                default:
                    return Reduce();
            }
        }
    }

    __aicore__ inline void Reduce() {
        const auto repeats = static_cast<int32_t>(t_.repeats);
        const auto wide = static_cast<int32_t>(lanes);
        switch (t_.op) {
            case Op::whole_reduce_sum:
                return Loop([&] { WholeReduceSum(dst_, src0_, wide, repeats, 1, 1, 8); });
            case Op::whole_reduce_max:
                return Loop([&] { WholeReduceMax(dst_, src0_, wide, repeats, 1, 1, 8); });
            case Op::block_reduce_sum:
                return Loop([&] { BlockReduceSum(dst_, src0_, repeats, wide, 1, 1, 8); });
            case Op::reduce_sum:
                return Loop([&] { ReduceSum(dst_, src0_, src1_, repeats); });
            case Op::tree_sum:
                return Loop([&] { TreeSum(); });
            default:
                return Loop([&] { Cascade(); });
        }
    }

    // Halves are added until a repeat is left, which one instruction sums up.
    __aicore__ inline void TreeSum() {
        uint32_t length = t_.repeats;
        const LocalTensor<T>* from = &src0_;
        while (length > lanes) {
            const uint32_t half_length = (length / 2 + lanes - 1) / lanes * lanes;
            const uint32_t rest = length - half_length;
            Add(dst_, *from, (*from)[half_length], static_cast<int32_t>(rest));
            PipeBarrier<PIPE_V>();
            from = &dst_;
            length = half_length;
        }
        WholeReduceSum(dst_, *from, static_cast<int32_t>(length), 1, 1, 1, 8);
        PipeBarrier<PIPE_V>();
    }

    // `repeats` repeats down to one value, by two or three instructions.
    __aicore__ inline void Cascade() {
        const auto repeats = static_cast<int32_t>(t_.repeats);
        const auto wide = static_cast<int32_t>(lanes);
        const auto blocks = repeats * 8;
        if (t_.op == Op::whole_whole) {
            WholeReduceSum(dst_, src0_, wide, repeats, 1, 1, 8);
            PipeBarrier<PIPE_V>();
            WholeReduceSum(dst_, dst_, repeats, 1, 1, 1, 8);
        } else {
            BlockReduceSum(dst_, src0_, repeats, wide, 1, 1, 8);
            PipeBarrier<PIPE_V>();
            if (t_.op == Op::block_whole) {
                WholeReduceSum(dst_, dst_, blocks, 1, 1, 1, 8);
            } else {
                constexpr auto block = static_cast<int32_t>(32 / sizeof(T));
                BlockReduceSum(dst_, dst_, 1, blocks, 1, 1, 8);
                PipeBarrier<PIPE_V>();
                BlockReduceSum(dst_, dst_, 1, (blocks + block - 1) / block, 1, 1, 8);
            }
        }
        PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void CastToOther() {
        const UnaryRepeatParams params(
            t_.block_stride[0], t_.block_stride[1], Byte(t_.repeat_stride[0]), Byte(t_.repeat_stride[1]));
        if constexpr (std::is_same_v<T, half>) {
            const auto to = dst_.template ReinterpretCast<float>();
            Loop([&] { Cast(to, src0_, RoundMode::CAST_NONE, uint64_t{64}, Repeats(), params); });
        } else {
            const auto to = dst_.template ReinterpretCast<half>();
            Loop([&] { Cast(to, src0_, RoundMode::CAST_RINT, uint64_t{64}, Repeats(), params); });
        }
    }

    template <typename Call>
    __aicore__ inline void Binary(const Call& call) {
        const BinaryRepeatParams params(Byte(t_.block_stride[0]),
                                        Byte(t_.block_stride[1]),
                                        Byte(t_.block_stride[2]),
                                        Byte(t_.repeat_stride[0]),
                                        Byte(t_.repeat_stride[1]),
                                        Byte(t_.repeat_stride[2]));
        Loop([&] { call(dst_, src0_, src1_, lanes, Repeats(), params); });
    }

    template <typename Call>
    __aicore__ inline void Unary(const Call& call) {
        const UnaryRepeatParams params(
            t_.block_stride[0], t_.block_stride[1], Byte(t_.repeat_stride[0]), Byte(t_.repeat_stride[1]));
        Loop([&] { call(dst_, src0_, lanes, Repeats(), params); });
    }

    template <typename Call>
    __aicore__ inline void Scalar(const Call& call) {
        const UnaryRepeatParams params(
            t_.block_stride[0], t_.block_stride[1], Byte(t_.repeat_stride[0]), Byte(t_.repeat_stride[1]));
        Loop([&] { call(dst_, src0_, T(2), lanes, Repeats(), params); });
    }

    __aicore__ inline static uint8_t Byte(uint16_t stride) { return static_cast<uint8_t>(stride); }

    [[nodiscard]] __aicore__ inline uint8_t Repeats() const { return static_cast<uint8_t>(t_.repeats); }

    Tiling t_;
    LocalTensor<T> dst_;
    LocalTensor<T> src0_;
    LocalTensor<T> src1_;
};

}  // namespace instruction
