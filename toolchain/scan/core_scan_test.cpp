// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scan/core_scan.hpp"

#include <gtest/gtest.h>

namespace ascendsim::toolchain {
namespace {

TEST(CoresByCalls, NamesTheCoresThatHaveTheUnits) {
    EXPECT_EQ(cores_by_calls("Add(z, x, y, n); TQue<TPosition::VECIN, 1> q;"), std::nullopt);
    EXPECT_EQ(cores_by_calls("Mmad(c, a, b, p);"), CoreUse::aic);
    EXPECT_EQ(cores_by_calls("TQue<TPosition::VECOUT, 1> q; Mmad(c, a, b, p);"), CoreUse::mix_1_2);
    EXPECT_EQ(cores_by_calls("REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling);"),
              CoreUse::mix_1_2);
}

TEST(CoresByCalls, DoesNotReadComments) {
    EXPECT_EQ(
        cores_by_calls("// no Mmad here\nAdd(z, x, y, n); /* Fixpipe */\n#if 0\nMmad(c, a, b, p);\n#endif\n"),
        std::nullopt);
}

}  // namespace
}  // namespace ascendsim::toolchain
