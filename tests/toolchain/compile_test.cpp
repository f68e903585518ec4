// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/compile.hpp"

#include <array>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "kernels/plan/plugin.hpp"
#include "models/port/scalar_steps.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// A source folder of its own with a one-line kernel_operator.h, so these tests need none of the real
/// headers.
class KernelCompilation : public testing::Test {
protected:
    fs::path folder =
        fs::path{testing::TempDir()} /
        (std::string{"compile_"} + testing::UnitTest::GetInstance()->current_test_info()->name());
    Toolchain toolchain{.installation = Installation::find()};

    void SetUp() override {
        fs::remove_all(folder);
        fs::create_directories(folder / "kernels" / "ascendc");
        fs::create_directories(folder / "models" / "port");
        fs::copy(toolchain.installation.root / "models/port/entry.hpp", folder / "models/port/entry.hpp");
        write("kernels/ascendc/kernel_operator.h", "#define __global__\n#define __aicore__\n");
        toolchain.installation.root = folder;
        setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
    }

    void TearDown() override { fs::remove_all(folder); }

    fs::path write(const std::string& name, const std::string& text) const {
        std::ofstream{folder / name} << text;
        return folder / name;
    }

    [[nodiscard]] fs::path compiled(const fs::path& source, std::vector<std::string> entries) const {
        return compile_cached({.source = source, .entries = std::move(entries), .flags = {}}, toolchain);
    }
};

struct Sizes {
    int m = 2;
    int n = 3;
};

TEST_F(KernelCompilation, CallsAFunctionWithItsUnpackedArguments) {
    const fs::path source =
        write("k.cpp",
              "struct Sizes { int m, n; };\n"
              "extern \"C\" __global__ __aicore__ void area(int* out, Sizes s, float scale)"
              " { *out = int(s.m * s.n * scale); }\n"
              "template <class T> __global__ void fill(T* out) { *out = T(7); }\n");
    const host::DevicePlugin plugin{compiled(source, {"area", "fill<int>"})};
    int result = 0;
    int* out = &result;
    Sizes sizes;
    float scale = 1.5F;
    void* arguments[]{static_cast<void*>(&out), &sizes, &scale};
    plugin.entry("area").invoke(arguments);
    EXPECT_EQ(result, 9);
    plugin.entry("fill<int>").invoke(arguments);
    EXPECT_EQ(result, 7);
}

/// Instructions, and the divisions among them.
using Count = std::pair<std::uint64_t, std::uint64_t>;

/// What `entry` of `plugin` counts more in 200 rounds than in 100.
Count steps_of_100(const host::DevicePlugin& plugin, const std::string& entry) {
    std::array<Count, 2> counts{};
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
        std::uint32_t result = 0;
        std::uint32_t* out = &result;
        int rounds = 100 * static_cast<int>(i + 1);
        void* arguments[]{static_cast<void*>(&out), &rounds};
        ascendsim_scalar_steps = ascendsim_scalar_divisions = 0;
        plugin.entry(entry).invoke(arguments);
        counts.at(i) = {ascendsim_scalar_steps, ascendsim_scalar_divisions};
    }
    return {counts[1].first - counts[0].first, counts[1].second - counts[0].second};
}

TEST_F(KernelCompilation, CountsAKernelsScalarWork) {
    write("kernels/ascendc/kernel_operator.h",
          "#define __global__\n#define __aicore__\n"
          "inline unsigned framework(int n) { unsigned x = 1; for (int i = 0; i < n; ++i) x = x * 69069u + "
          "1u; return x; }\n");
    // The loops stay loops, so that each round can be counted.
    const std::string keep = "#define KEEP _Pragma(\"clang loop unroll(disable)\")\n";
    const std::string head = "extern \"C\" __global__ __aicore__ void ";
    const fs::path source = write("k.cpp",
                                  keep + head +
                                      "product(unsigned* out, int n) { unsigned x = 1; KEEP for (int i = 0; "
                                      "i < n; ++i) x = x * 69069u + 1u; *out = x; }\n" +
                                      head +
                                      "quotient(unsigned* out, int n) { unsigned x = 1; KEEP for (int i = 0; "
                                      "i < n; ++i) x = ~x / (n + i); *out = x; }\n" +
                                      head + "call(unsigned* out, int n) { *out = framework(n); }\n");
    const host::DevicePlugin plugin{compiled(source, {"product", "quotient", "call"})};
    // A product, two sums (of x and of i), a comparison and a branch.
    EXPECT_EQ(steps_of_100(plugin, "product"), Count(500, 0));
    // A complement, two sums, a comparison, a branch; and a division.
    EXPECT_EQ(steps_of_100(plugin, "quotient"), Count(600, 100));
    EXPECT_EQ(steps_of_100(plugin, "call"), Count(0, 0))
        << "what the framework does is part of its operations' cost";
}

TEST_F(KernelCompilation, CountsAKernelInAFolderNamedLikeTheSimulators) {
    fs::create_directories(folder / "mine" / "kernels" / "ascendc");
    const fs::path source =
        write("mine/kernels/ascendc/k.cpp",
              "extern \"C\" __global__ __aicore__ void product(unsigned* out, int n) { unsigned x = 1;\n"
              "_Pragma(\"clang loop unroll(disable)\") for (int i = 0; i < n; ++i) x = x * 69069u + 1u; *out "
              "= x; }\n");
    const host::DevicePlugin plugin{compiled(source, {"product"})};
    // A product, two sums (of x and of i), a comparison and a branch.
    EXPECT_EQ(steps_of_100(plugin, "product"), Count(500, 0));
}

TEST_F(KernelCompilation, TakesAKernelNamedLikeALibraryFunction) {
    const fs::path source =
        write("k.cpp",
              "#include <cmath>\n"
              "extern \"C\" __global__ __aicore__ void asinh(double* x) { *x = std::exp(*x); }\n"
              "extern \"C\" __global__ __aicore__ void other(double* x) { *x = 2; }\n");
    const host::DevicePlugin plugin{compiled(source, {"asinh", "other"})};
    double x = 0;
    double* out = &x;
    void* arguments[]{static_cast<void*>(&out)};
    plugin.entry("asinh").invoke(arguments);
    EXPECT_EQ(x, 1);
}

TEST_F(KernelCompilation, ReusesAResultOfTheSameContent) {
    const fs::path source = write("k.cpp", "#include \"h.h\"\nvoid f(int*) {}\n");
    write("h.h", "// one\n");
    const fs::path first = compiled(source, {"f"});
    const auto inode = [&first] {
        struct stat status {};
        EXPECT_EQ(::stat(first.c_str(), &status), 0);
        return status.st_ino;
    };
    const auto before = inode();
    fs::last_write_time(source, fs::file_time_type::clock::now());
    EXPECT_EQ(compiled(source, {"f"}), first);
    EXPECT_EQ(inode(), before);  // what is made anew is another file under the same name
}

TEST_F(KernelCompilation, CompilesAgainWhenAHeaderOrAFlagChanges) {
    const fs::path source = write("k.cpp", "#include \"h.h\"\nvoid f(int*) {}\n");
    write("h.h", "// one\n");
    const fs::path first = compiled(source, {"f"});
    write("h.h", "// two\n");
    const fs::path second = compiled(source, {"f"});
    EXPECT_NE(second, first);
    const fs::path third = compile_cached({.source = source, .entries = {"f"}, .flags = {"-DX"}}, toolchain);
    EXPECT_NE(third, second);
    write("h.h", "// one\n");
    EXPECT_EQ(compiled(source, {"f"}), first);
}

TEST_F(KernelCompilation, GivesEachPassItsMacros) {
    const std::string text =
        "#if __CCE_AICORE__ != 220 || __NPU_ARCH__ != 2201\n#error arch\n#endif\n"
        "#if defined(__DAV_C220_VEC__) == defined(__DAV_C220_CUBE__)\n#error kind\n#endif\n"
        "#ifdef __DAV_CUBE__\nvoid f(int* out) { *out = 1; }\n#else\nvoid f(int* out) { *out = 2; "
        "}\n#endif\n";
    const fs::path source = write("k.cpp", text);
    int result = 0;
    int* out = &result;
    void* arguments[]{static_cast<void*>(&out)};
    host::DevicePlugin{
        compile_cached({.source = source, .pass = Pass::aic, .entries = {"f"}, .flags = {}}, toolchain)}
        .entry("f")
        .invoke(arguments);
    EXPECT_EQ(result, 1);
    host::DevicePlugin{compiled(source, {"f"})}.entry("f").invoke(arguments);
    EXPECT_EQ(result, 2);
}

TEST_F(KernelCompilation, ShowsTheCompilersMessageWithTheUsersLine) {
    const fs::path source = write("k.cpp", "void f(int*) {\n    int x = nothing;\n}\n");
    try {
        static_cast<void>(compiled(source, {"f"}));
        FAIL() << "compiled";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr("k.cpp:2:13: error: use of undeclared identifier 'nothing'"));
    }
}

TEST_F(KernelCompilation, RefusesAFunctionThatIsDeclaredButNowhereDefined) {
    const fs::path source = write("k.cpp", "void g();\nvoid f(int*) { g(); }\n");
    try {
        static_cast<void>(compiled(source, {"f"}));
        FAIL() << "linked";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr("g()"));
    }
}

TEST_F(KernelCompilation, NamesAMissingSourceAndAMissingCompiler) {
    EXPECT_THROW(static_cast<void>(compiled(folder / "none.cpp", {"f"})), UserError);
    const fs::path source = write("k.cpp", "void f(int*) {}\n");
    toolchain.compiler = "no-such-compiler";
    EXPECT_THROW(static_cast<void>(compiled(source, {"f"})), UserError);
}

TEST_F(KernelCompilation, ChecksALaunchAgainstTheFunction) {
    const host::DevicePlugin plugin{compiled(write("k.cpp", "void f(int*, short) {}\n"), {"f"})};
    const isa::Entry& entry = plugin.entry("f");
    const auto launch = [](std::vector<host::Argument> arguments) {
        return host::Launch{.entry = "f", .arguments = std::move(arguments), .label = {}, .kernel = {}};
    };
    EXPECT_NO_THROW(host::check_arguments(
        launch({host::Argument::address("x"), host::Argument::of(std::int16_t{1})}), entry));
    EXPECT_THROW(host::check_arguments(launch({host::Argument::address("x")}), entry), UserError);
    EXPECT_THROW(host::check_arguments(launch({host::Argument::address("x"), host::Argument::of(1)}), entry),
                 UserError);
    EXPECT_THROW(
        host::check_arguments(
            launch({host::Argument::of(std::int64_t{1}), host::Argument::of(std::int16_t{1})}), entry),
        UserError);
    EXPECT_THROW(static_cast<void>(plugin.entry("g")), UserError);
}

TEST(Depfile, NamesAreReadWithEscapesAndContinuations) {
    EXPECT_THAT(dependencies("out.so: a.cpp \\\n  dir/b\\ c.h \\\n  d.h\n"),
                ElementsAre("a.cpp", "dir/b c.h", "d.h"));
    EXPECT_THAT(dependencies(""), ElementsAre());
}

/// How many parsed headers the cache of this test holds.
std::size_t parsed_headers(const fs::path& folder) {
    std::size_t count = 0;
    std::error_code missing;
    for (const fs::directory_entry& file :
         fs::directory_iterator{folder / "cache" / "ascendsim" / "headers", missing}) {
        count += file.path().extension() == ".pch" ? 1U : 0U;
    }
    return count;
}

int value_of(const fs::path& plugin) {
    int result = 0;
    int* out = &result;
    void* arguments[]{static_cast<void*>(&out)};
    host::DevicePlugin{plugin}.entry("k").invoke(arguments);
    return result;
}

TEST_F(KernelCompilation, ParsesItsHeadersOnceForAllSources) {
    const std::string text = "extern \"C\" __global__ __aicore__ void k(int* out) { *out = ";
    EXPECT_EQ(value_of(compiled(write("one.cpp", text + "1; }\n"), {"k"})), 1);
    EXPECT_EQ(value_of(compiled(write("two.cpp", text + "2; }\n"), {"k"})), 2);
    EXPECT_EQ(parsed_headers(folder), 1U);
    // Another macro may mean another text.
    const fs::path third = write("three.cpp", text + "N; }\n");
    EXPECT_EQ(value_of(compile_cached({.source = third, .entries = {"k"}, .flags = {"-DN=3"}}, toolchain)),
              3);
    EXPECT_EQ(parsed_headers(folder), 2U);
}

TEST_F(KernelCompilation, ParsesAChangedHeaderAnew) {
    const auto header = [this](int value) {
        write("kernels/ascendc/kernel_operator.h",
              "#define __global__\n#define __aicore__\n#define VALUE " + std::to_string(value) + "\n");
    };
    const std::string text = "extern \"C\" __global__ __aicore__ void k(int* out) { *out = VALUE; }\n";
    header(4);
    EXPECT_EQ(value_of(compiled(write("one.cpp", text), {"k"})), 4);
    header(5);
    EXPECT_EQ(value_of(compiled(write("two.cpp", text), {"k"})), 5);
    EXPECT_EQ(value_of(compiled(folder / "one.cpp", {"k"})), 5) << "a plug-in depends on parsed headers, too";
}

}  // namespace
}  // namespace ascendsim::toolchain
