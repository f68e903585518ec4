// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/port/access.hpp"
#include "models/port/data_type.hpp"

namespace ascendsim::isa {

inline constexpr std::uint32_t block_bytes = 32;       // the unit of every stride and of alignment in UB
inline constexpr std::uint32_t blocks_per_repeat = 8;  // a repeat takes 256 bytes of the widest operand

/// How one operand of a vector instruction lies in the unified buffer. Strides count 32-byte blocks: from
/// block to block inside a repeat, and from repeat to repeat.
struct VectorOperand {
    std::uint32_t offset = 0;  // B
    std::uint16_t block_stride = 1;
    std::uint16_t repeat_stride = blocks_per_repeat;
    DataType type = DataType::float32;

    [[nodiscard]] std::uint32_t size() const { return bits(type) / 8; }
};

/// Which lanes a vector instruction works on.
///
/// Normal mode: `repeats` repeats, of which the lanes with a set bit in `mask` take part. Counter mode: the
/// first `count` elements, in as many repeats as that needs.
struct VectorShape {
    std::array<std::uint64_t, 2> mask{~std::uint64_t{0}, ~std::uint64_t{0}};  // low, high
    std::uint32_t count = 0;
    std::uint32_t repeats = 1;
    bool counter = false;
    std::uint64_t asked = 0;  // lanes that the call asks for, by number or by bits; 0: by the register

    [[nodiscard]] static VectorShape of_count(std::uint32_t count) {
        return {.count = count, .counter = true};
    }

    /// `repeats` repeats of their first `lanes` lanes.
    [[nodiscard]] static VectorShape of_lanes(std::uint64_t lanes, std::uint32_t repeats);

    [[nodiscard]] static VectorShape of_bits(std::uint64_t low, std::uint64_t high, std::uint32_t repeats) {
        return {.mask = {low, high}, .repeats = repeats};
    }

    [[nodiscard]] std::uint32_t repeat_count(std::uint32_t lanes) const {
        return counter ? (count + lanes - 1) / lanes : repeats;
    }

    /// The leading lanes that repeat `r` uses, if they are a prefix; `lanes` + 1 if the mask has holes.
    [[nodiscard]] std::uint32_t prefix(std::uint32_t r, std::uint32_t lanes) const {
        if (counter) {
            return count - r * lanes < lanes ? count - r * lanes : lanes;
        }
        return mask_prefix(lanes);
    }

    [[nodiscard]] bool active(std::uint32_t r, std::uint32_t lane, std::uint32_t lanes) const {
        return counter ? r * lanes + lane < count : ((mask[lane / 64] >> (lane % 64)) & 1U) != 0;
    }

    /// Elements that take part in all.
    [[nodiscard]] std::uint32_t elements(std::uint32_t lanes) const;

private:
    [[nodiscard]] std::uint32_t mask_prefix(std::uint32_t lanes) const;
};

/// Byte offset of lane `lane` of repeat `r`.
[[nodiscard]] inline std::uint32_t lane_offset(const VectorOperand& operand,
                                               std::uint32_t r,
                                               std::uint32_t lane) {
    const std::uint32_t byte = lane * operand.size();
    return operand.offset + r * operand.repeat_stride * block_bytes +
           byte / block_bytes * operand.block_stride * block_bytes + byte % block_bytes;
}

/// The bytes an operand with `lanes` lanes per repeat touches, as one access (a covering one where strides
/// nest).
[[nodiscard]] Access operand_access(const VectorOperand& operand,
                                    const VectorShape& shape,
                                    std::uint32_t lanes);

}  // namespace ascendsim::isa
