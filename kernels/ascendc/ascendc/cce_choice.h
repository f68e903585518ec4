// SPDX-License-Identifier: Apache-2.0
// Comparison, selection and gathering by their intrinsic names.
#pragma once

#include "kernels/ascendc/ascendc/cce_vector.h"

// vcmpv: two tensors to bits in memory; vcmpvs: a tensor and a scalar; vcmp: two tensors to the register.
#define ASCENDSIM_COMPARE(suffix, mode)                                                             \
    template <typename T>                                                                           \
    inline void vcmpv_##suffix(uint8_t* dst,                                                        \
                               T* src0,                                                             \
                               T* src1,                                                             \
                               uint8_t repeat,                                                      \
                               uint8_t,                                                             \
                               uint8_t src0_block,                                                  \
                               uint8_t src1_block,                                                  \
                               uint8_t,                                                             \
                               uint8_t src0_repeat,                                                 \
                               uint8_t src1_repeat,                                                 \
                               AscendC::Site site = AscendC::Site::here()) {                        \
        AscendC::CompareCall(AscendC::TensorAt(dst),                                                \
                             AscendC::TensorAt(src0),                                               \
                             AscendC::TensorSide(AscendC::TensorAt(src1), src1_block, src1_repeat), \
                             AscendC::CMPMODE::mode,                                                \
                             AscendC::RegisterShape(repeat),                                        \
                             src0_block,                                                            \
                             src0_repeat,                                                           \
                             site);                                                                 \
    }                                                                                               \
    template <typename T>                                                                           \
    inline void vcmpvs_##suffix(uint8_t* dst,                                                       \
                                T* src0,                                                            \
                                std::type_identity_t<T> value,                                      \
                                uint8_t repeat,                                                     \
                                uint8_t,                                                            \
                                uint8_t src0_block,                                                 \
                                uint8_t,                                                            \
                                uint8_t src0_repeat,                                                \
                                AscendC::Site site = AscendC::Site::here()) {                       \
        AscendC::CompareCall(AscendC::TensorAt(dst),                                                \
                             AscendC::TensorAt(src0),                                               \
                             AscendC::ScalarSide<T>(value),                                         \
                             AscendC::CMPMODE::mode,                                                \
                             AscendC::RegisterShape(repeat),                                        \
                             src0_block,                                                            \
                             src0_repeat,                                                           \
                             site);                                                                 \
    }                                                                                               \
    template <typename T>                                                                           \
    inline void vcmp_##suffix(T* src0,                                                              \
                              T* src1,                                                              \
                              uint8_t,                                                              \
                              uint8_t,                                                              \
                              uint8_t src0_block,                                                   \
                              uint8_t src1_block,                                                   \
                              uint8_t,                                                              \
                              uint8_t src0_repeat,                                                  \
                              uint8_t src1_repeat,                                                  \
                              AscendC::Site site = AscendC::Site::here()) {                         \
        AscendC::Compare<T, false>(                                                                 \
            AscendC::TensorAt(src0),                                                                \
            AscendC::TensorAt(src1),                                                                \
            AscendC::CMPMODE::mode,                                                                 \
            AscendC::MASK_PLACEHOLDER,                                                              \
            AscendC::BinaryRepeatParams(1, src0_block, src1_block, 8, src0_repeat, src1_repeat),    \
            site);                                                                                  \
    }

ASCENDSIM_COMPARE(lt, LT)
ASCENDSIM_COMPARE(gt, GT)
ASCENDSIM_COMPARE(eq, EQ)
ASCENDSIM_COMPARE(le, LE)
ASCENDSIM_COMPARE(ge, GE)
ASCENDSIM_COMPARE(ne, NE)
#undef ASCENDSIM_COMPARE

inline void set_cmpmask(const void* mask, AscendC::Site site = AscendC::Site::here()) {
    AscendC::SetCmpMask(AscendC::TensorAt(static_cast<const uint8_t*>(mask)), site);
}

inline void get_cmpmask(void* mask, AscendC::Site site = AscendC::Site::here()) {
    AscendC::GetCmpMask(AscendC::TensorAt(static_cast<uint8_t*>(mask)), site);
}

/// Mode 0 chooses by the bits in the register of comparisons. In mode 1 that holds a scalar in place of the
/// second operand, whose address is that of the bits. In mode 2 its first word is the address of the bits.
template <typename T, typename U, typename Mode = uint8_t>
inline void vsel(T* dst,
                 T* src0,
                 U* src1,
                 uint8_t repeat,
                 uint8_t dst_block,
                 uint8_t src0_block,
                 uint8_t src1_block,
                 uint8_t dst_repeat,
                 uint8_t src0_repeat,
                 uint8_t src1_repeat,
                 Mode mode = Mode{},
                 AscendC::Site site = AscendC::Site::here()) {
    const AscendC::BinaryRepeatParams params(
        dst_block, src0_block, src1_block, dst_repeat, src0_repeat, src1_repeat);
    const auto number = static_cast<AscendC::SELMODE>(mode);
    const auto to = AscendC::TensorAt(dst);
    const auto first = AscendC::TensorAt(src0);
    const auto second = AscendC::TensorAt(reinterpret_cast<T*>(src1));
    const auto& held = ascendsim::isa::CorePort::current().registers().compare_mask;
    if (number == AscendC::SELMODE::VSEL_CMPMASK_SPR) {
        AscendC::Select(to, first, second, repeat, params, site);
        return;
    }
    const auto shape = AscendC::RegisterShape(repeat);
    if (number == AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE) {
        T value;
        __builtin_memcpy(static_cast<void*>(&value), &held[0], sizeof(T));
        AscendC::SelectCall(to,
                            AscendC::TensorAt(reinterpret_cast<uint8_t*>(src1)),
                            first,
                            AscendC::ScalarSide<T>(value),
                            number,
                            shape,
                            params,
                            site);
        return;
    }
    const auto bits = static_cast<uint32_t>(held[0]);
    AscendC::SelectCall(to,
                        AscendC::LocalTensor<uint8_t>(AscendC::TPosition::VECCALC, bits, 32),
                        first,
                        AscendC::TensorSide(second, src1_block, src1_repeat),
                        number,
                        shape,
                        params,
                        site);
}

/// Gathers elements `offsets` bytes behind the UB address `base`.
template <typename T>
inline void vgather(T* dst,
                    uint32_t* offsets,
                    uint32_t base,
                    uint16_t dst_repeat,
                    uint8_t repeat,
                    AscendC::Site site = AscendC::Site::here()) {
    if constexpr (AscendC::has_vector_unit) {
        ascendsim::isa::vector_gather(AscendC::Operand(AscendC::TensorAt(dst), 1, dst_repeat),
                                      base,
                                      AscendC::TensorAt(offsets).address_.bufferAddr,
                                      AscendC::RegisterShape(repeat),
                                      site);
    }
}

/// Gathers whole blocks of 32 B, `offsets` bytes behind the UB address `base`.
template <typename T>
inline void vgatherb(T* dst,
                     uint32_t* offsets,
                     uint32_t base,
                     uint16_t dst_repeat,
                     uint8_t dst_block,
                     uint8_t repeat,
                     AscendC::Site site = AscendC::Site::here()) {
    if constexpr (AscendC::has_vector_unit) {
        ascendsim::isa::vector_gather_blocks(AscendC::Operand(AscendC::TensorAt(dst), dst_block, dst_repeat),
                                             base,
                                             AscendC::TensorAt(offsets).address_.bufferAddr,
                                             repeat,
                                             site);
    }
}

/// GatherMask: by the bits at `bits`, or by pattern 1 to 7 when `pattern` names one, as a number or as an
/// enumeration of the caller's.
template <typename T, typename Pattern>
inline void vreducev2(T* dst,
                      T* src,
                      std::type_identity_t<T>* bits,
                      uint16_t repeat,
                      uint8_t src_block,
                      Pattern pattern,
                      uint16_t src_repeat,
                      uint8_t bits_repeat,
                      AscendC::Site site = AscendC::Site::here()) {
    AscendC::GatherMaskParams params(src_block, repeat, src_repeat, bits_repeat);
    const auto number = static_cast<uint8_t>(pattern);
    const bool counted = ascendsim::isa::CorePort::current().registers().mask_counter_mode;
    const auto count = static_cast<uint32_t>(ascendsim::isa::CorePort::current().registers().mask[0]);
    AscendC::GatherMaskCallOf(AscendC::TensorAt(dst),
                              AscendC::TensorAt(src),
                              number,
                              number == 0 ? AscendC::TensorAt(bits).address_.bufferAddr : 0,
                              counted,
                              count,
                              params,
                              site);
}
