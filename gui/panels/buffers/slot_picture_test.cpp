// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/buffers/slot_picture.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace ascendsim::gui {
namespace {

BufferSlot slot_of(const std::vector<TimeRange>& stretches) {
    BufferSlot slot{.offset = 0, .bytes = 100};
    for (const TimeRange& each : stretches) {
        slot.stretches.push_back({.from = static_cast<std::uint64_t>(each.begin),
                                  .to = static_cast<std::uint64_t>(each.end),
                                  .index = slot.stretches.size()});
    }
    slot.add_up();
    return slot;
}

std::vector<SlotBox> boxes_of(const BufferSlot& slot, const TimeAxis& axis) {
    std::vector<SlotBox> boxes;
    for_each_slot_box(slot, {axis, {axis.left, 0, axis.right(), 50}, 200}, [&](const SlotBox& box) {
        boxes.push_back(box);
    });
    return boxes;
}

/// Cycles of [begin, end) in which there is a stretch, counted one by one.
double counted(const BufferSlot& slot, double begin, double end) {
    double sum = 0;
    for (double cycle = std::floor(begin); cycle < end; ++cycle) {
        const bool covered = std::ranges::any_of(slot.stretches, [&](const BufferStretch& stretch) {
            return static_cast<double>(stretch.from) <= cycle && cycle < static_cast<double>(stretch.to);
        });
        sum += covered ? std::min(cycle + 1, end) - std::max(cycle, begin) : 0;
    }
    return sum;
}

/// Half of each 20 cycles, and whole periods a pixel: every column is half covered wherever it begins.
TEST(SlotPicture, ARegularScheduleLooksRegular) {
    std::vector<TimeRange> stretches;
    for (int n = 0; n < 3'000; ++n) {
        stretches.push_back({20.0 * n, 20.0 * n + 10});
    }
    const BufferSlot slot = slot_of(stretches);
    for (const double periods : {1.0, 7.0}) {
        const TimeAxis axis{{13.7, 13.7 + 20 * periods * 400}, 40, 400};
        const std::vector<SlotBox> boxes = boxes_of(slot, axis);
        ASSERT_EQ(boxes.size(), 400U);
        for (const SlotBox& box : boxes) {
            EXPECT_TRUE(box.column);
            EXPECT_NEAR(box.share, 0.5, 1e-5) << box.box.left;
        }
    }
}

TEST(SlotPicture, ColumnsHoldWhatIsBetweenTheirBorders) {
    constexpr unsigned seed = 5;
    std::mt19937 random{seed};
    const auto up_to = [&](unsigned limit) { return static_cast<double>(random() % (limit + 1)); };
    for (int run = 0; run < 30; ++run) {
        std::vector<TimeRange> stretches;
        double now = up_to(200);
        for (int n = 0; n < 200; ++n) {
            const double length = n % 40 == 0 ? up_to(400) : up_to(20);
            stretches.push_back({now, now + length});
            now += n % 7 == 0 ? up_to(9) : length + up_to(n % 50 == 0 ? 500 : 20);  // some at the same time
        }
        const BufferSlot slot = slot_of(stretches);
        const TimeAxis axis{
            {up_to(300), now - up_to(300)}, 10, 150 + std::round(static_cast<float>(up_to(900)))};
        std::vector<bool> drawn(static_cast<std::size_t>(axis.width));
        double columns = 0;
        for (const SlotBox& box : boxes_of(slot, axis)) {
            for (float x = std::max(box.box.left, axis.left); x < std::min(box.box.right, axis.right());
                 ++x) {
                drawn[static_cast<std::size_t>(x - axis.left)] = true;
            }
            ASSERT_LT(box.first, slot.stretches.size());
            if (box.column) {
                ++columns;
                const double begin = axis.cycle(box.box.left);
                const double end = axis.cycle(box.box.right);
                ASSERT_NEAR(box.share * (end - begin), counted(slot, begin, end), 1e-3)
                    << "seed " << seed << ", run " << run << ", column " << box.box.left;
                ASSERT_EQ(box.box.width(), 1);
            }
        }
        EXPECT_GT(columns, 0) << run;
        for (float x = axis.left; x < axis.right(); ++x) {
            // A box may end up to half a pixel early.
            const bool covered =
                counted(slot, axis.cycle(x), axis.cycle(x + 1)) > 0.5 * axis.cycles_per_pixel();
            EXPECT_TRUE(drawn[static_cast<std::size_t>(x - axis.left)] || !covered)
                << "seed " << seed << ", run " << run << ", nothing at " << x;
        }
    }
}

TEST(SlotPicture, WhatLiesApartIsABoxOfAPixelAtLeast) {
    const BufferSlot slot = slot_of({{100, 101}, {1'000, 2'000}, {2'100, 2'110}});
    const std::vector<SlotBox> boxes = boxes_of(slot, {{0, 4'000}, 0, 400});  // 10 cycles a pixel
    ASSERT_EQ(boxes.size(), 3U);
    const std::vector<Rect> expected{{10, 25, 11, 50}, {100, 25, 200, 50}, {210, 25, 211, 50}};
    for (std::size_t n = 0; n < boxes.size(); ++n) {
        EXPECT_FALSE(boxes[n].column);
        EXPECT_EQ(boxes[n].first, n);
        EXPECT_EQ(boxes[n].box.left, expected[n].left);
        EXPECT_EQ(boxes[n].box.right, expected[n].right);
        EXPECT_EQ(boxes[n].box.top, expected[n].top) << "100 of 200 bytes are half of 50 pixels";
    }
}

TEST(SlotPicture, AColumnSaysWhichStretchesItHas) {
    // 10 cycles a pixel: three in the first column, the third goes on in the second.
    const BufferSlot slot = slot_of({{100, 102}, {104, 106}, {108, 113}});
    const std::vector<SlotBox> boxes = boxes_of(slot, {{0, 1'000}, 0, 100});
    ASSERT_EQ(boxes.size(), 2U);
    EXPECT_EQ(boxes[0].box.left, 10);
    EXPECT_EQ(boxes[0].first, 0U);
    EXPECT_EQ(boxes[0].count, 3U);
    EXPECT_NEAR(boxes[0].share, 0.6, 1e-6);
    EXPECT_EQ(boxes[1].first, 2U);
    EXPECT_EQ(boxes[1].count, 1U);
    EXPECT_NEAR(boxes[1].share, 0.3, 1e-6);
}

}  // namespace
}  // namespace ascendsim::gui
