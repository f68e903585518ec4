// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/numbers/bfloat16.hpp"
#include "models/numbers/half.hpp"
#include "models/port/issue.hpp"
#include "models/port/testing/plain_core.hpp"

namespace ascendsim::isa {

/// A cube core with random numbers at hand; the seed is printed with every failure.
class CubeFixture : public testing::Test {
protected:
    CubeFixture() : trace_{__FILE__, __LINE__, "seed " + std::to_string(seed_)} {}

    [[nodiscard]] std::uint32_t random(std::uint32_t low, std::uint32_t high) {
        return std::uniform_int_distribution<std::uint32_t>{low, high}(random_);
    }

    /// Fills `bytes` of a buffer with anything.
    void scramble(std::byte* to, std::size_t bytes) {
        for (std::size_t i = 0; i < bytes; ++i) {
            to[i] = static_cast<std::byte>(random_());
        }
    }

    [[nodiscard]] std::byte* local(Memory memory, std::size_t offset = 0) {
        return core_.local(memory).data() + offset;
    }

    template <class T>
    [[nodiscard]] static T get(const std::byte* from, std::size_t index) {
        T value;
        std::memcpy(&value, from + index * sizeof(T), sizeof(T));
        return value;
    }

    template <class T>
    static void put(std::byte* to, std::size_t index, T value) {
        std::memcpy(to + index * sizeof(T), &value, sizeof(T));
    }

    /// Issues and returns the timed operation.
    template <class Instruction>
    TimedOp issued(const Instruction& instruction) {
        issue(instruction, Site::here());
        return core_.ops().back();
    }

    /// The sentence an instruction fails with, or nothing.
    template <class Instruction>
    std::string failure(const Instruction& instruction) {
        try {
            issue(instruction, Site::here());
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return {};
    }

    std::uint32_t seed_ = std::random_device{}();
    std::mt19937 random_{seed_};
    testing::ScopedTrace trace_;
    ChipSpec chip_;
    GlobalMemory memory_{64U << 20U};
    PlainCore core_{chip_, memory_, CoreKind::aic};
};

}  // namespace ascendsim::isa
