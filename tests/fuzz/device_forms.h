// SPDX-License-Identifier: Apache-2.0
// Operands of an instruction for the Ascend C headers, and the overload that its form asks for.
#pragma once

#include "kernel_operator.h"
#include "tests/fuzz/instruction.hpp"

namespace fuzz {

using namespace AscendC;  // as kernels do

template <typename T>
inline LocalTensor<T> At(uint32_t offset) {
    return LocalTensor<T>(TPosition::VECCALC, offset, (fuzz::image_bytes - offset) / sizeof(T));
}

template <typename T>
inline T Scalar(const Instruction& i) {
    T value;
    __builtin_memcpy(static_cast<void*>(&value), &i.scalar, sizeof(T));
    return value;
}

inline UnaryRepeatParams Strides2(const Instruction& i) {
    return {static_cast<uint16_t>(i.block_stride[0]),
            static_cast<uint16_t>(i.block_stride[1]),
            static_cast<uint8_t>(i.repeat_stride[0]),
            static_cast<uint8_t>(i.repeat_stride[1])};
}

inline BinaryRepeatParams Strides3(const Instruction& i) {
    return {static_cast<uint8_t>(i.block_stride[0]),
            static_cast<uint8_t>(i.block_stride[1]),
            static_cast<uint8_t>(i.block_stride[2]),
            static_cast<uint8_t>(i.repeat_stride[0]),
            static_cast<uint8_t>(i.repeat_stride[1]),
            static_cast<uint8_t>(i.repeat_stride[2])};
}

/// Calls one of the overloads of a function, by the instruction's form.
template <typename T, class Counted, class Masked, class Registers>
inline void InForm(const Instruction& i, Counted counted, Masked masked, Registers registers) {
    uint64_t bits[2]{i.mask[0], i.mask[1]};
    switch (i.form) {
        case Form::count:
            counted(static_cast<int32_t>(i.count));
            break;
        case Form::lanes:
            masked(static_cast<uint64_t>(i.count));
            break;
        case Form::bits:
            masked(bits);
            break;
        case Form::registers:
            SetVectorMask<T>(i.mask[1], i.mask[0]);
            registers();
            ResetMask();
            break;
        case Form::counter:
            SetMaskCount();
            SetVectorMask<T, MaskMode::COUNTER>(static_cast<int32_t>(i.count));
            registers();
            SetMaskNorm();
            ResetMask();
            break;
    }
}

// One line per function: its count form, its mask forms and its form with the mask register.
#define FUZZ_FORMS(T, Name, strides, ...)                                                         \
    InForm<T>(                                                                                    \
        i,                                                                                        \
        [&](int32_t n) { Name(__VA_ARGS__, n); },                                                 \
        [&](auto mask) { Name(__VA_ARGS__, mask, static_cast<uint8_t>(i.repeats), strides(i)); }, \
        [&] { Name<T, false>(__VA_ARGS__, MASK_PLACEHOLDER, static_cast<uint8_t>(i.repeats), strides(i)); })

// The same for functions whose sources have a type of their own.
#define FUZZ_FORMS_OF_TWO(T, Name, strides, ...)                                                           \
    InForm<T>(                                                                                             \
        i,                                                                                                 \
        [&](int32_t n) { Name(__VA_ARGS__, n); },                                                          \
        [&](auto mask) { Name(__VA_ARGS__, mask, static_cast<uint8_t>(i.repeats), strides(i)); },          \
        [&] {                                                                                              \
            Name<T, T, false>(__VA_ARGS__, MASK_PLACEHOLDER, static_cast<uint8_t>(i.repeats), strides(i)); \
        })

}  // namespace fuzz
