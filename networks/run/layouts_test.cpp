// SPDX-License-Identifier: Apache-2.0
// Channels that are taken apart between blocks, in float32: a block holds 8 of them.
#include "networks/run/layouts.hpp"

#include <gtest/gtest.h>

#include "networks/run/testing/numbers_fixture.hpp"

namespace ascendsim::networks {
namespace {

class LayoutNumbers : public NetworkNumbers {
protected:
    static constexpr std::size_t width = 160;  // enough that channels are copied in boxes

    void SetUp() override {
        NetworkNumbers::SetUp();
        // Filters [32, 16, 1, 1]: 16 that take a channel each, and 16 that take twice a channel.
        std::vector<double> once_and_twice(32 * 16);
        std::vector<double> same(16 * 16);
        for (std::size_t filter = 0; filter < 32; ++filter) {
            once_and_twice[filter * 16 + filter % 16] = filter < 16 ? 1 : 2;
            same[filter % 16 * 17] = 1;
        }
        table("once_and_twice", {32, 16, 1, 1}, once_and_twice);
        table("same", {16, 16, 1, 1}, same);
        add("Conv", {"x", "once_and_twice"}, "both");
    }

    /// What comes of x, [1, 16, 1, width], whose channel c holds 160 c, 160 c + 1, ….
    std::vector<double> computed() { return last({1, 16, 1, width}, counting_up(16 * width)); }

    /// The sum of channels `first` to `first` + 7 of "both".
    void sum_of_channels(double first) {
        const auto whole = [this](const char* name, double value) {
            graph_.constants[name] = constant(isa::DataType::int64, {1}, {value});
        };
        whole("starts", first);
        whole("ends", first + 8);
        whole("axes", 1);
        table("sum", {1, 8, 1, 1}, std::vector<double>(8, 1));
        add("Slice", {"both", "starts", "ends", "axes"}, "part");
        add("Conv", {"part", "sum"}, "y");
    }

    /// Twice the sums over eight channels from `first` on.
    static std::vector<double> twice_eight_from(double first) {
        std::vector<double> expected = counting_up(width);
        for (double& value : expected) {
            value = 2 * (160 * (8 * first + 28) + 8 * value);  // 0 + 1 + … + 7 = 28
        }
        return expected;
    }
};

TEST_F(LayoutNumbers, SplitChannelsStayInBlocks) {
    add("Split", {"both"}, "once", {{"axis", std::int64_t{1}}});
    graph_.nodes.back().outputs.emplace_back("twice");
    add("Add", {"once", "twice"}, "sum");
    add("Conv", {"sum", "same"}, "y");
    converted_ = 2;  // before the first convolution, and behind the last
    std::vector<double> expected = counting_up(16 * width);
    for (double& value : expected) {
        value *= 3;
    }
    EXPECT_EQ(computed(), expected);
}

TEST_F(LayoutNumbers, ASliceOfWholeBlocksStaysInBlocks) {
    sum_of_channels(24);
    converted_ = 2;
    EXPECT_EQ(computed(), twice_eight_from(8));
}

TEST_F(LayoutNumbers, ASliceThatBeginsWithinABlockIsTakenApart) {
    sum_of_channels(20);
    converted_ = 4;
    EXPECT_EQ(computed(), twice_eight_from(4));
}

/// A pool of a convolution of `channels` filters, in float16: what x has in channel 0, times 1, 2, ….
class PooledBlocks : public NetworkNumbers, public ::testing::WithParamInterface<std::size_t> {};

TEST_P(PooledBlocks, ArePooledAsTheyAre) {
    const std::size_t channels = GetParam();
    std::vector<double> filters(channels);
    for (std::size_t i = 0; i < channels; ++i) {
        filters[i] = static_cast<double>(i + 1);
    }
    precision_ = Precision::half;
    table("w", {channels, 1, 1, 1}, filters);
    add("Conv", {"x", "w"}, "a");
    add("MaxPool", {"a"}, "y", {{"kernel_shape", Axes64{1, 2}}, {"strides", Axes64{1, 2}}});
    converted_ = 2;  // before the convolution, and behind the pool
    std::vector<double> expected;
    for (std::size_t i = 0; i < channels; ++i) {
        for (const double largest : {1.0, 3.0}) {
            expected.push_back(largest * filters[i]);
        }
    }
    EXPECT_EQ(last({1, 1, 1, 4}, counting_up(4)), expected);
}

// 20 channels fill one block and a part of the next.
INSTANTIATE_TEST_SUITE_P(Networks, PooledBlocks, ::testing::Values(16, 20));

}  // namespace
}  // namespace ascendsim::networks
