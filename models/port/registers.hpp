// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace ascendsim::isa {

/// What DMA and fixpipe writes to global memory do while set (SetAtomicAdd and relatives).
enum class AtomicMode : std::uint8_t { none, add, max, min };

/// Bits of CTRL with an effect (PTO-ISA, include/pto/common/constants.hpp and npu/a2a3/TCvt.hpp): fp32
/// operands of Mmad are rounded to HF32, how, and integers outside of a conversion's range keep their low
/// bits.
inline constexpr unsigned control_hf32 = 46;
inline constexpr unsigned control_hf32_trans = 47;
inline constexpr unsigned control_low_bits = 59;

/// The special registers of a core that outlive one instruction.
struct Registers {
    std::array<std::uint64_t, 2> mask{~std::uint64_t{0}, ~std::uint64_t{0}};  // low, high
    bool mask_counter_mode = false;  // SetMaskCount: mask[0] is an element count
    bool mask_written = false;       // since the last vector instruction
    AtomicMode atomic = AtomicMode::none;
    std::uint8_t atomic_type = 0;                 // isa::DataType of the atomic
    float deq_scale = 1.0F;                       // SetDeqScale
    std::array<std::uint64_t, 2> compare_mask{};  // CMPMASK
    std::uint64_t reduce_accumulator = 0;         // GetAccVal, bits
    std::uint64_t reduce_index = 0;
    std::uint64_t gather_count = 0;  // GatherMask's remaining count
    bool mm_layout_transform = false;
    std::uint64_t load_padding = 0;          // SetLoadDataPaddingValue, bits
    std::array<std::uint64_t, 3> fmatrix{};  // SetFmatrix: feature map of load3d
    std::array<std::uint64_t, 4> fixpipe{};  // SetFixPipeConfig, nz2nd parameters, quantisation scalar
    std::uint64_t pad_value = 0;             // DataCopyPad's padding, bits
    std::uint64_t control = 0;               // CTRL
    std::array<std::array<std::uint32_t, 8>, 8> addresses{};  // VA0 to VA7: rows of a transposition, B in UB
    std::array<std::uint64_t, 8> user{};                      // anything else a header needs to keep per core

    [[nodiscard]] bool control_bit(unsigned bit) const { return ((control >> bit) & 1U) != 0; }

    void set_control(unsigned bit, bool on) {
        const std::uint64_t value = std::uint64_t{1} << bit;
        control = on ? control | value : control & ~value;
    }
};

}  // namespace ascendsim::isa
