// SPDX-License-Identifier: Apache-2.0
// Runs one case of adv_shapes.cpp.
#pragma once

#include <cstdint>

#include "kernels/ascendc/testing/vector_cycles.hpp"

struct ShapesArguments {
    std::uint32_t which;
    std::uint32_t m;
    std::uint32_t n;
    std::uint32_t k;
};

extern "C" void adv_shapes(std::uint8_t* in, std::uint8_t* out, ShapesArguments arguments);

namespace ascendsim::isa {

inline constexpr std::uint32_t slot = 8192;

/// One call: inputs by slot, then go(), then outputs by slot.
class Call {
public:
    Call() {
        in_ = reinterpret_cast<std::uint8_t*>(memory_.allocate("in", 5 * slot));
        out_ = reinterpret_cast<std::uint8_t*>(memory_.allocate("out", 3 * slot));
    }

    template <class T>
    T* in(std::uint32_t i) {
        return reinterpret_cast<T*>(in_ + i * slot);
    }

    template <class T>
    const T* out(std::uint32_t i) {
        return reinterpret_cast<const T*>(out_ + i * slot);
    }

    /// Fills a slot with different multiples of 1/16 between -8 and 8, in an irregular order.
    template <class T>
    T* fill(std::uint32_t i) {
        T* data = in<T>(i);
        for (std::uint32_t at = 0; at < slot / sizeof(T); ++at) {
            data[at] = static_cast<T>(static_cast<float>(static_cast<int>(at * 97 % 257) - 128) / 16.0F);
        }
        return data;
    }

    void go(std::uint32_t which, std::uint32_t m, std::uint32_t n, std::uint32_t k = 0) {
        PlainCore core{chip_, memory_, CoreKind::aiv};
        adv_shapes(in_, out_, {which, m, n, k});
        vector_cycles_ = vector_cycles_after_first(core);
    }

    /// Cycles that the function's instructions hold the vector unit, at the costs of a default chip.
    [[nodiscard]] std::uint64_t vector_cycles() const { return vector_cycles_; }

private:
    ChipSpec chip_;
    GlobalMemory memory_{1U << 21U};
    std::uint8_t* in_ = nullptr;
    std::uint8_t* out_ = nullptr;
    std::uint64_t vector_cycles_ = 0;
};

}  // namespace ascendsim::isa
