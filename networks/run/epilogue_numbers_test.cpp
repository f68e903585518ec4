// SPDX-License-Identifier: Apache-2.0
// Numbers of products and convolutions whose bias and activation are part of their kernel.
#include <algorithm>
#include <cmath>

#include "networks/run/testing/numbers_fixture.hpp"

namespace ascendsim::networks {
namespace {

/// Networks whose epilogues are part of their product or convolution, in float16: small whole numbers are
/// exact.
class EpilogueNumbers : public NetworkNumbers, public testing::WithParamInterface<const char*> {
protected:
    void SetUp() override {
        NetworkNumbers::SetUp();
        take_chip(GetParam());
        precision_ = Precision::half;
        rewritten_ = true;
    }
};

/// max(0, 3 x - 8) and max(0, 9 - 4 x), of x from 0 to 15.
std::vector<double> two_channels() {
    std::vector<double> expected;
    for (int x = 0; x < 16; ++x) {
        expected.push_back(std::max(0, 3 * x - 8));
    }
    for (int x = 0; x < 16; ++x) {
        expected.push_back(std::max(0, 9 - 4 * x));
    }
    return expected;
}

TEST_P(EpilogueNumbers, OfAConvolutionItsBiasAndRelu) {
    table("w", {2, 1, 1, 1}, {3, -4});
    table("b", {2}, {-8, 9});
    add("Conv", {"x", "w", "b"}, "c");
    add("Relu", {"c"}, "y");
    EXPECT_EQ(last({1, 1, 1, 16}, counting_up(16)), two_channels());
}

TEST_P(EpilogueNumbers, OfAConvolutionItsNormAndRelu) {
    // On coupled chips the norm alone cannot run: two channels are no block of 32 bytes.
    table("w", {2, 1, 1, 1}, {1, -2});
    table("g", {2}, {3, 4});
    table("beta", {2}, {-5, 9});
    table("m", {2}, {1, 0});
    table("v", {2}, {1, 4});
    add("Conv", {"x", "w"}, "c");
    add("BatchNormalization", {"c", "g", "beta", "m", "v"}, "n", {{"epsilon", 0.0}});
    add("Relu", {"n"}, "y");
    // 3 (x - 1) - 5 and 4 (-2 x) / 2 + 9
    EXPECT_EQ(last({1, 1, 1, 16}, counting_up(16)), two_channels());
}

TEST_P(EpilogueNumbers, OfATransposedConvolutionWithABias) {
    table("w", {1, 1, 1, 2}, {1, 10});
    table("b", {1}, {-3});
    add("ConvTranspose", {"x", "w", "b"}, "c", {{"strides", Axes64{1, 2}}});
    add("LeakyRelu", {"c"}, "y", {{"alpha", 0.5}});
    // x and 10 x beside each other, minus 3; what is below 0 by half.
    EXPECT_EQ(last({1, 1, 1, 3}, counting_up(3)), (std::vector<double>{-1.5, -1.5, -1, 7, -0.5, 17}));
}

TEST_P(EpilogueNumbers, OfAProductItsRowAndClip) {
    table("w", {2, 3}, {1, 2, 3, 4, 5, 6});
    table("b", {3}, {-10, 0, 10});
    table("low", {}, {-1});
    table("high", {}, {15});
    add("MatMul", {"x", "w"}, "product");
    add("Add", {"product", "b"}, "sum");
    add("Clip", {"sum", "low", "high"}, "y");
    // x = [[0, 1], [2, 3]]: products 4 5 6 and 14 19 24.
    EXPECT_EQ(last({2, 2}, counting_up(4)), (std::vector<double>{-1, 5, 15, 4, 15, 15}));
}

TEST_P(EpilogueNumbers, OfALinearLayerAndSilu) {
    table("w", {1, 2}, {1, -1});
    table("b", {1}, {0.5});
    add("Gemm", {"x", "w", "b"}, "c", {{"transB", std::int64_t{1}}});
    add("Sigmoid", {"c"}, "s");
    add("Mul", {"s", "c"}, "y");
    const std::vector<double> y = last({2, 2}, {4, 1, 1, 4});
    ASSERT_EQ(y.size(), 2U);  // of 3.5 and -2.5
    EXPECT_NEAR(y[0], 3.5 / (1 + std::exp(-3.5)), 3.5 * 0x1p-11);
    EXPECT_NEAR(y[1], -2.5 / (1 + std::exp(2.5)), 0.25 * 0x1p-11);
}

INSTANTIATE_TEST_SUITE_P(Chips,
                         EpilogueNumbers,
                         testing::Values("910b3", "310p3", "910a"),
                         [](const auto& chip) { return std::string{chip.param}; });

}  // namespace
}  // namespace ascendsim::networks
