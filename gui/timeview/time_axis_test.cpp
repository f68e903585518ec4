// SPDX-License-Identifier: Apache-2.0
#include "gui/timeview/time_axis.hpp"

#include <gtest/gtest.h>

namespace ascendsim::gui {
namespace {

/// Of a cycle that takes three pixels, each of the three is on it: its bar begins at the first.
TEST(TimeAxis, APointerIsOnTheCycleWhoseBarItIsOn) {
    const TimeAxis axis{{0, 300}, 40, 900};
    for (int pixel = 0; pixel < 900; ++pixel) {
        const float x = axis.left + static_cast<float>(pixel);
        const double cycle = axis.whole_cycle(x);
        EXPECT_EQ(cycle, pixel / 3);
        EXPECT_LE(axis.pixel(cycle), x);
        EXPECT_GT(axis.pixel(cycle + 1), x);
    }
}

/// Of a pixel with 1111 cycles and a ninth, the pointer is on the one in which it begins, and the mark of
/// that is drawn where the pointer is, wherever in the pixel that was.
TEST(TimeAxis, TheMarkOfAPointersCycleIsAtThePointer) {
    const TimeAxis axis{{0, 1e6}, 40, 900};
    for (int pixel = 0; pixel < 900; ++pixel) {
        const float x = axis.left + static_cast<float>(pixel);
        for (const float within : {0.0F, 0.3F, 0.7F}) {
            EXPECT_EQ(axis.whole_cycle(x + within), pixel * 10'000 / 9);
            EXPECT_EQ(axis.pixel(axis.whole_cycle(x + within)), x);
        }
    }
}

}  // namespace
}  // namespace ascendsim::gui
