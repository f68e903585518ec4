// SPDX-License-Identifier: Apache-2.0
// Images too large for a table that a core gathers from: 96 KiB.
#include <gtest/gtest.h>

#include "networks/run/testing/numbers_fixture.hpp"

namespace ascendsim::networks {
namespace {

using ResizeNumbers = NetworkNumbers;

TEST_F(ResizeNumbers, LargeImagesAreDoubledByCopiesOfRowsAndAProduct) {
    constexpr std::size_t height = 80;
    constexpr std::size_t width = 320;  // 102,400 B of float32
    table("scales", {4}, {1, 1, 2, 2});
    add("Resize",
        {"x", "", "scales"},
        "y",
        {{"mode", std::string{"nearest"}},
         {"coordinate_transformation_mode", std::string{"asymmetric"}},
         {"nearest_mode", std::string{"floor"}}});
    std::vector<double> expected;
    for (std::size_t row = 0; row < 2 * height; ++row) {
        for (std::size_t column = 0; column < 2 * width; ++column) {
            expected.push_back(static_cast<double>(row / 2 * width + column / 2));
        }
    }
    const std::vector<double> y = last({1, 1, height, width}, counting_up(height * width));
    EXPECT_TRUE(y == expected);  // 51,200 numbers are no message
}

}  // namespace
}  // namespace ascendsim::networks
