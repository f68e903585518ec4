// SPDX-License-Identifier: Apache-2.0
#include "gui/render/png.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.hpp"

namespace ascendsim::gui {
namespace {

std::filesystem::path scratch(const char* name) {
    return std::filesystem::path{testing::TempDir()} /
           (std::string{testing::UnitTest::GetInstance()->current_test_info()->name()} + name);
}

Image gradient(int width, int height) {
    Image image{width, height};
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            image.at(x, y) = rgba(static_cast<unsigned>(x * 7), static_cast<unsigned>(y * 11), 200, 255);
        }
    }
    return image;
}

TEST(Png, WhatIsWrittenIsRead) {
    const std::filesystem::path path = scratch(".png");
    const Image image = gradient(37, 19);
    write_png(path, image);
    EXPECT_EQ(read_png(path), image);
}

TEST(Png, FileThatIsNoPictureIsTheUsersError) {
    const std::filesystem::path path = scratch(".png");
    std::ofstream{path} << "not a picture";
    EXPECT_THROW(
        {
            try {
                (void)read_png(path);
            } catch (const UserError& error) {
                EXPECT_THAT(error.what(), testing::HasSubstr(path.string()));
                throw;
            }
        },
        UserError);
}

TEST(Png, FolderThatDoesNotExistIsTheUsersError) {
    EXPECT_THROW(write_png("/nonexistent/folder/x.png", gradient(2, 2)), UserError);
}

TEST(CompareImages, OneChangedPixelIsFoundWithItsBox) {
    const Image expected = gradient(20, 10);
    Image actual = expected;
    actual.at(4, 6) = rgba(channel(expected.at(4, 6), 0) + 3, channel(expected.at(4, 6), 1), 198, 255);
    const ImageDifference difference = compare_images(expected, actual);
    EXPECT_FALSE(difference.none());
    EXPECT_EQ(difference.pixels, 1U);
    EXPECT_EQ(difference.largest_step, 3U);
    EXPECT_EQ(difference.left, 4);
    EXPECT_EQ(difference.top, 6);
    EXPECT_EQ(difference.right, 5);
    EXPECT_EQ(difference.bottom, 7);
    EXPECT_EQ(side_by_side(expected, actual).at(2 * 28 + 4, 6), rgba(255, 0, 255));
}

TEST(CompareImages, DifferentSizesAreNeverEqual) {
    EXPECT_FALSE(compare_images(gradient(3, 3), gradient(3, 4)).none());
    EXPECT_TRUE(compare_images(gradient(3, 3), gradient(3, 3)).none());
}

}  // namespace
}  // namespace ascendsim::gui
