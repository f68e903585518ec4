// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/comparison.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "kernels/plan/element.hpp"

namespace ascendsim::host {
namespace {

Comparison compare_halves(std::vector<double> got, std::vector<double> expected, const Tolerance& tolerance) {
    const Buffer buffer = Buffer::output("y", isa::DataType::half, {got.size()});
    std::vector<std::byte> bytes(buffer.bytes());
    for (std::size_t i = 0; i < got.size(); ++i) {
        write_element(buffer.type, bytes, i, got[i]);
    }
    return compare(
        buffer, bytes, [&](std::uint64_t i) { return expected[i]; }, tolerance);
}

TEST(Comparison, PassesWithinAbsoluteRelativeOrUlp) {
    EXPECT_TRUE(compare_halves({1.0}, {1.25}, {.output = "y", .absolute = 0.25}).passed());
    EXPECT_TRUE(compare_halves({100}, {125}, {.output = "y", .relative = 0.2}).passed());
    EXPECT_TRUE(compare_halves({1.0}, {1 + 0x1p-9}, {.output = "y", .ulp = 2}).passed());
    EXPECT_FALSE(compare_halves({1.0}, {1 + 0x1p-9}, {.output = "y", .ulp = 1}).passed());
}

TEST(Comparison, AddsWhatTheReferenceAllowsAnElement) {
    const Buffer buffer = Buffer::output("y", isa::DataType::float32, {2});
    std::vector<std::byte> bytes(buffer.bytes());
    write_element(buffer.type, bytes, 0, 1.5);
    write_element(buffer.type, bytes, 1, 1.5);
    const auto failures = [&](double first, double second) {
        return compare(
                   buffer,
                   bytes,
                   [](std::uint64_t) { return 1.0; },
                   {.output = "y", .absolute = 0.25},
                   [=](std::uint64_t i) { return i == 0 ? first : second; })
            .failures;
    };
    EXPECT_EQ(failures(0.25, 0.25), 0U);  // 0.5 apart
    EXPECT_EQ(failures(0.25, 0.125), 1U);
    EXPECT_EQ(failures(0.25, std::numeric_limits<double>::infinity()), 1U);
}

TEST(Comparison, FindsTheFirstFailureAndCountsAll) {
    const Comparison result = compare_halves({1, 2, 3, 4}, {1, 5, 3, 6}, {.output = "y", .absolute = 1});
    EXPECT_EQ(result.failures, 2);
    ASSERT_TRUE(result.first);
    EXPECT_EQ(result.first->index, 1);
    EXPECT_EQ(result.max_absolute, 3);
    EXPECT_EQ(result.tolerance.absolute, 1);
    EXPECT_EQ(result.max_relative, 0.6);
}

TEST(Comparison, TreatsNanAndInfinityAsValues) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(compare_halves({nan, infinity}, {nan, infinity}, {.output = "y"}).passed());
    EXPECT_FALSE(
        compare_halves({nan}, {1}, {.output = "y", .absolute = 1e9, .relative = 1e9, .ulp = 100}).passed());
    EXPECT_FALSE(compare_halves({infinity}, {1}, {.output = "y", .absolute = 1e9, .relative = 1}).passed());
    EXPECT_FALSE(compare_halves({1}, {nan}, {.output = "y", .absolute = 1e9, .ulp = 65535}).passed());
}

}  // namespace
}  // namespace ascendsim::host
