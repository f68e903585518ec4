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

TEST(CoresByCalls, FollowsAKernelToWhatItCallsAndNoFurther) {
    constexpr std::string_view text = R"(
#define RUN_CUBE(op) \
    op.Multiply()
template <typename T> class Product {
public:
    __aicore__ inline Product(int n) : n_(n), m_{n} { Init(); }
    __aicore__ inline void Multiply();
private:
    int n_, m_;
};
template <typename T> __aicore__ inline void Product<T>::Multiply() { Mmad(c, a, b, p); }
class Sum { TQue<TPosition::VECIN, 1> in_; };
__aicore__ inline void Both(int n) noexcept { Sum sum; Product<half> product(n); RUN_CUBE(product); }
using Alias = Sum;
extern "C" __global__ __aicore__ void vector_kernel(GM_ADDR x) { Alias sum; }
extern "C" __global__ __aicore__ void cube_kernel(GM_ADDR x) { Product<half> product(1); product.Multiply(); }
extern "C" __global__ __aicore__ void mixed_kernel(GM_ADDR x) { Both(1); }
)";
    EXPECT_EQ(cores_by_calls(text, "vector_kernel"), std::nullopt);
    EXPECT_EQ(cores_by_calls(text, "cube_kernel"), CoreUse::aic);
    EXPECT_EQ(cores_by_calls(text, "mixed_kernel"), CoreUse::mix_1_2);
    EXPECT_EQ(cores_by_calls(text, "made_by_a_macro"), CoreUse::mix_1_2);  // then all of the text counts
}

}  // namespace
}  // namespace ascendsim::toolchain
