// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/op_api/types.hpp"

#include <gtest/gtest.h>

namespace op {
namespace {

TEST(CallTypes, PromoteToOneThatHoldsBoth) {
    EXPECT_EQ(PromoteType(ge::DT_FLOAT16, ge::DT_BF16), ge::DT_FLOAT);
    EXPECT_EQ(PromoteType(ge::DT_INT64, ge::DT_FLOAT16), ge::DT_FLOAT16);
    EXPECT_EQ(PromoteType(ge::DT_UINT8, ge::DT_INT8), ge::DT_INT16);
    EXPECT_EQ(PromoteType(ge::DT_BOOL, ge::DT_INT8), ge::DT_INT8);
    EXPECT_EQ(PromoteType(ge::DT_DOUBLE, ge::DT_COMPLEX64), ge::DT_COMPLEX128);
    EXPECT_EQ(PromoteType(ge::DT_STRING, ge::DT_FLOAT), ge::DT_UNDEFINED);
}

TEST(CallTypes, CastWhereOnlyDigitsAreLost) {
    EXPECT_TRUE(CanCast(ge::DT_INT64, ge::DT_FLOAT16));
    EXPECT_TRUE(CanCast(ge::DT_FLOAT, ge::DT_BF16));
    EXPECT_FALSE(CanCast(ge::DT_FLOAT, ge::DT_INT32));
    EXPECT_FALSE(CanCast(ge::DT_INT8, ge::DT_BOOL));
}

TEST(CallTypes, BroadcastExtentsOfOne) {
    Shape both;
    EXPECT_TRUE(BroadcastInferShape(Shape{4, 1}, Shape{3, 1, 5}, both));
    EXPECT_EQ(both, (Shape{3, 4, 5}));
    EXPECT_FALSE(BroadcastInferShape(Shape{4}, Shape{5}, both));
}

}  // namespace
}  // namespace op
