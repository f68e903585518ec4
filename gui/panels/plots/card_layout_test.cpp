// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/plots/card_layout.hpp"

#include <gmock/gmock.h>

namespace ascendsim::gui {
namespace {

TEST(PlotScale, MarksRoundValues) {
    const PlotScale scale{.from = 0, .to = 100};
    EXPECT_THAT(scale.ticks(5), ::testing::ElementsAre(0, 20, 40, 60, 80, 100));
}

TEST(PlotScale, EndsAtNumbersOfWhichOneMoreIsTheSame) {
    const PlotScale scale{.from = 1e18 - 128, .to = 1e18};
    EXPECT_LE(scale.ticks(5).size(), 11U);
}

}  // namespace
}  // namespace ascendsim::gui
