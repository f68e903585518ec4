// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

class ElementwiseCases : public ::testing::TestWithParam<Settings> {};

TEST_P(ElementwiseCases, AgreesWithTheFormula) {
    const KernelRun run = run_kernel("elementwise", GetParam());
    EXPECT_TRUE(run.clean()) << run.report();
}

Settings of(const char* op, const char* dtype, const char* shape, Settings more = {}) {
    Settings settings{{"op", op}, {"dtype", dtype}, {"shape", shape}};
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
}

INSTANTIATE_TEST_SUITE_P(
    Float32,
    ElementwiseCases,
    ::testing::Values(of("exp", "float32", "37,129"),
                      of("ln", "float32", "1"),
                      of("tanh", "float32", "4097"),
                      of("softplus", "float32", "4097"),
                      of("mish", "float32", "4097"),
                      of("fast_gelu", "float32", "4097"),
                      of("gelu_erf", "float32", "4097"),
                      of("erf", "float32", "4097"),
                      of("elu", "float32", "513"),
                      of("sin", "float32", "4097"),
                      of("cos", "float32", "4097"),
                      of("sign", "float32", "513"),
                      of("rsqrt", "float32", "513"),
                      of("clamp", "float32", "513", {{"p0", "-0.5"}, {"p1", "0.5"}}),
                      of("less", "float32", "3000"),
                      of("where", "float32", "3000"),
                      of("masked_fill", "float32", "3000", {{"dtype1", "bool"}}),
                      of("adam_w", "float32", "5000", {{"p1", "0.9"}, {"p2", "0.999"}, {"p4", "1e-8"}}),
                      of("momentum", "float32", "5000"),
                      of("silu_grad", "float32", "5000")));

INSTANTIATE_TEST_SUITE_P(
    Composed,
    ElementwiseCases,
    ::testing::Values(of("is_finite", "float32", "1003"),
                      of("is_nan", "float16", "1003"),
                      of("atan", "float32", "4097"),
                      of("asin", "float32", "1003"),
                      of("acos", "float16", "1003"),
                      of("tan", "float32", "1003"),
                      of("sinh", "float32", "1003"),
                      of("cosh", "bfloat16", "1003"),
                      of("asinh", "float32", "1003"),
                      of("acosh", "float32", "1003"),
                      of("atanh", "float32", "1003"),
                      of("exp_minus_one", "float32", "1003"),
                      of("hard_sigmoid", "float16", "1003"),
                      of("softsign", "float32", "1003"),
                      of("mod", "float32", "1003"),
                      of("floor_mod", "float32", "1003"),
                      of("atan2", "float32", "1003"),
                      of("abs_difference", "float16", "1003"),
                      of("smooth_l1", "float32", "4097", {{"p0", "0.5"}}),
                      of("binary_cross_entropy", "float32", "1003"),
                      of("cross_entropy_of_logits", "float32", "1003"),
                      of("sigmoid_grad", "float16", "1003"),
                      of("tanh_grad", "float32", "1003"),
                      of("gelu_grad", "float32", "4097"),
                      of("masked_scale", "float16", "1003", {{"dtype1", "uint8"}, {"p0", "2"}}),
                      of("masked_scale", "bfloat16", "37,129", {{"dtype1", "float32"}}),
                      of("logical_xor", "bool", "1003"),
                      of("add3", "float16", "1003"),
                      of("add4", "float32", "1003")));

INSTANTIATE_TEST_SUITE_P(OtherTypes,
                         ElementwiseCases,
                         ::testing::Values(of("add", "float16", "1003"),
                                           of("sigmoid", "bfloat16", "1003"),
                                           of("copy", "float16", "4608", {{"out_dtype", "float32"}}),
                                           of("copy", "float32", "4611", {{"out_dtype", "bfloat16"}}),
                                           of("copy", "bool", "4611", {{"out_dtype", "float32"}}),
                                           of("copy", "int32", "4611", {{"out_dtype", "int64"}}),
                                           of("copy", "int64", "4611", {{"out_dtype", "int32"}}),
                                           of("copy", "int32", "4611", {{"out_dtype", "float32"}}),
                                           of("mul", "int32", "4611"),
                                           of("maximum", "int16", "4611"),
                                           of("bit_and", "int16", "4611"),
                                           // Operands up to 60: at most 60 subtractions, for 60 and 1.
                                           of("gcd", "int32", "2000", {{"p0", "60"}, {"buffers", "1"}}),
                                           of("gcd", "int16", "2000", {{"p0", "60"}}),
                                           of("gcd", "int8", "2000", {{"p0", "60"}}),
                                           of("logical_or", "bool", "4611"),
                                           of("logical_not", "bool", "4611"),
                                           of("greater_equal", "float16", "4611"),
                                           of("dropout_mask", "float16", "20000", {{"p0", "1.25"}}),
                                           of("addcdiv", "float16", "4611"),
                                           of("fill", "float32", "700", {{"p0", "3"}})));

INSTANTIATE_TEST_SUITE_P(
    Broadcast,
    ElementwiseCases,
    ::testing::Values(of("mul", "float32", "12288", {{"shape1", "1"}}),
                      of("add", "float16", "70,4608", {{"shape1", "4608"}}),
                      of("maximum", "float32", "99,513", {{"shape1", "1,513"}}),
                      of("add", "bfloat16", "99,513", {{"shape1", "1,513"}}),
                      of("mul", "float16", "70,1280", {{"shape1", "70,1"}}),
                      of("sub", "float32", "3,40,100", {{"shape1", "40,1"}}),
                      of("div", "float32", "5,70000", {{"shape1", "5,1"}}),
                      of("maximum", "float32", "6,40,101", {{"shape1", "40,1"}, {"broadcast", "rows"}}),
                      of("mul", "bfloat16", "70,1280", {{"shape1", "70,1"}, {"broadcast", "rows"}}),
                      // As many short rows as fit: their values and blocks take room as well.
                      of("maximum", "float32", "1000,37", {{"shape1", "1000,1"}, {"blocks", "1"}}),
                      of("sub", "bfloat16", "130,9", {{"shape1", "130,1"}})));

Settings optimiser(const char* dtype) {
    return of("adam_w_of_tensors",
              dtype,
              "5000",
              {{"p0", "0.1"}, {"p1", "0.9"}, {"p2", "0.99"}, {"p4", "1e-3"}, {"in_place", "true"}});
}

INSTANTIATE_TEST_SUITE_P(InPlace,
                         ElementwiseCases,
                         ::testing::Values(optimiser("float32"),
                                           optimiser("bfloat16"),
                                           optimiser("float16")));

TEST(Elementwise, ResultsTakeThePlaceOfOperandsOfTheirShape) {
    EXPECT_THROW(static_cast<void>(testing::plan_kernel(
                     "elementwise", of("add", "float32", "4,8", {{"shape0", "1,8"}, {"in_place", "true"}}))),
                 UserError);
}

TEST(Elementwise, RunsOnChipsThatCopyWholeBlocksOnly) {
    const KernelRun run = run_kernel("elementwise", of("tanh", "float16", "131,257"), {.chip = "310p3"});
    EXPECT_TRUE(run.clean()) << run.report();
}

TEST(Elementwise, ListsInGlobalMemoryDelayTheStart) {
    const auto cycles = [](const char* lists) {
        return testing::in_child([lists] {
            return run_kernel("elementwise", of("add", "float32", "4096", {{"lists", lists}})).totals.cycles;
        });
    };
    // 1408 B are 22 lines of 64 B, each a miss of the scalar unit's cache of some hundred cycles.
    EXPECT_GT(cycles("1408"), cycles("0") + 22 * 100);
}

TEST(Elementwise, SaysWhichShapeDoesNotBroadcast) {
    try {
        static_cast<void>(
            testing::plan_kernel("elementwise", of("add", "float32", "4,5,6", {{"shape1", "4,1,6"}})));
        FAIL() << "no error";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("shape1"));
    }
}

}  // namespace
}  // namespace ascendsim
