// SPDX-License-Identifier: Apache-2.0
#include "toolchain/rewrite/program_text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace ascendsim::toolchain {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// What a launch becomes that stands alone: the call up to its arguments.
std::string launched(const std::string& kernel, const std::string& configuration) {
    return "::ascendsim::program::launch(\"" + kernel +
           "\", ::ascendsim::Site::here(), [&](auto... ascendsim_arguments) { " + kernel +
           "(ascendsim_arguments...); }, " + configuration + ")";
}

TEST(LaunchRewrite, ReplacesAPlainLaunch) {
    const RewrittenText result = rewrite_launches("void f() { add<<<8, nullptr, s>>>(x, y); }");
    EXPECT_EQ(result.text, "void f() { " + launched("add", "8, nullptr, s") + "(x, y); }");
    EXPECT_EQ(result.launches, 1U);
}

TEST(LaunchRewrite, TakesNamespacesAndTemplateArgumentsAlong) {
    for (const std::string kernel :
         {"ns::add<half>", "::add<A<B<int>>, (3 > 2)>", "Outer<T>::template add<N>", "add<sizeof(int[4])>"}) {
        EXPECT_EQ(rewrite_launches("{ " + kernel + "<<<n, 0, s>>>(x); }").text,
                  "{ " + launched(kernel, "n, 0, s") + "(x); }");
    }
}

TEST(LaunchRewrite, HandsOverWhatAVariableHolds) {
    const std::string kernel = "__attribute__((ascendsim_global)) void add(int x) {}\n";
    EXPECT_THAT(rewrite_launches(kernel + "void f() { add<<<8, 0, s>>>(1); }").text,
                HasSubstr("launch(\"add\""));
    EXPECT_THAT(
        rewrite_launches(kernel + "void f() { auto k = add; k<<<8, 0, s>>>(1); }").text,
        HasSubstr("launch_held(\"k\", ::ascendsim::Site::here(), [&](auto... ascendsim_arguments) { "
                  "k(ascendsim_arguments...); }, ::ascendsim::program::kernel_in_variable(k), 8, 0, s)(1)"));
}

TEST(WithoutLaunches, EmptiesFunctionsThatLaunchOnTheSameLines) {
    EXPECT_EQ(without_launches(
                  "void f() {\n    ns::add<half, 2><<<n, nullptr, s>>>(\n        x, g(y));\n    h();\n}"),
              "void f() {\n\n\n\n}");
    EXPECT_EQ(without_launches("namespace n {\nint a() { return 1; }\nint f(int k) {\n    if (k) {\n        "
                               "add<<<1, 0, s>>>(x);\n    }\n    wait(s);\n    sub<<<1, 0, s>>>(x);\n"
                               "}\nint b() { return 2; }\n}"),
              "namespace n {\nint a() { return 1; }\nint f(int k) {\n\n\n\n\n\n}\nint b() { return 2; "
              "}\n}");
}

TEST(WithoutLaunches, KeepsABodyThatATypeIsDeducedFrom) {
    for (const char* head : {"auto go(void* x)", "decltype(auto) go()", "auto go = [](void* x)"}) {
        EXPECT_EQ(without_launches(fmt::format("{} {{ k<<<1,0,0>>>(x); return 3; }}", head)),
                  fmt::format("{} {{ ((void)0); return 3; }}", head));
    }
    EXPECT_EQ(without_launches("template <auto n> int go() { k<<<1,0,0>>>(x); return 3; }"),
              "template <auto n> int go() {}");
}

TEST(WithoutLaunches, EmptiesTheOuterBodyBehindEveryHead) {
    for (const char* head : {"auto f() -> int",
                             "auto f() -> decltype(g(1))",
                             "auto f() const noexcept -> std::pair<int, int>",
                             "int f() override",
                             "int f() const final",
                             "int f() noexcept(true)",
                             "int f() noexcept"}) {
        EXPECT_EQ(without_launches(
                      fmt::format("struct S {{ {} {{ if (c) {{ k<<<1,0,0>>>(x); int n = 1; }} }} }};", head)),
                  fmt::format("struct S {{ {} {{}} }};", head));
    }
}

TEST(WithoutLaunches, LeavesAnExpressionThatDoesNothingInMacros) {
    EXPECT_EQ(without_launches("#define GO(x) \\\n    f(); add<<<n, 0, s>>>(x, \\\n        y)\n"),
              "#define GO(x) \\\n    f(); ((void)0)\\\n\n");
    EXPECT_EQ(without_launches("#define N 3\n  # define GO(x) add<<<1, nullptr, s>>>(x)\n#define LAST "
                               "add<<<1, 0, s>>>(y)\nGO(1);"),
              "#define N 3\n  # define GO(x) ((void)0)\n#define LAST ((void)0)\nGO(1);");
    EXPECT_EQ(without_launches("std::cout << a << b; x = y <<< z;"), "std::cout << a << b; x = y <<< z;");
}

TEST(LaunchRewrite, KeepsEveryLineBreak) {
    const std::string text =
        "{\n  add<half,\n      3>\n      <<<(a < b ? a : b),\n nullptr, s>>>(\n  x);\n}\n";
    const std::string result = rewrite_launches(text).text;
    // The kernel's text stands twice, as a string and as code; the string is on one line.
    EXPECT_EQ(std::ranges::count(result, '\n'), std::ranges::count(text, '\n'));
    EXPECT_THAT(result, HasSubstr("launch(\"add<half, 3> \""));
}

TEST(LaunchRewrite, LeavesEverythingElseAlone) {
    for (const std::string text : {"int a = b << c; d = e >> f;",
                                   "auto s = \"k<<<1, 2, 3>>>(x)\";",
                                   "auto s = R\"(k<<<1>>>(x))\";",
                                   "# 12 \"k<<<1>>>(x)\"\nint a;",
                                   "x = y<<<z;"}) {
        const RewrittenText result = rewrite_launches(text);
        EXPECT_EQ(result.text, text);
        EXPECT_EQ(result.launches, 0U);
    }
}

TEST(LaunchRewrite, FindsSeveralInOneText) {
    const RewrittenText result =
        rewrite_launches("{ a<<<1, 0, s>>>(); b<<<2, 0, s>>>(); return c<<<3, 0, s>>>(); }");
    EXPECT_EQ(result.launches, 3U);
    EXPECT_THAT(result.text, HasSubstr("return ::ascendsim::program::launch(\"c\""));
}

TEST(Aggregates, BlanksADefaultedConstructorThatStandsAlone) {
    const std::string result = restore_aggregates("struct P { int a; P() = default; };");
    EXPECT_EQ(result, "struct P { int a;                };");
}

TEST(Aggregates, BlanksWhatADeviceMacroPutsInFront) {
    const std::string device = "inline __attribute__((always_inline)) ";
    EXPECT_EQ(restore_aggregates("struct P { " + device + "P() = default; int a; };"),
              "struct P { " + std::string(device.size() + std::string{"P() = default;"}.size(), ' ') +
                  " int a; };");
    const std::string explicit_one = "struct P { inline explicit P() = default; int a; };";
    EXPECT_EQ(restore_aggregates(explicit_one), explicit_one);
}

TEST(Aggregates, KeepsItBesideOtherConstructors) {
    for (const std::string text : {"struct P { P() = default; P(int a) : x(a) {} int x; };",
                                   "struct P { explicit P() = default; };",
                                   "struct P { P(const P&) = default; P() = default; };",
                                   "struct P { ~P() = default; };"}) {
        EXPECT_EQ(restore_aggregates(text), text);
    }
}

TEST(RepeatedTemplates, AreBlankedWhereTheySayNothingNew) {
    const std::string primary = "template <typename T> struct bare { using type = T; };\n";
    const std::string again = "template <typename T> struct bare<T> { using type\n = T; };";
    EXPECT_EQ(without_repeated_templates(primary + again + " int a;"),
              primary + std::string(again.find('\n'), ' ') + "\n" +
                  std::string(again.size() - again.find('\n') - 1, ' ') + " int a;");
    const std::string two = "template <class T, int n> struct S {};";
    EXPECT_EQ(without_repeated_templates(two + "template <class T, int n> struct S<T, n> {};"),
              two + std::string(std::string{"template <class T, int n> struct S<T, n> {};"}.size(), ' '));
}

TEST(RepeatedTemplates, StayWhereTheyDiffer) {
    const std::string primary = "template <typename T> struct bare { using type = T; };";
    for (const std::string other : {"template <typename T> struct bare<T> { using type = T*; };",
                                    "template <typename T> struct bare<T*> { using type = T; };",
                                    "template <typename T> struct bare<const T> { using type = T; };",
                                    "template <typename T> struct other<T> { using type = T; };"}) {
        EXPECT_EQ(without_repeated_templates(primary + other), primary + other);
    }
}

TEST(ProgramKernels, TellWhichCoresTheyAskFor) {
    const auto kernels = find_program_kernels(R"(
        extern "C" { __attribute__((ascendsim_global)) __attribute__((ascendsim_cube)) void a(int x) { } }
        namespace n { template <class T> __attribute__((ascendsim_global)) void b(T x) { f(); } }
        __attribute__((ascendsim_global)) __attribute__((ascendsim_mix(1, 2))) void c();
        __attribute__((ascendsim_global)) void d() {
            static_assert(true, "ascendsim_task_type" "KERNEL_TYPE_MIX_AIC_1_1");
            static_assert(true, "ascendsim_task_key" "7" "KERNEL_TYPE_AIV_ONLY");
        })");
    ASSERT_EQ(kernels.size(), 4U);
    EXPECT_EQ(kernels[0].name, "a");
    EXPECT_EQ(kernels[0].cores, CoreUse::aic);
    EXPECT_TRUE(kernels[0].at_top && kernels[0].has_body && !kernels[0].is_template);
    EXPECT_TRUE(kernels[1].is_template && !kernels[1].at_top && !kernels[1].cores);
    EXPECT_EQ(kernels[2].cores, CoreUse::mix_1_2);
    EXPECT_FALSE(kernels[2].has_body);
    EXPECT_EQ(kernels[3].cores, CoreUse::mix_1_1);
    EXPECT_THAT(kernels[3].by_key, ElementsAre(testing::Pair(7, CoreUse::aiv)));
}

TEST(ProgramText, KnowsKernelsLaunchedByName) {
    EXPECT_THAT(kernels_launched_by_name("ACLRT_LAUNCH_KERNEL(add)(8, s); ACLRT_LAUNCH_KERNEL( mul )(8, s); "
                                         "aclrtlaunch_sub(8, s); aclrtlaunch_sub(9, s);"),
                ElementsAre("add", "mul", "sub"));
    EXPECT_THAT(kernels_launched_by_name("add<<<1, 0, s>>>();"), IsEmpty());
}

TEST(ProgramText, TellsProgramsFromKernels) {
    EXPECT_TRUE(looks_like_program("#include <a>\nint main(int argc, char** argv) {\n}"));
    EXPECT_TRUE(looks_like_program("TEST_F(Add, Works) {}"));
    EXPECT_FALSE(looks_like_program("// what main() does\nextern \"C\" void k() { remain(3); }"));
    EXPECT_TRUE(defines_main("struct A { int main(); };\nint main() { }"));
    EXPECT_FALSE(defines_main("struct A { int main(); }; void f() { main(); }"));
}

}  // namespace
}  // namespace ascendsim::toolchain
