// SPDX-License-Identifier: Apache-2.0
#include "app/studies/fault_place.hpp"

#include <filesystem>

#include <gtest/gtest.h>

namespace ascendsim::study {
namespace {

TEST(FaultPlace, OfASourceThatDoesNotCompileIsTheFirstErrorOfTheUsers) {
    const Fault fault = fault_of(
        "/p/bad.cpp: does not compile for aiv\n"
        "In file included from /c/kernels/e73e.cpp:2:\n"
        "/lib/tensor.h:340:10: error: static assertion failed\n"
        "/p/bad.cpp:20:7: error: no member named 'SetValu'; did you mean 'SetValue'?\n"
        "    g.SetValu(0, 1.0f);\n"
        "/p/bad.cpp:22:1: error: expected ';'\n");
    EXPECT_EQ(fault.file, "/p/bad.cpp");
    EXPECT_EQ(fault.line, 20U);
    EXPECT_EQ(fault.text, "no member named 'SetValu'; did you mean 'SetValue'?");
}

TEST(FaultPlace, IsThatOfAHeaderElsewhereIfTheUsersHasNoError) {
    const Fault fault = fault_of(
        "/p/bad.cpp: does not compile for aic\n"
        "/shared/more.h:4:10: fatal error: 'gone.h' file not found\n");
    EXPECT_EQ(fault.file, "/shared/more.h");
    EXPECT_EQ(fault.line, 4U);
    EXPECT_EQ(fault.text, "'gone.h' file not found");
}

TEST(FaultPlace, OfATemplateOfOursIsWhereItWasAskedFor) {
    const Fault fault = fault_of(
        "/p/bad.cpp: does not compile for aiv\n"
        "/lib/tensor.h:340:10: error: no such type\n"
        "/p/bad.cpp:9:5: note: in instantiation of function template 'Add<int>' requested here\n");
    EXPECT_EQ(fault.file, "/p/bad.cpp");
    EXPECT_EQ(fault.line, 9U);
    EXPECT_EQ(fault.text, "no such type");
}

TEST(FaultPlace, OfAKernelsFaultIsTheLineItNames) {
    const std::string error =
        "aiv0 (block 0): scalar_store at my kernels/loop.cpp:6, cycle 100: is this loop endless?";
    const Fault fault = fault_of(error);
    EXPECT_EQ(fault.file, "my kernels/loop.cpp");
    EXPECT_EQ(fault.line, 6U);
    EXPECT_EQ(fault.text, error);
}

TEST(FaultPlace, OfAMistakeInTheScenarioIsWhatTheErrorOpensWith) {
    const Fault fault = fault_of("t/x.toml:4: kernel.shape: too large");
    EXPECT_EQ(fault.file, "t/x.toml");
    EXPECT_EQ(fault.line, 4U);
    EXPECT_EQ(fault_of("t/x.toml:5:9: Error while parsing").line, 5U);
}

TEST(FaultPlace, IsToldAsSeenFromTheWorkingFolder) {
    const std::string here = std::filesystem::current_path().string();
    EXPECT_EQ(fault_of("copy at " + here + "/k.cpp:3: out of bounds").file, "k.cpp");
}

TEST(FaultPlace, IsNoneWhereTheErrorNamesNone) {
    const Fault fault = fault_of("a deadlock at cycle 9: nothing wakes aiv0");
    EXPECT_EQ(fault.file, "");
    EXPECT_EQ(fault.line, 0U);
}

}  // namespace
}  // namespace ascendsim::study
