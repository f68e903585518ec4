// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "models/isa/vector/elementwise.hpp"
#include "models/numbers/half.hpp"
#include "models/port/testing/plain_core.hpp"

namespace ascendsim::isa {

/// A vector core with random data in its unified buffer, for tests of vector instructions.
class VectorBench : public testing::Test {
protected:
    static constexpr std::uint32_t seed = 20260101;

    void TearDown() override {
        if (HasFailure()) {
            ADD_FAILURE() << "random data came from seed " << seed;
        }
    }

    [[nodiscard]] std::uint32_t below(std::uint32_t limit) {
        return static_cast<std::uint32_t>(random() % limit);
    }

    [[nodiscard]] std::byte* ub() { return core.local(Memory::ub).data(); }

    template <class T>
    [[nodiscard]] T at(std::uint32_t offset) {
        T value;
        std::memcpy(static_cast<void*>(&value), ub() + offset, sizeof(T));
        return value;
    }

    template <class T>
    void put(std::uint32_t offset, T value) {
        std::memcpy(ub() + offset, static_cast<const void*>(&value), sizeof(T));
    }

    /// Fills UB with small numbers of the type, which every operation takes without overflow.
    template <class T>
    void fill_small() {
        for (std::uint32_t offset = 0; offset + sizeof(T) <= core.local(Memory::ub).size();
             offset += sizeof(T)) {
            put<T>(offset, static_cast<T>(static_cast<float>(below(64)) + 1.0F));
        }
    }

    [[nodiscard]] std::vector<std::byte> snapshot() { return {ub(), ub() + core.local(Memory::ub).size()}; }

    template <class T>
    [[nodiscard]] static T in(const std::vector<std::byte>& bytes, std::uint32_t offset) {
        T value;
        std::memcpy(static_cast<void*>(&value), bytes.data() + offset, sizeof(T));
        return value;
    }

    /// A random shape whose operands stay within 32 KiB of their start.
    [[nodiscard]] VectorShape random_shape(std::uint32_t lanes) {
        switch (below(3)) {
            case 0:
                return VectorShape::of_count(1 + below(6 * lanes));
            case 1:
                return VectorShape::of_lanes(1 + below(lanes), 1 + below(6));
            default:
                return VectorShape::of_bits(random(), random(), 1 + below(6));
        }
    }

    [[nodiscard]] VectorOperand random_operand(std::uint32_t offset, DataType type, bool destination) {
        const auto block = static_cast<std::uint16_t>(destination ? 1 + below(3) : below(4));
        const auto repeat = static_cast<std::uint16_t>(destination ? 8U * block + below(3) : below(12));
        return {offset, block, repeat, type};
    }

    ChipSpec chip;
    GlobalMemory memory{1U << 24U};
    PlainCore core{chip, memory, CoreKind::aiv};
    std::mt19937_64 random{seed};
};

}  // namespace ascendsim::isa
