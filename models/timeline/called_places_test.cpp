// SPDX-License-Identifier: Apache-2.0
#include "models/timeline/called_places.hpp"

#include <gtest/gtest.h>

namespace ascendsim {

namespace {

TEST(CalledPlaces, HaveANameForEachLineThatCalls) {
    CalledPlaces places;
    const char* const engine = "engine.h";
    const char* const kernel = "kernel.cpp";
    const char* const first = places.file({engine, 10}, {kernel, 42});
    const char* const second = places.file({engine, 10}, {kernel, 43});
    EXPECT_NE(first, second);
    EXPECT_EQ(places.file({engine, 11}, {kernel, 42}), first) << "the line is the operation's own";
    EXPECT_STREQ(first, engine) << "messages name the file as it is";
    ASSERT_NE(places.find(second), nullptr);
    EXPECT_EQ(places.find(second)->caller.line, 43U);
    EXPECT_EQ(places.find(second)->file, engine);
}

TEST(CalledPlaces, LeaveLinesOfTheKernelAlone) {
    CalledPlaces places;
    const char* const kernel = "kernel.cpp";
    EXPECT_EQ(places.file({kernel, 50}, {kernel, 42}), kernel);
    EXPECT_EQ(places.find(kernel), nullptr);
}

}  // namespace

}  // namespace ascendsim
