// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/content.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>

#include "kernels/plan/element.hpp"
#include "kernels/plan/npy.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

std::vector<double> generated(const Buffer& buffer, std::uint64_t seed = 1) {
    std::vector<std::byte> bytes(buffer.bytes());
    write_content(buffer, seed, bytes);
    std::vector<double> values(buffer.count());
    for (std::uint64_t i = 0; i < values.size(); ++i) {
        values[i] = read_element(buffer.type, bytes, i);
    }
    return values;
}

TEST(Content, DependsOnSeedAndNameAlone) {
    const Buffer x = Buffer::input("x", DataType::half, {100});
    EXPECT_EQ(generated(x), generated(x));
    EXPECT_NE(generated(x), generated(x, 2));
    EXPECT_NE(generated(x), generated(Buffer::input("y", DataType::half, {100})));
}

TEST(Content, UniformStaysInItsRangeAndFillsIt) {
    const auto values = generated(Buffer::input("x", DataType::float32, {4000}, fill::Uniform{-2, 3}));
    const auto [low, high] = std::ranges::minmax(values);
    EXPECT_GE(low, -2);
    EXPECT_LT(high, 3);
    EXPECT_LT(low, -1.9);  // missing the outer 2 % with 4000 draws has probability 0.98^4000
    EXPECT_GT(high, 2.9);
}

TEST(Content, NormalHasItsMoments) {
    constexpr std::uint64_t count = 40000;
    const auto values = generated(Buffer::input("x", DataType::float32, {count}, fill::Normal{5, 2}));
    double sum = 0;
    double squares = 0;
    for (const double value : values) {
        sum += value;
        squares += (value - 5) * (value - 5);
    }
    EXPECT_NEAR(sum / count, 5, 0.05);  // five standard errors: 5 * 2 / sqrt(40000)
    EXPECT_NEAR(std::sqrt(squares / count), 2, 0.04);
}

TEST(Content, IntegersReachBothEnds) {
    const auto values = generated(Buffer::input("x", DataType::int32, {500}, fill::Integers{-1, 2}));
    const auto [low, high] = std::ranges::minmax(values);
    EXPECT_EQ(low, -1);
    EXPECT_EQ(high, 2);
}

TEST(Content, ConstantAndArangeAreWhatTheySay) {
    EXPECT_THAT(generated(Buffer::input("x", DataType::int8, {3}, fill::Constant{7})),
                testing::ElementsAre(7, 7, 7));
    EXPECT_THAT(generated(Buffer::input("x", DataType::half, {3}, fill::Arange{1, 0.5})),
                testing::ElementsAre(1, 1.5, 2));
}

TEST(Content, FilesMustFitInTypeAndCount) {
    const auto file = std::filesystem::path{testing::TempDir()} / "content_test.npy";
    const std::vector<std::byte> bytes(8);
    write_npy(file, DataType::float32, {2}, bytes);
    EXPECT_EQ(generated(Buffer::input("x", DataType::float32, {2, 1}, fill::Npy{file})),
              (std::vector<double>{0, 0}));
    EXPECT_THROW(static_cast<void>(generated(Buffer::input("x", DataType::half, {2}, fill::Npy{file}))),
                 UserError);
    EXPECT_THROW(static_cast<void>(generated(Buffer::input("x", DataType::float32, {3}, fill::Npy{file}))),
                 UserError);
    std::filesystem::remove(file);
}

}  // namespace
}  // namespace ascendsim::host
