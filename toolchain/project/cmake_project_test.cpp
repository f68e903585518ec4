// SPDX-License-Identifier: Apache-2.0
#include "toolchain/project/cmake_project.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "sim/base/error.hpp"
#include "toolchain/project/cmake_text.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

class CmakeProject : public ::testing::Test {
protected:
    void TearDown() override { fs::remove_all(folder_); }

    fs::path write(const std::string& name, const std::string& text) const {
        const fs::path file = folder_ / name;
        fs::create_directories(file.parent_path());
        std::ofstream{file} << text;
        return file;
    }

    [[nodiscard]] CmakeNotes notes(const fs::path& source, const std::vector<std::string>& given = {}) const {
        return cmake_notes(source, folder_, given);
    }

    static bool has(const CmakeNotes& notes, const std::string& flag) {
        return std::ranges::find(notes.flags, flag) != notes.flags.end();
    }

    fs::path folder_ = fs::temp_directory_path() / ("cmake_project_" + std::to_string(getpid()));
};

TEST(CmakeText, CommandsAreCutAtBlanksOutsideOfQuotes) {
    const std::vector<CmakeCommand> commands = cmake_commands(
        "# set(NOT this)\nSet(A \"two words\" 3 #[[ not\n this]] 4)\nif(NOT (A STREQUAL \"b\"))\nendif()\n");
    ASSERT_EQ(commands.size(), 3U);
    EXPECT_EQ(commands[0].name, "set");
    EXPECT_EQ(commands[0].arguments, (std::vector<std::string>{"A", "two words", "3", "4"}));
    EXPECT_EQ(commands[1].arguments, (std::vector<std::string>{"NOT", "A", "STREQUAL", "b"}));
}

TEST_F(CmakeProject, ASamplesTargetTellsItsDefinitionsAndTheUserSetsVariables) {
    const fs::path demo = write("demo/demo.asc", "");
    write("demo/inc/x.h", "");
    write("demo/CMakeLists.txt",
          "set(SCENARIO 1 CACHE STRING \"which\")\n"
          "add_executable(demo demo.asc)\n"
          "target_include_directories(demo PRIVATE inc missing)\n"
          "target_compile_options(demo PRIVATE -O2 $<$<COMPILE_LANGUAGE:ASC>:-DFAST>)\n"
          "ascendc_compile_definitions(demo PRIVATE -DSCENARIO=${SCENARIO} __NPU_ARCH__=3510 "
          "SET=${BY_THE_USER})\n"
          "add_executable(other other.asc)\n"
          "target_compile_definitions(other PRIVATE OTHER)\n");
    const CmakeNotes found = notes(demo);
    EXPECT_TRUE(has(found, "-DSCENARIO=1"));
    EXPECT_TRUE(has(found, "-DFAST"));
    EXPECT_TRUE(has(found, "-I" + (folder_ / "demo" / "inc").string()));
    EXPECT_EQ(found.flags.size(), 3U)
        << "nothing of another target, of missing folders, of the compiler or without its value";
    EXPECT_TRUE(found.sources.empty());
    EXPECT_FALSE(has(notes(demo, {"-DSCENARIO=2"}), "-DSCENARIO=2")) << "the user has defined it";
}

TEST_F(CmakeProject, AVariableThatHoldsItsOwnNameIsNotFilledInForEver) {
    const fs::path demo = write("demo.asc", "");
    write("CMakeLists.txt",
          "set(INNER B)\nset(A_B 7)\nadd_executable(demo demo.asc)\n"
          "target_compile_definitions(demo PRIVATE X=${X} NESTED=${A_${INNER}})\n");
    const CmakeNotes found = notes(demo, {"-DX=${X}"});
    EXPECT_TRUE(has(found, "-DNESTED=7"));
}

TEST_F(CmakeProject, AProgramsKernelsComeFromTheLibraryThatAnIncludedFileMakes) {
    const fs::path main = write("sample/main.cpp", "");
    const fs::path kernel = write("sample/add_custom.cpp", "");
    write("sample/CMakeLists.txt",
          "set(RUN_MODE \"npu\" CACHE STRING \"\")\n"
          "file(GLOB KERNEL_FILES ${CMAKE_CURRENT_SOURCE_DIR}/add_*.cpp)\n"
          "if(\"${RUN_MODE}\" STREQUAL \"cpu\")\n  include(cmake/cpu_lib.cmake)\nelseif(RUN_MODE STREQUAL "
          "\"npu\")\n"
          "  include(cmake/npu_lib.cmake)\nendif()\n"
          "foreach(x a b)\n  add_executable(${x} main.cpp wrong.cpp)\nendforeach()\n"
          "add_executable(ascendc_kernels ${CMAKE_CURRENT_SOURCE_DIR}/main.cpp)\n");
    write("sample/cmake/cpu_lib.cmake", "add_library(kernels SHARED wrong.cpp)\n");
    write("sample/cmake/npu_lib.cmake",
          "ascendc_library(kernels STATIC ${KERNEL_FILES})\n"
          "ascendc_compile_definitions(kernels PRIVATE HAVE_WORKSPACE)\n");
    write("sample/wrong.cpp", "");
    const CmakeNotes found = notes(main);
    EXPECT_EQ(found.sources, std::vector{kernel});
    EXPECT_TRUE(has(found, "-DHAVE_WORKSPACE"));
    const CmakeNotes alone = notes(kernel);
    EXPECT_TRUE(alone.sources.empty()) << "a kernel alone needs no main";
    EXPECT_TRUE(has(alone, "-DHAVE_WORKSPACE"));
}

TEST_F(CmakeProject, AListAboveCountsAndOneThatDoesNotNameTheSourceDoesNot) {
    const fs::path source = write("a/b/c.cpp", "");
    write("a/b/CMakeLists.txt", "add_executable(d d.cpp)\nadd_compile_definitions(D)\n");
    EXPECT_TRUE(notes(source).flags.empty());
    write("a/CMakeLists.txt", "add_compile_definitions(A)\nadd_executable(c b/c.cpp)\n");
    EXPECT_EQ(notes(source).flags, std::vector<std::string>{"-DA"});
}

std::string doubled(int times) {
    std::string text = "set(V0 0123456789)\n";
    for (int i = 1; i <= times; ++i) {
        text += fmt::format("set(V{0} ${{V{1}}}${{V{1}}})\n", i, i - 1);
    }
    return text + "add_executable(demo demo.asc)\n";
}

TEST_F(CmakeProject, VariablesThatDoubleFortyTimesEndWithASentence) {
    const fs::path demo = write("demo.asc", "");
    write("CMakeLists.txt", doubled(10));
    EXPECT_NO_THROW(static_cast<void>(notes(demo)));
    write("CMakeLists.txt", doubled(40));
    try {
        static_cast<void>(notes(demo));
        FAIL() << "taken";
    } catch (const UserError& error) {
        EXPECT_STREQ(error.what(),
                     ((folder_ / "CMakeLists.txt").string() +
                      ": its variables come to more than 64 MiB of text; is one put into itself?")
                         .c_str());
    }
}

TEST_F(CmakeProject, AFileThatIncludesItselfEndsWithASentence) {
    const fs::path demo = write("demo.asc", "");
    std::string text;
    for (int i = 0; i < 20; ++i) {
        text += "include(CMakeLists.txt)\n";
    }
    write("CMakeLists.txt", text);
    EXPECT_THROW(static_cast<void>(notes(demo)), UserError);
    write("CMakeLists.txt", "set(CACHE)\nset(A CACHE)\nset(\nset(B \"");
    EXPECT_NO_THROW(static_cast<void>(notes(demo)));
}

TEST_F(CmakeProject, NamesThatNoFileCanHaveLeadToNone) {
    const fs::path demo = write("demo.asc", "");
    const std::string name(300, 'x');  // a name has at most 255 bytes
    write("CMakeLists.txt",
          "include(" + name + ")\nadd_subdirectory(" + name + ")\ninclude_directories(" + name +
              ")\nadd_executable(demo " + name + ")\n");
    EXPECT_NO_THROW(static_cast<void>(notes(demo)));
}

TEST_F(CmakeProject, WhatIsSaidOfAllSourcesIsAHint) {
    const fs::path source = write("examples/one/one.cpp", "");
    write("include/x.h", "");
    write("CMakeLists.txt",
          "if(NOT DEFINED ARCH OR NOT ARCH)\n  set(ARCH 2201)\nendif()\n"
          "if(NOT DEFINED ARCH AND DEFINED CMAKE_SOURCE_DIR)\n  set(ARCH 3510)\nendif()\n"
          "add_subdirectory(examples)\n");
    write("examples/CMakeLists.txt",
          "add_compile_definitions(OF_ARCH=${ARCH})\ninclude_directories(${PROJECT_SOURCE_DIR}/include)\n");
    write("examples/one/CMakeLists.txt", "an_example_of_ours(one one.cpp)\n");
    EXPECT_TRUE(notes(source).flags.empty()) << "no target has the source";
    const std::string include = "-I" + (folder_ / "include").string();
    const std::string hint = cmake_hint(source, folder_, {});
    EXPECT_NE(hint.find((folder_ / "CMakeLists.txt").string()), std::string::npos) << hint;
    EXPECT_NE(hint.find(include + " -DOF_ARCH=2201"), std::string::npos) << hint;
    const std::string rest = cmake_hint(source, folder_, {"-DOF_ARCH=3510"});
    EXPECT_NE(rest.find(include), std::string::npos) << rest;
    EXPECT_EQ(rest.find("OF_ARCH"), std::string::npos) << rest;
    EXPECT_EQ(cmake_hint(source, folder_, {"-DOF_ARCH", include}), "");
}

}  // namespace
}  // namespace ascendsim::toolchain
