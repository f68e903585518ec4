// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scan/entry_scan.hpp"

#include <random>

#include <gmock/gmock.h>

namespace ascendsim::toolchain {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(std::string_view source) {
    std::vector<std::string> result;
    for (const ScannedEntry& entry : scan_entries(source)) {
        result.push_back(entry.name + (entry.is_template ? "<?>" : ""));
    }
    return result;
}

TEST(EntryScan, FindsKernelFunctionsWithLineAndParameters) {
    const auto entries = scan_entries(
        "#define X __global__ void no(int)\n// __global__ void comment(int)\n"
        "extern \"C\" __global__ __aicore__ void add_custom(GM_ADDR x, Pair<int, 2> t,\n  uint32_t n) { "
        "f(x); }\n");
    ASSERT_EQ(entries.size(), 1);
    EXPECT_EQ(entries[0].name, "add_custom");
    EXPECT_EQ(entries[0].line, 3);
    EXPECT_THAT(entries[0].parameters, ElementsAre("GM_ADDR x", "Pair<int,2>t", "uint32_t n"));
    EXPECT_FALSE(entries[0].cores);
}

TEST(EntryScan, TellsTemplatesFromTheirInstantiations) {
    EXPECT_THAT(names("template <class T> __global__ __aicore__ void add(GM_ADDR x) {}\n"
                      "template __global__ __aicore__ void add<half>(GM_ADDR x);\n"
                      "__global__ __aicore__ void plain();\n__global__ __aicore__ void plain() {}"),
                ElementsAre("add<?>", "add<half>", "plain"));
}

TEST(EntryScan, ReadsWhichCoresAKernelWants) {
    const auto entries = scan_entries(
        "__global__ __vector__ void a(int x) {}"
        "__global__ __cube__ __attribute__((noinline)) void b() {}"
        "__global__ __mix__(1, 2) void c() {}"
        "__global__ __mix__(1, 1) void d() {}"
        "__global__ __aicore__ void e() { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1); }");
    ASSERT_EQ(entries.size(), 5);
    EXPECT_EQ(entries[0].cores, CoreUse::aiv);
    EXPECT_EQ(entries[1].cores, CoreUse::aic);
    EXPECT_EQ(entries[2].cores, CoreUse::mix_1_2);
    EXPECT_EQ(entries[3].cores, CoreUse::mix_1_1);
    EXPECT_EQ(entries[4].cores, CoreUse::mix_1_1);
}

TEST(EntryScan, SurvivesAnyText) {
    constexpr std::string_view pieces[]{"__global__ ", "template", "<",        ">",
                                        "(",           ")",        "{",        "}",
                                        ";",           "\"",       "'",        "/*",
                                        "//",          "\n",       "#",        "\\",
                                        "name",        ",",        "__mix__(", "KERNEL_TASK_TYPE_DEFAULT"};
    std::mt19937 random{11};
    for (int round = 0; round < 5000; ++round) {
        std::string text;
        for (auto i = random() % 30; i > 0; --i) {
            text += pieces[random() % std::size(pieces)];
        }
        EXPECT_LE(scan_entries(text).size(), text.size());
    }
}

TEST(EntryScan, SeesFunctionsThatMacrosOfTheSourceMake) {
    const std::vector<ScannedEntry> made = scan_entries(
        "#define DEF(S, T) \\\n"
        "    extern \"C\" __global__ __aicore__ void k_##S(GM_ADDR x, T n) { run<S>(x, n); }\n"
        "#define ALL(X, ...) X(float, __VA_ARGS__) X(int8_t, __VA_ARGS__)\n"
        "#define CALL(S) run<S>(0, 0)\n"
        "// DEF(of_a_comment, int)\n"
        "DEF(half, uint32_t)\n"
        "ALL(DEF, int)\n");
    ASSERT_EQ(made.size(), 3);
    EXPECT_EQ(made[0].name, "k_half");
    EXPECT_EQ(made[0].line, 6);
    EXPECT_EQ(made[0].parameters, (std::vector<std::string>{"GM_ADDR x", "uint32_t n"}));
    EXPECT_EQ(made[1].name, "k_float");
    EXPECT_EQ(made[2].name, "k_int8_t");
    EXPECT_EQ(made[2].line, 7);
    EXPECT_EQ(made[2].parameters[1], "int n");
}

TEST(EntryScan, MacrosCountWhereTheTextHasNoFunctionOfItsOwn) {
    const std::string text =
        "#define DEF(S) __global__ __aicore__ void k_##S(GM_ADDR x) {}\nDEF(a)\n"
        "__global__ __aicore__ void own(GM_ADDR x) {}\n";
    ASSERT_EQ(scan_entries(text).size(), 1);
    EXPECT_EQ(scan_entries(text)[0].name, "own");
    ASSERT_EQ(made_entries(text).size(), 1);
    EXPECT_EQ(made_entries(text)[0].name, "k_a");
    EXPECT_TRUE(made_entries("#define LOOP(x) LOOP(x) __global__\nLOOP(1)\nLOOP(\n").empty());
}

}  // namespace
}  // namespace ascendsim::toolchain
