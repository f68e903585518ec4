// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "models/isa/vector/vector_shape.hpp"
#include "models/port/core_port.hpp"

namespace ascendsim::isa {

/// Every operation that works lane by lane. Operands: dst, a, b and a scalar; which of them an operation uses
/// follows from its name.
enum class LaneOp : std::uint8_t {
    // dst = f(a)
    abs,
    exp,
    ln,
    sqrt,
    rsqrt,
    reciprocal,
    relu,
    bit_not,
    neg,
    copy,
    // dst = f(a, b)
    add,
    sub,
    mul,
    div,
    max,
    min,
    bit_and,
    bit_or,
    bit_xor,
    add_relu,
    sub_relu,
    abs_sub,
    // dst = f(a, scalar)
    adds,
    muls,
    maxs,
    mins,
    shift_left,
    shift_right,
    shift_right_round,
    leaky_relu,
    // dst = f(scalar)
    duplicate,
    // dst = f(dst, a, b) or f(dst, a, scalar)
    axpy,
    mul_add_dst,
    fused_mul_add,
    fused_mul_add_relu,
};

/// A scalar operand, in the representation of the type it is meant for.
struct ScalarBits {
    std::uint64_t bits = 0;

    ScalarBits() = default;

    template <class T>
    explicit ScalarBits(T value) {
        __builtin_memcpy(&bits, static_cast<const void*>(&value), sizeof(T));
    }

    template <class T>
    [[nodiscard]] T as() const {
        T value;
        __builtin_memcpy(static_cast<void*>(&value), &bits, sizeof(T));
        return value;
    }
};

/// Computes `n` neighbouring lanes. The pointers are equal or do not overlap.
using LaneKernel = void (*)(void* dst, const void* a, const void* b, ScalarBits scalar, std::size_t n);

/// An instruction repeats at most so often: the field has 8 bits.
inline constexpr std::uint32_t most_repeats = 255;

/// False if `shape` asks for more lanes than the `lanes` of a repeat, or for more repeats than there are.
[[nodiscard]] inline bool fits(const VectorShape& shape, std::uint32_t lanes) {
    return shape.asked <= lanes && (shape.counter || shape.repeats <= most_repeats);
}

/// What is wrong with a shape that does not fit.
[[nodiscard]] std::string misfit(const VectorShape& shape, std::uint32_t lanes);
/// Fails unless `shape` fits.
void check_shape(const VectorShape& shape, std::uint32_t lanes, const OpInfo& info, Site site);

/// A lane-wise instruction, ready to issue.
struct Elementwise {
    const OpInfo& info;
    const VectorCost VectorSpec::*cost;
    LaneKernel kernel;
    VectorOperand dst;
    std::array<VectorOperand, 2> sources;
    std::uint8_t source_count = 0;
    bool reads_dst = false;
    ScalarBits scalar;
    VectorShape shape;

    [[nodiscard]] std::uint32_t lanes() const;

    /// False if the mask's number asks for more lanes than a repeat has, or for too many repeats.
    [[nodiscard]] bool legal() const { return fits(shape, lanes()); }

    [[nodiscard]] std::string fault() const { return misfit(shape, lanes()); }

    /// True if a source overlaps the destination otherwise than the interface allows: within a repeat they
    /// are the same or apart, and no repeat reads what the one before wrote. But sums into one place may:
    /// Add, Sub, Mul, Max, Min, AddRelu and SubRelu of half, int32 and float, with source 1 and a repeat
    /// stride of 0 [docs/sources.md, S32]. Within a repeat, operands of different widths are not judged.
    [[nodiscard]] bool tangled() const;
    [[nodiscard]] std::string overlap() const;
    void accesses(Accesses& list) const;
    void time(const ChipSpec& chip, TimedOp& op) const;
    void execute(CorePort& core) const;
};

/// Operands of lanes(): one call serves all of LaneOp.
struct LaneCall {
    VectorOperand dst;
    VectorOperand a;
    VectorOperand b;
    ScalarBits scalar;
    VectorShape shape;
};

/// Issues a lane-wise instruction on the running core. Fails if the operation is not defined for the
/// operands' types or an operand is not 32-byte aligned.
void lanes(LaneOp op, const LaneCall& call, Site site);

/// Copies inside UB. In counter mode the mask counts the elements of each repeat, and the repeats count,
/// unlike with every other instruction (API reference, Copy). A repeat of more than 256 B is issued by
/// itself.
inline void copy_lanes(const VectorOperand& dst,
                       const VectorOperand& src,
                       const VectorShape& shape,
                       std::uint32_t repeats,
                       Site site) {
    const std::uint32_t lanes_of_repeat = blocks_per_repeat * block_bytes / dst.size();
    if (!shape.counter) {
        lanes(LaneOp::copy, {dst, src, {}, {}, shape}, site);
    } else if (shape.count <= lanes_of_repeat) {
        lanes(LaneOp::copy, {dst, src, {}, {}, VectorShape::of_lanes(shape.count, repeats)}, site);
    } else {
        const auto repeat_at = [](VectorOperand operand, std::uint32_t r) {
            operand.offset += r * operand.repeat_stride * block_bytes;
            operand.repeat_stride = static_cast<std::uint16_t>(blocks_per_repeat * operand.block_stride);
            return operand;
        };
        for (std::uint32_t r = 0; r < repeats; ++r) {
            lanes(LaneOp::copy, {repeat_at(dst, r), repeat_at(src, r), {}, {}, shape}, site);
        }
    }
}

/// Fills the timing of a vector instruction: slope and latency of `cost`, for operands up to `width` bytes
/// wide. Calls that write the mask before it, as those of the API do, add the latency to the time it holds
/// the unit: 1000 times Add of 64 repeats takes 88 cycles each (MICRO-003), of 127 repeats 149.6 (VEC-008).
struct VectorTiming {
    std::uint32_t repeats = 0;
    std::uint32_t width = 4;
    std::uint32_t conflict = 0;
    bool ragged_counter = false;
};

void time_vector(const VectorSpec& spec, const VectorCost& cost, const VectorTiming& timing, TimedOp& op);

/// Fails unless `operand` starts at a multiple of `alignment` bytes.
[[noreturn]] void fail_alignment(
    std::uint32_t offset, std::string_view role, const OpInfo& info, Site site, std::uint32_t alignment);

inline void check_aligned(std::uint32_t offset,
                          std::string_view role,
                          const OpInfo& info,
                          Site site,
                          std::uint32_t alignment = block_bytes) {
    if (offset % alignment != 0) [[unlikely]] {
        fail_alignment(offset, role, info, site, alignment);
    }
}

/// Issues `instruction` after the alignment checks of its operands.
void issue_elementwise(const Elementwise& instruction, Site site);

}  // namespace ascendsim::isa
