// SPDX-License-Identifier: Apache-2.0
// Small helpers that kernels take for granted.
#pragma once

#include "kernels/ascendc/ascendc/layout.h"
#include "kernels/ascendc/ascendc/std.h"
#include "kernels/ascendc/ascendc/vector/vector_call.h"

#ifndef likely
#define likely(x) __builtin_expect(!!(x), 1)
#endif
#ifndef unlikely
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif

namespace AscendC {

template <typename T, typename U>
struct IsSameType {
    static constexpr bool value = std::is_same_v<T, U>;
};

template <bool condition, typename T, typename U>
struct Conditional {
    using type = std::conditional_t<condition, T, U>;
};

inline constexpr uint32_t DivCeil(uint32_t a, uint32_t b) {
    return b == 0 ? 0 : (a + b - 1) / b;
}

inline constexpr uint32_t CeilDivision(int32_t a, int32_t b) {
    return b == 0 ? 0U : static_cast<uint32_t>((a + b - 1) / b);
}

// Kernels define functions of these names themselves; the empty packs let theirs win.

/// Quotients of whole numbers rounded up; 0 for a divisor of 0.
template <typename T, typename U, typename... None>

requires(sizeof...(None) == 0) constexpr auto CeilDiv(T a, U b, None...) {
    return b == 0 ? 0 : (a + b - 1) / b;
}

template <typename T, typename U, typename... None>

requires(sizeof...(None) == 0) constexpr auto Ceil(T a, U b, None...) {
    return CeilDiv(a, b);
}

/// The next multiple of `b` above, and below.
template <typename T, typename U, typename... None>

requires(sizeof...(None) == 0) constexpr auto Align(T a, U b, None...) {
    return CeilDiv(a, b) * b;
}

template <typename T, typename U, typename... None>

requires(sizeof...(None) == 0) constexpr auto AlignDown(T a, U b, None...) {
    return b == 0 ? 0 : a / b * b;
}

template <typename T, typename U, typename... None>

requires(sizeof...(None) == 0) constexpr auto CeilAlign(T a, U b, None...) {
    return Align(a, b);
}

/// The bits of a number as an unsigned integer of its size.
template <typename T>
inline auto GetScalarBitcodeValue(T value) {
    using Bits = std::conditional_t<
        sizeof(T) == 1,
        uint8_t,
        std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;
    Bits bits;
    __builtin_memcpy(&bits, &value, sizeof(bits));
    return bits;
}

struct TrueType {};

struct FalseType {};

inline constexpr uint32_t AlignUp(uint32_t a, uint32_t b) {
    return DivCeil(a, b) * b;
}

template <typename T = uint8_t>
inline constexpr uint32_t GetDataBlockSizeInBytes() {
    return 32;
}

inline constexpr uint32_t GetDataBlockSizeInBytes() {
    return 32;
}

inline constexpr uint32_t GetVecLen() {
    return 256;
}

inline uint32_t GetUBSizeInBytes() {
    return ascendsim::isa::buffer_capacity(ascendsim::Memory::ub);
}

template <TPosition position = TPosition::VECCALC>
inline uint32_t GetRemainedUbSize() {
    return GetUBSizeInBytes() - static_cast<uint32_t>(GetTPipePtr()->GetQueueEndAddress(position));
}

/// Bits of an element; int4b_t has 4.
template <typename T>
struct SizeOfBits {
    static constexpr std::size_t value = std::is_same_v<T, int4b_t> ? 4 : sizeof(T) * 8;
};

/// Columns of a block of the NZ layout.
template <typename T>
inline constexpr uint32_t AuxGetC0Size() {
    return static_cast<uint32_t>(256 / SizeOfBits<T>::value);
}

/// Every access is checked; nothing to declare.
template <typename T>
inline void OOMCheckAddrRange(__gm__ T*, const uint64_t) {}

/// Mask registers by static calls, as older kernels write them.
class AscendCUtils {
public:
    static void SetOverflow(uint64_t) {}

    template <typename T, bool isSetMask = true>
    static void SetMask(const uint64_t& high, const uint64_t& low) {
        if (isSetMask) {
            ascendsim::isa::set_mask_bits(low, high);
        }
    }

    template <typename T, bool isSetMask = true>
    static void SetMask(int32_t lanes) {
        if (isSetMask) {
            ascendsim::isa::set_mask_lanes(static_cast<uint64_t>(lanes));
        }
    }

    template <bool isSetMask = true>
    static void SetMaskCount() {
        ascendsim::isa::set_mask_mode(true);
    }

    template <bool isSetMask = true>
    static void SetMaskNorm() {
        ascendsim::isa::set_mask_mode(false);
    }

    template <typename T, bool isSetMask = true>
    static void SetMaskCount() {
        SetMaskCount<isSetMask>();
    }

    template <typename T, bool isSetMask = true>
    static void SetMaskNorm() {
        SetMaskNorm<isSetMask>();
    }

    static void ResetMask() { ascendsim::isa::set_mask_bits(FULL_MASK, FULL_MASK); }

    /// The count that GatherMask left.
    static int64_t GetRsvdCnt() {
        return static_cast<int64_t>(ascendsim::isa::CorePort::current().registers().gather_count);
    }

    static int32_t GetC0Count(int32_t size) { return 32 / size; }

    static int32_t GetBitSize(int32_t bytes) { return bytes * 8; }
};

}  // namespace AscendC
