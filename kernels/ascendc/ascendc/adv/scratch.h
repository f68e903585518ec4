// SPDX-License-Identifier: Apache-2.0
// Temporary space of the high-level API: a tensor that the caller gives, or what the pipe has left of the
// unified buffer.
#pragma once

#include <string>

#include "kernels/ascendc/ascendc/memory_init.h"

namespace AscendC::adv {

/// How many elements a call works on: a number, or all of the source.
struct Count {
    static constexpr uint32_t all = 0xffffffffU;

    Count() = default;

    template <typename I>

    requires std::is_integral_v<I> Count(I n) : value(static_cast<uint32_t>(n)) {}

    template <typename T>
    [[nodiscard]] uint32_t Of(const LocalTensor<T>& source) const {
        return value == all ? source.GetSize() : value;
    }

    uint32_t value = all;
};

/// Hands out a piece of the unified buffer from its start, in steps of 32 bytes.
class Scratch {
public:
    /// Everything the pipe has left.
    Scratch(const char* call, Site site) : call_(call), site_(site) {
        if constexpr (has_vector_unit) {
            PopStackBuffer<uint8_t, TPosition::LCM>(memory_);
        }
    }

    /// The tensor that the caller gives.
    Scratch(const char* call, const LocalTensor<uint8_t>& given, Site site)
        : memory_(given), call_(call), site_(site) {}

    template <typename T>
    LocalTensor<T> Take(uint32_t elements) {
        const uint32_t bytes = AlignUp32(static_cast<uint32_t>(BytesOf<T>(elements)));
        if (bytes > Room()) {
            Refuse(bytes);
        }
        LocalTensor<uint8_t> piece = memory_[used_];
        piece.address_.dataLen = bytes;
        used_ += bytes;
        return piece.template ReinterpretCast<T>();
    }

    /// Bytes that are left.
    [[nodiscard]] uint32_t Room() const {
        return memory_.address_.dataLen > used_ ? memory_.address_.dataLen - used_ : 0;
    }

    /// Elements of 4 bytes that each of `nodes` pieces can hold: up to `wanted`, whole repeats unless that is
    /// less.
    [[nodiscard]] uint32_t Share(uint32_t nodes, uint32_t wanted) const {
        const uint32_t whole = (wanted + 7U) / 8U * 8U;
        uint32_t share = nodes == 0 ? whole : Room() / (4U * nodes) / 8U * 8U;
        if (share >= whole) {
            return whole;
        }
        if (share >= 64) {
            share = share / 64U * 64U;
        }
        if (share == 0) {
            Refuse(32U * nodes);
        }
        return share;
    }

    [[noreturn]] void Refuse(uint32_t bytes) const {
        ascendsim::isa::kernel_fault(call_,
                                     "needs at least " + std::to_string(bytes) +
                                         " bytes of temporary space, has " + std::to_string(Room()),
                                     site_);
    }

    static uint32_t AlignUp32(uint32_t bytes) { return (bytes + 31U) / 32U * 32U; }

private:
    LocalTensor<uint8_t> memory_;
    uint32_t used_ = 0;
    const char* call_;
    Site site_;
};

}  // namespace AscendC::adv
