// SPDX-License-Identifier: Apache-2.0
// Runs one instruction through the Ascend C headers, as a kernel would write it.
#include "tests/fuzz/device_forms.h"

using namespace fuzz;

namespace {

template <typename T>
void Lanes(const Instruction& i) {
    const auto d = At<T>(i.dst);
    const auto a = At<T>(i.a);
    const auto b = At<T>(i.b);
    const T s = Scalar<T>(i);
    switch (i.op) {
        case Op::abs:
            FUZZ_FORMS(T, Abs, Strides2, d, a);
            break;
        case Op::exp:
            FUZZ_FORMS(T, Exp, Strides2, d, a);
            break;
        case Op::ln:
            FUZZ_FORMS(T, Ln, Strides2, d, a);
            break;
        case Op::sqrt:
            FUZZ_FORMS(T, Sqrt, Strides2, d, a);
            break;
        case Op::rsqrt:
            FUZZ_FORMS(T, Rsqrt, Strides2, d, a);
            break;
        case Op::reciprocal:
            FUZZ_FORMS(T, Reciprocal, Strides2, d, a);
            break;
        case Op::relu:
            FUZZ_FORMS(T, Relu, Strides2, d, a);
            break;
        case Op::bit_not:
            FUZZ_FORMS(T, Not, Strides2, d, a);
            break;
        case Op::add:
            FUZZ_FORMS(T, Add, Strides3, d, a, b);
            break;
        case Op::sub:
            FUZZ_FORMS(T, Sub, Strides3, d, a, b);
            break;
        case Op::mul:
            FUZZ_FORMS(T, Mul, Strides3, d, a, b);
            break;
        case Op::div:
            FUZZ_FORMS(T, Div, Strides3, d, a, b);
            break;
        case Op::max:
            FUZZ_FORMS(T, Max, Strides3, d, a, b);
            break;
        case Op::min:
            FUZZ_FORMS(T, Min, Strides3, d, a, b);
            break;
        case Op::bit_and:
            FUZZ_FORMS(T, And, Strides3, d, a, b);
            break;
        case Op::bit_or:
            FUZZ_FORMS(T, Or, Strides3, d, a, b);
            break;
        case Op::add_relu:
            FUZZ_FORMS(T, AddRelu, Strides3, d, a, b);
            break;
        case Op::sub_relu:
            FUZZ_FORMS(T, SubRelu, Strides3, d, a, b);
            break;
        case Op::mul_add_dst:
            FUZZ_FORMS_OF_TWO(T, MulAddDst, Strides3, d, a, b);
            break;
        case Op::fused_mul_add:
            FUZZ_FORMS_OF_TWO(T, FusedMulAdd, Strides3, d, a, b);
            break;
        case Op::adds:
            FUZZ_FORMS(T, Adds, Strides2, d, a, s);
            break;
        case Op::muls:
            FUZZ_FORMS(T, Muls, Strides2, d, a, s);
            break;
        case Op::maxs:
            FUZZ_FORMS(T, Maxs, Strides2, d, a, s);
            break;
        case Op::mins:
            FUZZ_FORMS(T, Mins, Strides2, d, a, s);
            break;
        case Op::leaky_relu:
            FUZZ_FORMS(T, LeakyRelu, Strides2, d, a, s);
            break;
        case Op::shift_left:
            FUZZ_FORMS(T, ShiftLeft, Strides2, d, a, s);
            break;
        case Op::shift_right:
            FUZZ_FORMS(T, ShiftRight, Strides2, d, a, s);
            break;
        default:
            break;
    }
}

template <typename T, typename U>
void AxpyForms(const Instruction& i) {
    const auto d = At<T>(i.dst);
    const auto a = At<U>(i.a);
    const U s = Scalar<U>(i);
    InForm<T>(
        i,
        [&](int32_t n) { Axpy(d, a, s, n); },
        [&](auto mask) { Axpy(d, a, s, mask, static_cast<uint8_t>(i.repeats), Strides2(i)); },
        [&] { Axpy<T, U, false>(d, a, s, MASK_PLACEHOLDER, static_cast<uint8_t>(i.repeats), Strides2(i)); });
}

template <typename T, typename U>
void CastForms(const Instruction& i) {
    const auto d = At<T>(i.dst);
    const auto a = At<U>(i.a);
    const auto mode = static_cast<RoundMode>(i.mode);
    using Wide = std::conditional_t<(sizeof(T) > sizeof(U)), T, U>;
    InForm<Wide>(
        i,
        [&](int32_t n) { Cast(d, a, mode, static_cast<uint32_t>(n)); },
        [&](auto mask) { Cast(d, a, mode, mask, static_cast<uint8_t>(i.repeats), Strides2(i)); },
        [&] {
            Cast<T, U, false>(d, a, mode, MASK_PLACEHOLDER, static_cast<uint8_t>(i.repeats), Strides2(i));
        });
}

template <typename T>
void CastTo(const Instruction& i) {
    switch (i.from) {
        case Type::f32:
            return CastForms<T, float>(i);
        case Type::f16:
            return CastForms<T, half>(i);
        case Type::i32:
            return CastForms<T, int32_t>(i);
        case Type::i16:
            return CastForms<T, int16_t>(i);
        case Type::u8:
            return CastForms<T, uint8_t>(i);
        case Type::i8:
            return CastForms<T, int8_t>(i);
        default:
            return;
    }
}

template <typename T>
void Duplicates(const Instruction& i) {
    const auto d = At<T>(i.dst);
    const T s = Scalar<T>(i);
    const auto repeats = static_cast<uint8_t>(i.repeats);
    const auto block = static_cast<uint16_t>(i.block_stride[0]);
    const auto hop = static_cast<uint8_t>(i.repeat_stride[0]);
    InForm<T>(
        i,
        [&](int32_t n) { Duplicate(d, s, n); },
        [&](auto mask) { Duplicate(d, s, mask, repeats, block, hop); },
        [&] { Duplicate<T, false>(d, s, MASK_PLACEHOLDER, repeats, block, hop); });
}

template <typename T>
void Comparisons(const Instruction& i) {
    const auto bits = At<uint8_t>(i.b);
    switch (i.op) {
        case Op::compare:
            return Compare(At<uint8_t>(i.dst), At<T>(i.a), At<T>(i.b), static_cast<CMPMODE>(i.mode), i.count);
        case Op::compare_scalar:
            return CompareScalar(
                At<uint8_t>(i.dst), At<T>(i.a), Scalar<T>(i), static_cast<CMPMODE>(i.mode), i.count);
        case Op::select_tensor:
            return Select(At<T>(i.dst),
                          bits,
                          At<T>(i.a),
                          At<T>(static_cast<uint32_t>(i.mask[0])),
                          SELMODE::VSEL_TENSOR_TENSOR_MODE,
                          i.count);
        case Op::select_scalar:
            return Select(
                At<T>(i.dst), bits, At<T>(i.a), Scalar<T>(i), SELMODE::VSEL_TENSOR_SCALAR_MODE, i.count);
        default:
            return;
    }
}

template <typename T>
void Reductions(const Instruction& i) {
    const auto d = At<T>(i.dst);
    const auto a = At<T>(i.a);
    const auto r = static_cast<int32_t>(i.repeats);
    const auto lanes = static_cast<int32_t>(i.count);
    const auto to = static_cast<int32_t>(i.repeat_stride[0]);
    const auto block = static_cast<int32_t>(i.block_stride[1]);
    const auto hop = static_cast<int32_t>(i.repeat_stride[1]);
    const auto order = static_cast<ReduceOrder>(i.mode);
    switch (i.op) {
        case Op::whole_sum:
            return WholeReduceSum(d, a, lanes, r, to, block, hop);
        case Op::whole_max:
            return WholeReduceMax(d, a, lanes, r, to, block, hop, order);
        case Op::whole_min:
            return WholeReduceMin(d, a, lanes, r, to, block, hop, order);
        case Op::block_sum:
            return BlockReduceSum(d, a, r, lanes, to, block, hop);
        case Op::block_max:
            return BlockReduceMax(d, a, r, lanes, to, block, hop);
        case Op::block_min:
            return BlockReduceMin(d, a, r, lanes, to, block, hop);
        case Op::pair_sum:
            return PairReduceSum(d, a, r, lanes, to, block, hop);
        case Op::reduce_sum:
            return ReduceSum(d, a, At<T>(i.b), lanes);
        case Op::reduce_max:
            return ReduceMax(d, a, At<T>(i.b), lanes, true);
        case Op::reduce_min:
            return ReduceMin(d, a, At<T>(i.b), lanes, true);
        default:
            return;
    }
}

template <typename T>
void Moves(const Instruction& i) {
    const auto d = At<T>(i.dst);
    const auto a = At<T>(i.a);
    const auto repeats = static_cast<uint8_t>(i.repeats);
    uint64_t taken = 0;
    switch (i.op) {
        case Op::gather:
            return Gather(d, a, At<uint32_t>(i.b), 0, i.count);
        case Op::brcb:
            return Brcb(
                d,
                a,
                repeats,
                {static_cast<uint16_t>(i.block_stride[0]), static_cast<uint16_t>(i.repeat_stride[0])});
        case Op::copy:
            return Copy(d,
                        a,
                        static_cast<uint64_t>(i.count),
                        repeats,
                        {static_cast<uint16_t>(i.block_stride[0]),
                         static_cast<uint16_t>(i.block_stride[1]),
                         static_cast<uint16_t>(i.repeat_stride[0]),
                         static_cast<uint16_t>(i.repeat_stride[1])});
        case Op::gather_mask:
            GatherMask(d,
                       a,
                       static_cast<uint8_t>(i.mode),
                       i.form == Form::counter,
                       i.count,
                       {static_cast<uint8_t>(i.block_stride[1]),
                        static_cast<uint16_t>(i.repeats),
                        static_cast<uint16_t>(i.repeat_stride[1]),
                        0},
                       taken);
            return ResetMask();
        case Op::vector_index:
            return CreateVecIndex(d, Scalar<T>(i), i.count);
        default:
            return;
    }
}

void Transposes(const Instruction& i) {
    LocalTensor<half> to[16];
    LocalTensor<half> from[16];
    for (uint32_t row = 0; row < 16; ++row) {
        to[row] = At<half>(i.dst + row * 32U * i.block_stride[0]);
        from[row] = At<half>(i.a + row * 32U * i.block_stride[1]);
    }
    const auto to_hop = static_cast<uint16_t>(i.repeats == 1 ? 0 : i.repeat_stride[0]);
    const auto from_hop = static_cast<uint16_t>(i.repeats == 1 ? 0 : i.repeat_stride[1]);
    TransDataTo5HD(to, from, {false, false, static_cast<uint8_t>(i.repeats), to_hop, from_hop});
}

template <typename T>
void Any(const Instruction& i) {
    if (i.op <= Op::shift_right || i.op == Op::mul_add_dst || i.op == Op::fused_mul_add) {
        Lanes<T>(i);
    } else if (i.op == Op::duplicate) {
        Duplicates<T>(i);
    } else if (i.op >= Op::gather && i.op <= Op::vector_index) {
        Moves<T>(i);
    }
}

}  // namespace

extern "C" void fuzz_execute(const Instruction* instruction) {
    const Instruction& i = *instruction;
    if (i.op == Op::transpose) {
        return Transposes(i);
    }
    if (i.op == Op::axpy) {
        if (i.type == Type::f16) {
            return AxpyForms<half, half>(i);
        }
        return i.from == Type::f16 ? AxpyForms<float, half>(i) : AxpyForms<float, float>(i);
    }
    const bool compares = i.op >= Op::compare && i.op <= Op::select_scalar;
    const bool reduces = i.op >= Op::whole_sum && i.op <= Op::reduce_min;
    const bool wide = i.type == Type::f32;
    if (compares) {
        return wide ? Comparisons<float>(i) : Comparisons<half>(i);
    }
    if (reduces) {
        return wide ? Reductions<float>(i) : Reductions<half>(i);
    }
    const bool casts = i.op == Op::cast;
    switch (i.type) {
        case Type::f32:
            return casts ? CastTo<float>(i) : Any<float>(i);
        case Type::f16:
            return casts ? CastTo<half>(i) : Any<half>(i);
        case Type::i32:
            return casts ? CastTo<int32_t>(i) : Any<int32_t>(i);
        case Type::i16:
            return casts ? CastTo<int16_t>(i) : Any<int16_t>(i);
        case Type::u32:
            return Any<uint32_t>(i);
        case Type::u16:
            return Any<uint16_t>(i);
        case Type::u8:
            return CastTo<uint8_t>(i);
        case Type::i8:
            return CastTo<int8_t>(i);
    }
}
