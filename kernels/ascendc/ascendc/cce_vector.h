// SPDX-License-Identifier: Apache-2.0
// Vector instructions by their intrinsic names: pointers, repeats, block strides, repeat strides (32 B
// units). The mask is that of the registers. Each is the API call of the same meaning.
#pragma once

#include "kernels/ascendc/ascendc/cce_address.h"
#include "kernels/ascendc/ascendc/vector/vector_cast.h"
#include "kernels/ascendc/ascendc/vector/vector_compare.h"
#include "kernels/ascendc/ascendc/vector/vector_gather.h"
#include "kernels/ascendc/ascendc/vector/vector_reduce.h"
#include "kernels/ascendc/ascendc/vector/vector_relu_cast.h"
#include "kernels/ascendc/ascendc/vector/vector_scalar.h"
#include "kernels/ascendc/ascendc/vector/vector_sort.h"
#include "kernels/ascendc/ascendc/vector/vector_ternary.h"

#define ASCENDSIM_UNARY(name, operation)                                                             \
    template <typename T>                                                                            \
    inline void name(T* dst,                                                                         \
                     T* src,                                                                         \
                     uint8_t repeat,                                                                 \
                     uint16_t dst_block,                                                             \
                     uint16_t src_block,                                                             \
                     uint8_t dst_repeat,                                                             \
                     uint8_t src_repeat,                                                             \
                     AscendC::Site site = AscendC::Site::here()) {                                   \
        AscendC::UnaryCall(AscendC::LaneOp::operation,                                               \
                           AscendC::TensorAt(dst),                                                   \
                           AscendC::TensorAt(src),                                                   \
                           AscendC::RegisterShape(repeat),                                           \
                           AscendC::UnaryRepeatParams(dst_block, src_block, dst_repeat, src_repeat), \
                           site);                                                                    \
    }
#define ASCENDSIM_BINARY(name, operation)                                                                 \
    template <typename T>                                                                                 \
    inline void name(T* dst,                                                                              \
                     T* src0,                                                                             \
                     T* src1,                                                                             \
                     uint8_t repeat,                                                                      \
                     uint8_t dst_block,                                                                   \
                     uint8_t src0_block,                                                                  \
                     uint8_t src1_block,                                                                  \
                     uint8_t dst_repeat,                                                                  \
                     uint8_t src0_repeat,                                                                 \
                     uint8_t src1_repeat,                                                                 \
                     AscendC::Site site = AscendC::Site::here()) {                                        \
        AscendC::BinaryCall(AscendC::LaneOp::operation,                                                   \
                            AscendC::TensorAt(dst),                                                       \
                            AscendC::TensorAt(src0),                                                      \
                            AscendC::TensorAt(src1),                                                      \
                            AscendC::RegisterShape(repeat),                                               \
                            AscendC::BinaryRepeatParams(                                                  \
                                dst_block, src0_block, src1_block, dst_repeat, src0_repeat, src1_repeat), \
                            site);                                                                        \
    }
#define ASCENDSIM_SCALAR(name, operation)                                                                   \
    template <typename T>                                                                                   \
    inline void name(T* dst,                                                                                \
                     T* src,                                                                                \
                     std::type_identity_t<T> scalar,                                                        \
                     uint8_t repeat,                                                                        \
                     uint16_t dst_block,                                                                    \
                     uint16_t src_block,                                                                    \
                     uint8_t dst_repeat,                                                                    \
                     uint8_t src_repeat,                                                                    \
                     AscendC::Site site = AscendC::Site::here()) {                                          \
        AscendC::ScalarCall<T, T>(AscendC::LaneOp::operation,                                               \
                                  AscendC::TensorAt(dst),                                                   \
                                  AscendC::TensorAt(src),                                                   \
                                  scalar,                                                                   \
                                  AscendC::RegisterShape(repeat),                                           \
                                  AscendC::UnaryRepeatParams(dst_block, src_block, dst_repeat, src_repeat), \
                                  site);                                                                    \
    }
#define ASCENDSIM_CONVERT_AT(name, to_at, from_at, to, from, mode)                                  \
    inline void name(to_at* dst,                                                                    \
                     from_at* src,                                                                  \
                     uint8_t repeat,                                                                \
                     uint16_t dst_block,                                                            \
                     uint16_t src_block,                                                            \
                     uint8_t dst_repeat,                                                            \
                     uint8_t src_repeat,                                                            \
                     AscendC::Site site = AscendC::Site::here()) {                                  \
        AscendC::CastCall(AscendC::TensorAt(static_cast<to*>(dst)),                                 \
                          AscendC::TensorAt(static_cast<from*>(src)),                               \
                          AscendC::RoundMode::mode,                                                 \
                          AscendC::RegisterShape(repeat),                                           \
                          AscendC::UnaryRepeatParams(dst_block, src_block, dst_repeat, src_repeat), \
                          site);                                                                    \
    }
#define ASCENDSIM_CONVERT(name, to, from, mode) ASCENDSIM_CONVERT_AT(name, to, from, to, from, mode)
// The suffix of a conversion names its rounding: r to nearest even, a away from zero, f down, c up, z to
// zero.
#define ASCENDSIM_CONVERT_ROUNDED(name, to, from)    \
    ASCENDSIM_CONVERT(name, to, from, CAST_NONE)     \
    ASCENDSIM_CONVERT(name##r, to, from, CAST_RINT)  \
    ASCENDSIM_CONVERT(name##a, to, from, CAST_ROUND) \
    ASCENDSIM_CONVERT(name##f, to, from, CAST_FLOOR) \
    ASCENDSIM_CONVERT(name##c, to, from, CAST_CEIL)  \
    ASCENDSIM_CONVERT(name##z, to, from, CAST_TRUNC)

ASCENDSIM_UNARY(vabs, abs)
ASCENDSIM_UNARY(vexp, exp)
ASCENDSIM_UNARY(vln, ln)
ASCENDSIM_UNARY(vsqrt, sqrt)
ASCENDSIM_UNARY(vrsqrt, rsqrt)
ASCENDSIM_UNARY(vrec, reciprocal)
ASCENDSIM_UNARY(vrelu, relu)
ASCENDSIM_UNARY(vnot, bit_not)

/// In counter mode the mask counts the elements of each repeat.
template <typename T>
inline void vcopy(T* dst,
                  T* src,
                  uint8_t repeat,
                  uint16_t dst_block,
                  uint16_t src_block,
                  uint16_t dst_repeat,
                  uint16_t src_repeat,
                  AscendC::Site site = AscendC::Site::here()) {
    if constexpr (AscendC::has_vector_unit) {
        ascendsim::isa::copy_lanes(AscendC::Operand(AscendC::TensorAt(dst), dst_block, dst_repeat),
                                   AscendC::Operand(AscendC::TensorAt(src), src_block, src_repeat),
                                   AscendC::RegisterShape(repeat),
                                   repeat,
                                   site);
    }
}

ASCENDSIM_BINARY(vadd, add)
ASCENDSIM_BINARY(vsub, sub)
ASCENDSIM_BINARY(vmul, mul)
ASCENDSIM_BINARY(vdiv, div)
ASCENDSIM_BINARY(vmax, max)
ASCENDSIM_BINARY(vmin, min)
ASCENDSIM_BINARY(vand, bit_and)
ASCENDSIM_BINARY(vor, bit_or)
ASCENDSIM_BINARY(vaddrelu, add_relu)
ASCENDSIM_BINARY(vsubrelu, sub_relu)
ASCENDSIM_BINARY(vmla, mul_add_dst)
ASCENDSIM_BINARY(vmadd, fused_mul_add)
ASCENDSIM_BINARY(vmaddrelu, fused_mul_add_relu)

ASCENDSIM_SCALAR(vadds, adds)
ASCENDSIM_SCALAR(vmuls, muls)
ASCENDSIM_SCALAR(vmaxs, maxs)
ASCENDSIM_SCALAR(vmins, mins)
ASCENDSIM_SCALAR(vlrelu, leaky_relu)
ASCENDSIM_SCALAR(vshl, shift_left)

ASCENDSIM_CONVERT(vconv_f162f32, float, half, CAST_NONE)
ASCENDSIM_CONVERT(vconv_bf162f32, float, bfloat16_t, CAST_NONE)
ASCENDSIM_CONVERT(vconv_s162f32, float, int16_t, CAST_NONE)
ASCENDSIM_CONVERT(vconv_u82f16, half, uint8_t, CAST_NONE)
ASCENDSIM_CONVERT(vconv_s82f16, half, int8_t, CAST_NONE)
ASCENDSIM_CONVERT_AT(vconv_s42f16, half, void, half, AscendC::int4b_t, CAST_NONE)
ASCENDSIM_CONVERT(vconv_s322s64, int64_t, int32_t, CAST_NONE)
ASCENDSIM_CONVERT(vconv_s642s32, int32_t, int64_t, CAST_NONE)
ASCENDSIM_CONVERT(vconv_s322s16, int16_t, int32_t, CAST_NONE)
ASCENDSIM_CONVERT(vconv_deq, half, int32_t, CAST_NONE)
ASCENDSIM_CONVERT_ROUNDED(vconv_f322f16, half, float)
ASCENDSIM_CONVERT(vconv_f322f16o, half, float, CAST_ODD)
ASCENDSIM_CONVERT_ROUNDED(vconv_f322bf16, bfloat16_t, float)
ASCENDSIM_CONVERT_ROUNDED(vconv_f322f32, float, float)
ASCENDSIM_CONVERT_ROUNDED(vconv_f322s16, int16_t, float)
ASCENDSIM_CONVERT_ROUNDED(vconv_f322s32, int32_t, float)
ASCENDSIM_CONVERT_ROUNDED(vconv_f322s64, int64_t, float)
// Pairs of 4-bit numbers have no type of their own.
ASCENDSIM_CONVERT_AT(vconv_f162s4, void, half, AscendC::int4b_t, half, CAST_NONE)
ASCENDSIM_CONVERT_AT(vconv_f162s4r, void, half, AscendC::int4b_t, half, CAST_RINT)
ASCENDSIM_CONVERT_AT(vconv_f162s4a, void, half, AscendC::int4b_t, half, CAST_ROUND)
ASCENDSIM_CONVERT_AT(vconv_f162s4f, void, half, AscendC::int4b_t, half, CAST_FLOOR)
ASCENDSIM_CONVERT_AT(vconv_f162s4c, void, half, AscendC::int4b_t, half, CAST_CEIL)
ASCENDSIM_CONVERT_AT(vconv_f162s4z, void, half, AscendC::int4b_t, half, CAST_TRUNC)
ASCENDSIM_CONVERT_ROUNDED(vconv_f162s8, int8_t, half)
ASCENDSIM_CONVERT_ROUNDED(vconv_f162u8, uint8_t, half)
ASCENDSIM_CONVERT_ROUNDED(vconv_f162s16, int16_t, half)
ASCENDSIM_CONVERT_ROUNDED(vconv_f162s32, int32_t, half)
ASCENDSIM_CONVERT_ROUNDED(vconv_bf162s32, int32_t, bfloat16_t)
ASCENDSIM_CONVERT_ROUNDED(vconv_s162f16, half, int16_t)
ASCENDSIM_CONVERT_ROUNDED(vconv_s322f32, float, int32_t)
ASCENDSIM_CONVERT_ROUNDED(vconv_s642f32, float, int64_t)

// Results lie side by side; the last argument is for a form that leaves half of each block.
#define ASCENDSIM_RELU_CONVERT(name, subtract, to, from)                                  \
    inline void name(to* dst,                                                             \
                     from* src0,                                                          \
                     from* src1,                                                          \
                     uint8_t repeat,                                                      \
                     uint8_t dst_block,                                                   \
                     uint8_t src0_block,                                                  \
                     uint8_t src1_block,                                                  \
                     uint8_t dst_repeat,                                                  \
                     uint8_t src0_repeat,                                                 \
                     uint8_t src1_repeat,                                                 \
                     bool upper_half,                                                     \
                     AscendC::Site site = AscendC::Site::here()) {                        \
        if (upper_half) {                                                                 \
            ascendsim::isa::not_implemented(#name " to the upper half of blocks", site);  \
        }                                                                                 \
        AscendC::ReluCastCall<subtract>(                                                  \
            AscendC::TensorAt(dst),                                                       \
            AscendC::TensorAt(src0),                                                      \
            AscendC::TensorAt(src1),                                                      \
            AscendC::RegisterShape(repeat),                                               \
            AscendC::BinaryRepeatParams(                                                  \
                dst_block, src0_block, src1_block, dst_repeat, src0_repeat, src1_repeat), \
            site);                                                                        \
    }
ASCENDSIM_RELU_CONVERT(vaddreluconv_f322f16, false, half, float)
ASCENDSIM_RELU_CONVERT(vaddreluconv_f162s8, false, int8_t, half)
ASCENDSIM_RELU_CONVERT(vaddreluconv_s162s8, false, int8_t, int16_t)
ASCENDSIM_RELU_CONVERT(vsubreluconv_f322f16, true, half, float)
ASCENDSIM_RELU_CONVERT(vsubreluconv_f162s8, true, int8_t, half)
ASCENDSIM_RELU_CONVERT(vsubreluconv_s162s8, true, int8_t, int16_t)
#undef ASCENDSIM_RELU_CONVERT

#undef ASCENDSIM_UNARY
#undef ASCENDSIM_BINARY
#undef ASCENDSIM_SCALAR
#undef ASCENDSIM_CONVERT
#undef ASCENDSIM_CONVERT_AT
#undef ASCENDSIM_CONVERT_ROUNDED

/// The sources of vaxpy may be half where the sum is float.
template <typename T, typename U>
inline void vaxpy(T* dst,
                  U* src,
                  std::type_identity_t<U> scalar,
                  uint8_t repeat,
                  uint16_t dst_block,
                  uint16_t src_block,
                  uint8_t dst_repeat,
                  uint8_t src_repeat,
                  AscendC::Site site = AscendC::Site::here()) {
    AscendC::ScalarCall<T, U>(AscendC::LaneOp::axpy,
                              AscendC::TensorAt(dst),
                              AscendC::TensorAt(src),
                              scalar,
                              AscendC::RegisterShape(repeat),
                              AscendC::UnaryRepeatParams(dst_block, src_block, dst_repeat, src_repeat),
                              site);
}

/// `round` adds the last bit that is shifted out.
template <typename T>
inline void vshr(T* dst,
                 T* src,
                 std::type_identity_t<T> scalar,
                 uint8_t repeat,
                 uint16_t dst_block,
                 uint16_t src_block,
                 uint8_t dst_repeat,
                 uint8_t src_repeat,
                 bool round = false,
                 AscendC::Site site = AscendC::Site::here()) {
    AscendC::ScalarCall<T, T>(round ? AscendC::LaneOp::shift_right_round : AscendC::LaneOp::shift_right,
                              AscendC::TensorAt(dst),
                              AscendC::TensorAt(src),
                              scalar,
                              AscendC::RegisterShape(repeat),
                              AscendC::UnaryRepeatParams(dst_block, src_block, dst_repeat, src_repeat),
                              site);
}

template <typename T>
inline void vector_dup(T* dst,
                       std::type_identity_t<T> value,
                       uint8_t repeat,
                       uint16_t dst_block,
                       uint16_t,
                       uint8_t dst_repeat,
                       uint16_t,
                       AscendC::Site site = AscendC::Site::here()) {
    AscendC::Duplicate<T, false>(
        AscendC::TensorAt(dst), value, AscendC::MASK_PLACEHOLDER, repeat, dst_block, dst_repeat, site);
}

template <typename T>
inline void vbrcb(T* dst,
                  T* src,
                  uint16_t dst_block,
                  uint16_t dst_repeat,
                  uint8_t repeat,
                  AscendC::Site site = AscendC::Site::here()) {
    AscendC::Brcb(AscendC::TensorAt(dst),
                  AscendC::TensorAt(src),
                  repeat,
                  AscendC::BrcbRepeatParams(dst_block, dst_repeat),
                  site);
}

/// Sums each repeat; results `dst_repeat` elements apart. In mode 1 the sum of all goes to the register of
/// get_acc_val, and nothing to memory.
template <typename T>
inline void vcadd(std::type_identity_t<T>* dst,
                  T* src,
                  uint8_t repeat,
                  uint16_t dst_repeat,
                  uint16_t src_block,
                  uint16_t src_repeat,
                  bool accumulate = false,
                  AscendC::Site site = AscendC::Site::here()) {
    if (accumulate) {
        if constexpr (AscendC::has_vector_unit) {
            ascendsim::isa::accumulate_repeats(
                AscendC::Operand(AscendC::TensorAt(src), src_block, src_repeat),
                AscendC::RegisterShape(repeat),
                site);
        }
        return;
    }
    AscendC::WholeReduceSum<T, false>(
        AscendC::TensorAt(dst), AscendC::TensorAt(src), 0, repeat, dst_repeat, src_block, src_repeat, site);
}

template <typename T>
inline void vcgadd(T* dst,
                   T* src,
                   uint8_t repeat,
                   uint16_t dst_repeat,
                   uint16_t src_block,
                   uint16_t src_repeat,
                   AscendC::Site site = AscendC::Site::here()) {
    AscendC::BlockReduceSum<T, false>(
        AscendC::TensorAt(dst), AscendC::TensorAt(src), repeat, 0, dst_repeat, src_block, src_repeat, site);
}

template <typename T>
inline void vcgmax(T* dst,
                   T* src,
                   uint8_t repeat,
                   uint16_t dst_repeat,
                   uint16_t src_block,
                   uint16_t src_repeat,
                   AscendC::Site site = AscendC::Site::here()) {
    AscendC::BlockReduceMax<T, false>(
        AscendC::TensorAt(dst), AscendC::TensorAt(src), repeat, 0, dst_repeat, src_block, src_repeat, site);
}

template <typename T>
inline void vcgmin(T* dst,
                   T* src,
                   uint8_t repeat,
                   uint16_t dst_repeat,
                   uint16_t src_block,
                   uint16_t src_repeat,
                   AscendC::Site site = AscendC::Site::here()) {
    AscendC::BlockReduceMin<T, false>(
        AscendC::TensorAt(dst), AscendC::TensorAt(src), repeat, 0, dst_repeat, src_block, src_repeat, site);
}

template <typename T>
inline void vcpadd(T* dst,
                   T* src,
                   uint8_t repeat,
                   uint16_t dst_repeat,
                   uint16_t src_block,
                   uint16_t src_repeat,
                   AscendC::Site site = AscendC::Site::here()) {
    AscendC::PairReduceSum<T, false>(
        AscendC::TensorAt(dst), AscendC::TensorAt(src), repeat, 0, dst_repeat, src_block, src_repeat, site);
}

enum Order_t : uint8_t { VALUE_INDEX = 0, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX };

template <typename T>
inline void vcmax(T* dst,
                  T* src,
                  uint8_t repeat,
                  uint16_t dst_repeat,
                  uint16_t src_block,
                  uint16_t src_repeat,
                  Order_t order = Order_t::VALUE_INDEX,
                  AscendC::Site site = AscendC::Site::here()) {
    AscendC::WholeReduceMax<T, false>(AscendC::TensorAt(dst),
                                      AscendC::TensorAt(src),
                                      0,
                                      repeat,
                                      dst_repeat,
                                      src_block,
                                      src_repeat,
                                      static_cast<AscendC::ReduceOrder>(order),
                                      site);
}

template <typename T>
inline void vcmin(T* dst,
                  T* src,
                  uint8_t repeat,
                  uint16_t dst_repeat,
                  uint16_t src_block,
                  uint16_t src_repeat,
                  Order_t order = Order_t::VALUE_INDEX,
                  AscendC::Site site = AscendC::Site::here()) {
    AscendC::WholeReduceMin<T, false>(AscendC::TensorAt(dst),
                                      AscendC::TensorAt(src),
                                      0,
                                      repeat,
                                      dst_repeat,
                                      src_block,
                                      src_repeat,
                                      static_cast<AscendC::ReduceOrder>(order),
                                      site);
}

inline int64_t get_acc_val() {
    return AscendC::GetAccVal();
}

inline int64_t get_rsvd_cnt() {
    return AscendC::GetGatherMaskRemainCount();
}

inline void set_deqscale(half scale) {
    AscendC::SetDeqScale(scale);
}

namespace AscendC {

// Names of the layer between, as some kernels call it.
template <typename... Arguments>
inline void BlockReduceSumIntrinsicsImpl(Arguments... arguments) {
    vcgadd(arguments...);
}

template <typename... Arguments>
inline void BlockReduceMaxIntrinsicsImpl(Arguments... arguments) {
    vcgmax(arguments...);
}

template <typename... Arguments>
inline void BlockReduceMinIntrinsicsImpl(Arguments... arguments) {
    vcgmin(arguments...);
}

template <typename T>
inline void DuplicateIntrinsicsImpl(
    T* dst, T value, uint8_t repeat, uint16_t dst_block, uint8_t dst_repeat, Site site = Site::here()) {
    vector_dup(dst, value, repeat, dst_block, 0, dst_repeat, 0, site);
}

template <typename T>
inline void AddsImpl(
    T* dst, T* src, std::type_identity_t<T> value, const int32_t& count, Site site = Site::here()) {
    Adds(TensorAt(dst), TensorAt(src), value, count, site);
}

template <typename T>
inline void MulsImpl(
    T* dst, T* src, std::type_identity_t<T> value, const int32_t& count, Site site = Site::here()) {
    Muls(TensorAt(dst), TensorAt(src), value, count, site);
}

template <typename T>
inline void AddImpl(T* dst, T* src0, T* src1, const int32_t& count, Site site = Site::here()) {
    Add(TensorAt(dst), TensorAt(src0), TensorAt(src1), count, site);
}

template <typename T>
inline void MulImpl(T* dst, T* src0, T* src1, const int32_t& count, Site site = Site::here()) {
    Mul(TensorAt(dst), TensorAt(src0), TensorAt(src1), count, site);
}

template <typename T, typename U>
inline void CastImpl(T* dst, U* src, RoundMode mode, const uint32_t count, Site site = Site::here()) {
    Cast(TensorAt(dst), TensorAt(src), mode, count, site);
}

template <typename T>
inline void TransDataTo5HDImpl(T* (&dst)[16],
                               T* (&src)[16],
                               const TransDataTo5HDParams& params,
                               Site site = Site::here()) {
    uint32_t to[16];
    uint32_t from[16];
    for (int i = 0; i < 16; ++i) {
        to[i] = TensorAt(dst[i]).address_.bufferAddr;
        from[i] = TensorAt(src[i]).address_.bufferAddr;
    }
    TransposeRows<T>(to, from, params, site);
}

inline int64_t GetSubBlockIdxImpl() {
    return GetSubBlockIdx();
}

}  // namespace AscendC
