// SPDX-License-Identifier: Apache-2.0
// Gradients of rows that are no whole blocks of 32 B, on a chip that copies these alone.
#include <gmock/gmock.h>

#include "networks/run/testing/numbers_fixture.hpp"

namespace ascendsim::networks {
namespace {

class RowsInBlocks : public NetworkNumbers {};

// Of y = softmax(x): the gradient of x is y (g - sum of g y).
TEST_F(RowsInBlocks, SoftmaxGradSumsWhatIsThereAlone) {
    take_chip("310p3");
    precision_ = Precision::half;
    constexpr std::size_t rows = 3;
    constexpr std::size_t width = 21;
    std::vector<double> y(rows * width);
    for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] = static_cast<double>(i % width + 1) / 231.0;  // 1 + ... + 21 = 231: each row sums up to 1
    }
    table("y", {rows, width}, y);
    add("SoftmaxGrad", {"x", "y"}, "gradient", {{"axis", std::int64_t{-1}}});
    std::vector<double> g(rows * width);
    for (std::size_t i = 0; i < g.size(); ++i) {
        g[i] = static_cast<double>(i % 5) - 2;
    }
    const std::vector<double> found = last({rows, width}, g);
    ASSERT_EQ(found.size(), g.size());
    for (std::size_t row = 0; row < rows; ++row) {
        double sum = 0;
        for (std::size_t i = 0; i < width; ++i) {
            sum += g[row * width + i] * y[row * width + i];
        }
        for (std::size_t i = 0; i < width; ++i) {
            const std::size_t at = row * width + i;
            EXPECT_NEAR(found[at], y[at] * (g[at] - sum), 1e-3) << at;
        }
    }
}

}  // namespace
}  // namespace ascendsim::networks
