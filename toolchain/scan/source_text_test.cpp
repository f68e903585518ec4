// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scan/source_text.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "sim/base/error.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::toolchain {
namespace {

TEST(SourceText, HeadSentenceIsTheFirstOfTheCommentBehindTheLicence) {
    EXPECT_EQ(
        head_sentence("// SPDX-License-Identifier: Apache-2.0\n// y = f(x), row by\n// row. More of it.\n"),
        "y = f(x), row by row");
    EXPECT_EQ(head_sentence("// y = x.\n#include <a>\n"), "y = x");
    EXPECT_EQ(head_sentence("#include <a>\n// y = x.\n"), "");
}

TEST(SourceText, ReadingTheProgramCounterIsBlankedOutAndOtherAssemblyStays) {
    for (const std::string word : {"asm", "__asm__", "__asm"}) {
        const std::string read = word + " volatile(\"MOV %0, PC\\n\"\n : \"+l\"(pc));";
        const std::string other = " uint64_t pc; asm(\"nop\"); asm(\"MOV %0, SPR\" : \"=l\"(pc));";
        const std::string blank = std::string(read.find('\n'), ' ') + "\n" +
                                  std::string(read.size() - read.find('\n') - 2, ' ') + ";";
        EXPECT_EQ(without_attribute(read + other), blank + other);
    }
}

TEST(SourceText, ReadingTheClockByAssemblyBecomesACall) {
    EXPECT_EQ(without_attribute("asm volatile(\"MOV %0, SYS_CNT\\n\" : \"+l\"(t[0]));\nf();"),
              "t[0] = ::get_sys_cnt()" + std::string(24, ' ') + ";\nf();");
    EXPECT_EQ(without_attribute("asm(\n\"MOV %0, SYS_CNT\"\n: \"=l\" (now));"),
              "now = ::get_sys_cnt()    \n                 \n             ;");
    const std::string other =
        "asm(\"MOV %0, SYS_CNT\" : \"=l\"(t) : \"r\"(a));";  // of a form that is not known
    EXPECT_EQ(without_attribute(other), other);
}

TEST(SourceText, WhatNoChipHereFulfilsIsDeadCode) {
    const auto names = [](const std::string& condition) {
        return included_names(
            without_dead_code("#" + condition + "\n#include \"a.h\"\n#else\n#include \"b.h\"\n#endif\n"));
    };
    const std::vector<std::string> second{"b.h"};
    for (const char* dead : {"if 0",
                             "if defined(__CCE_AICORE__) && __CCE_AICORE__ == 310",
                             "  if (__NPU_ARCH__ == 5102)",
                             "ifdef __DAV_C310__",
                             "if defined(__DAV_310R6_CUBE__) && defined(X)"}) {
        EXPECT_EQ(names(dead), second) << dead;
    }
    const std::vector<std::string> both{"a.h", "b.h"};
    for (const char* open : {"if 1",
                             "if !(defined(__NPU_ARCH__) && __NPU_ARCH__ == 3003)",
                             "if defined(__DAV_C310__) \\",
                             "if __NPU_ARCH__ == SOME_NAME",
                             "if __NPU_ARCH__ == 5102 ? 0 : 1",
                             "if __CCE_AICORE__ == 310 || defined(X)",
                             "if __CCE_AICORE__ != 310",
                             "if (__NPU_ARCH__ == 2201)",
                             "ifndef __DAV_C310__"}) {
        EXPECT_EQ(names(open), both) << open;
    }
}

TEST(SourceText, WhatAChipHereFulfilsIsNone) {
    std::size_t chips = 0;
    for (const auto& file : std::filesystem::directory_iterator{Installation::find().chips()}) {
        const std::string text = process::text_of(file.path());
        constexpr std::string_view key = "\narch = \"";
        const std::size_t begin = text.find(key);
        if (begin == std::string::npos) {
            continue;
        }
        const std::size_t value = begin + key.size();
        const std::string condition =
            "#if __NPU_ARCH__ == " + text.substr(value, text.find('"', value) - value) +
            "\n#include \"a.h\"\n#endif\n";
        EXPECT_EQ(without_dead_code(condition), condition) << file.path();
        ++chips;
    }
    EXPECT_GE(chips, 8U);
}

TEST(SourceText, ANameIncludesNothingButItsFile) {
    EXPECT_EQ(include_line("/a b/$(c).cpp"), "#include \"/a b/$(c).cpp\"\n");
    EXPECT_THROW(static_cast<void>(include_line("/a\"b.cpp")), UserError);
    EXPECT_THROW(static_cast<void>(include_line("/a.h\"\n#include \"/b.cpp")), UserError);
    EXPECT_THROW(static_cast<void>(include_line("/a\rb.cpp")), UserError);
}

TEST(SourceText, EveryOperatorBeginsWithASentence) {
    const Installation installation = Installation::find();
    const std::vector<std::string> kernels = installation.kernels();
    EXPECT_GT(kernels.size(), 40U);
    for (const std::string& kernel : kernels) {
        EXPECT_GT(head_sentence(process::text_of(installation.kernel_source(kernel))).size(), 10U) << kernel;
    }
}

}  // namespace
}  // namespace ascendsim::toolchain
