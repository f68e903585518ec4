// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/poison/poison.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "models/numbers/bfloat16.hpp"
#include "models/numbers/half.hpp"

namespace ascendsim::sanitize {
namespace {

constexpr std::size_t poisoned_bytes = 4096;

std::vector<std::byte> filled(const Poison& poison, Memory memory, std::uint64_t offset) {
    std::vector<std::byte> memory_bytes(poisoned_bytes);
    poison.fill(memory_bytes, memory, offset);
    return memory_bytes;
}

template <class T>
T at(const std::vector<std::byte>& from, std::size_t i) {
    T value{};
    std::memcpy(&value, from.data() + i * sizeof(T), sizeof(T));
    return value;
}

TEST(Poison, IsNoNumberInAnyFloatingPointType) {
    const std::vector<std::byte> all = filled({}, Memory::ub, 0);
    for (std::size_t i = 0; i < poisoned_bytes / 4; ++i) {
        EXPECT_TRUE(std::isnan(at<float>(all, i)));
        EXPECT_TRUE(std::isnan(numbers::HalfFormat::to_float(at<std::uint16_t>(all, 2 * i))));
        EXPECT_TRUE(std::isnan(numbers::Bfloat16Format::to_float(at<std::uint16_t>(all, 2 * i + 1))));
    }
}

TEST(Poison, OfAnotherSeedIsFiniteAndDiffersEverywhere) {
    const std::vector<std::byte> of_first_seed = filled({.seed = 1}, Memory::ub, 0);
    const std::vector<std::byte> of_second_seed = filled({.seed = 2}, Memory::ub, 0);
    std::size_t equal = 0;
    for (std::size_t i = 0; i < poisoned_bytes / 2; ++i) {
        const float value = numbers::HalfFormat::to_float(at<std::uint16_t>(of_first_seed, i));
        EXPECT_GE(std::fabs(value), 0x1p-7F);
        EXPECT_LT(std::fabs(value), 0x1p9F);
        equal += at<std::uint16_t>(of_first_seed, i) == at<std::uint16_t>(of_second_seed, i) ? 1U : 0U;
    }
    EXPECT_LE(equal, 4U);  // of 2048 halfwords with 15 free bits each, 0.06 on average
}

TEST(Poison, HasSeedsWhoseNumbersAreTheSameEverywhere) {
    const auto half = [](std::uint64_t seed) {
        return numbers::HalfFormat::to_float(at<std::uint16_t>(filled({.seed = seed}, Memory::ub, 0), 5));
    };
    EXPECT_EQ(half(Poison::largest), 65504.0F);
    EXPECT_EQ(half(Poison::least), -65504.0F);
    EXPECT_EQ(half(Poison::zero), 0.0F);
    const float large = at<float>(filled({.seed = Poison::largest}, Memory::ub, 0), 3);
    EXPECT_TRUE(std::isfinite(large));
    EXPECT_GT(large, 0x1p120F);
    const float least = at<float>(filled({.seed = Poison::least}, Memory::ub, 0), 3);
    EXPECT_TRUE(std::isfinite(least));
    EXPECT_LT(least, -0x1p120F);
}

TEST(Poison, DependsOnThePlaceAlone) {
    const Poison poison{.seed = 3};
    const std::vector<std::byte> all = filled(poison, Memory::l1, 0);
    const std::vector<std::byte> behind = filled(poison, Memory::l1, 1003);
    EXPECT_TRUE(std::equal(all.begin() + 1003, all.end(), behind.begin()));
    EXPECT_NE(all, filled(poison, Memory::ub, 0));
    EXPECT_TRUE(poison.left(behind, Memory::l1, 1003));
    EXPECT_FALSE(poison.left(behind, Memory::l1, 1004));
}

TEST(Poison, OfAnAreaDiffersThereAndNowhereElse) {
    const std::vector<std::byte> plain = filled({}, Memory::ub, 0);
    const std::vector<std::byte> other = filled(
        {.area = Poison::Area{.memory = Memory::ub, .begin = 100, .end = 200, .seed = 1}}, Memory::ub, 0);
    EXPECT_TRUE(std::equal(plain.begin(), plain.begin() + 100, other.begin()));
    EXPECT_TRUE(std::equal(plain.begin() + 200, plain.end(), other.begin() + 200));
    EXPECT_FALSE(std::equal(plain.begin() + 100, plain.begin() + 200, other.begin() + 100));
}

}  // namespace
}  // namespace ascendsim::sanitize
