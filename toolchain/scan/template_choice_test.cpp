// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scan/template_choice.hpp"

#include <fstream>

#include <gtest/gtest.h>

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

std::string arguments_of(const std::string& text) {
    const fs::path file =
        fs::path{testing::TempDir()} /
        (std::string{testing::UnitTest::GetInstance()->current_test_info()->name()} + ".cpp");
    std::ofstream{file} << text;
    const std::string result = first_template_arguments(file);
    fs::remove(file);
    return result;
}

TEST(TemplateChoice, TheFirstOfEachSelection) {
    EXPECT_EQ(
        arguments_of("ASCENDC_TPL_ARGS_DECL(Op, ASCENDC_TPL_UINT_DECL(mode, 8, ASCENDC_TPL_UI_LIST, 7, 8));\n"
                     "ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(  // of many\n"
                     "    ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_AIV_ONLY),\n"
                     "    ASCENDC_TPL_DATATYPE_SEL(T, C_DT_FLOAT16, C_DT_FLOAT),\n"
                     "    ASCENDC_TPL_UINT_SEL(mode, ASCENDC_TPL_UI_LIST, MODE_B, MODE_A),\n"
                     "    ASCENDC_TPL_UINT_SEL(rows, ASCENDC_TPL_UI_RANGE, 1, 3, 9),\n"
                     "    ASCENDC_TPL_BOOL_SEL(last, 1, 0)),\n"
                     "  ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_BOOL_SEL(last, 0)));\n"),
        "half, MODE_B, 3, 1");
}

TEST(TemplateChoice, AnArgumentMayBeTheKindOfCores) {
    EXPECT_EQ(arguments_of("ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_BOOL_SEL(last, 1),\n"
                           "    ASCENDC_TPL_SHARED_KERNEL_TYPE_SEL(cores, ASCENDC_TPL_MIX_AIC_1_1, "
                           "ASCENDC_TPL_MIX_AIC_1_2)));\n"),
              "1, ASCENDC_TPL_MIX_AIC_1_1");
}

TEST(TemplateChoice, ASelectionInAMacroIsPassedOver) {
    EXPECT_EQ(arguments_of("#define ENTRY(MODE) \\\n    ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_UINT_SEL(mode, "
                           "ASCENDC_TPL_UI_LIST, MODE))\nASCENDC_TPL_SEL(ENTRY(1));\n"),
              "");
}

TEST(TemplateChoice, NothingWithoutADeclaration) {
    EXPECT_EQ(arguments_of("template <int n> __global__ void k() {}\n"), "");
}

}  // namespace
}  // namespace ascendsim::toolchain
