// SPDX-License-Identifier: Apache-2.0
#include "app/validation/catalogue.hpp"

#include <gtest/gtest.h>

#include "toolchain/installation/installation.hpp"

namespace ascendsim::validation {
namespace {

Catalogue shipped() {
    return Catalogue{toolchain::Installation::find().measurements()};
}

std::string chip_of(const std::string& text, const std::string& cores = "n/s") {
    Measurement measurement;
    measurement.chip = text;
    measurement.cores = cores;
    const Row row{measurement};
    const std::optional<ChipChoice> choice = shipped().chip(row);
    return choice ? choice->chip : "none";
}

SourceClass class_of(const std::string& source, const std::string& kernel = "Matmul") {
    Measurement measurement;
    measurement.source = source;
    measurement.kernel = kernel;
    const Row row{measurement};
    return shipped().source(row).which;
}

TEST(Chips, NamesOfTheWildAreRecognised) {
    EXPECT_EQ(chip_of("910B1 (Atlas A2, 1.85 GHz)"), "910b1");
    EXPECT_EQ(chip_of("Ascend 910B4"), "910b4");
    EXPECT_EQ(chip_of("910B4 (20 AIC/40 AIV, 0.8 TB/s)"), "910b4");
    EXPECT_EQ(chip_of("910B1/B2 (a2a3)"), "910b2");
    EXPECT_EQ(chip_of("A3 (910C die)"), "910c");
    EXPECT_EQ(chip_of("310P3 (8 AI cores)"), "310p3");
    EXPECT_EQ(chip_of("Atlas A2", "20"), "910b3");
    EXPECT_EQ(chip_of("Atlas A2", "24"), "910b1");
    EXPECT_EQ(chip_of("a graphics card"), "none");
}

TEST(Chips, AClockInTheTextIsKept) {
    Measurement measurement;
    measurement.chip = "910B3 (1.8 GHz, clock from cycles/time)";
    const Row row{measurement};
    const std::optional<ChipChoice> choice = shipped().chip(row);
    ASSERT_TRUE(choice);
    EXPECT_EQ(choice->clock_ghz, 1.8);
}

runtime::L2State l2_of(const std::string& shape) {
    Measurement measurement;
    measurement.source = "msprof-analyze kernel_details.csv";
    measurement.notes = "1 samples, median";
    measurement.shape = shape;
    const Row row{measurement};
    return shipped().source(row).l2;
}

TEST(Sources, FlatBuffersOfANetworkAreNotHandedOn) {
    EXPECT_EQ(l2_of("1024x4x6400; 1024x4x1"), runtime::L2State::chained);
    EXPECT_EQ(l2_of("4096"), runtime::L2State::chained);
    EXPECT_EQ(l2_of("12582912"), runtime::L2State::used);
    EXPECT_EQ(l2_of("12582912; 12582912"), runtime::L2State::used);
}

TEST(Sources, OnlySmallInputsOfRepeatedRunsAreInL2) {
    const auto l2 = [](const char* shape) {
        const Measurement measurement{
            .source = "cann-bench bench_lab", .shape = shape, .notes = "small inputs are L2 resident"};
        return shipped().source(Row{measurement}).l2;
    };
    EXPECT_EQ(l2("16x16384"), runtime::L2State::warm);
    EXPECT_EQ(l2("16x256x256"), runtime::L2State::warm);
    EXPECT_EQ(l2("16384x4096"), runtime::L2State::cold);
    EXPECT_EQ(l2("16x64x256x256 8 groups"), runtime::L2State::cold);
}

TEST(Sources, TheClassFollowsFromTheText) {
    EXPECT_EQ(class_of("asc-devkit examples/01/README_en.md"), SourceClass::known_source);
    EXPECT_EQ(class_of("pto-isa kernels/manual/topk/README.md"), SourceClass::known_source);
    EXPECT_EQ(class_of("cann-bench @bc7fa5c tasks/level1/mish"), SourceClass::black_box);
    EXPECT_EQ(class_of("msprof-analyze test/kernel_details.csv"), SourceClass::black_box);
    EXPECT_EQ(class_of("huawei-csl/pytorch-tcuscan nbs", "torch device copy"), SourceClass::black_box);
    EXPECT_EQ(class_of("huawei-csl/pytorch-tcuscan nbs", "MCScan s=128"), SourceClass::known_source);
    EXPECT_EQ(class_of("somebody's page"), SourceClass::black_box);
}

TEST(Sources, AHostsShareFollowsFromTheChipToo) {
    Measurement measurement{.source = "ascend-rs book, appendix F", .chip = "310P", .kernel = "relu"};
    const double slow = shipped().source(Row{measurement}).host_us;
    measurement.chip = "910B3";
    const double fast = shipped().source(Row{measurement}).host_us;
    EXPECT_GT(slow, fast);
    EXPECT_GT(fast, 0);
    measurement.source = "somebody's page";
    EXPECT_EQ(shipped().source(Row{measurement}).host_us, 0);
}

TEST(Sources, WhatRanOftenInANetworkFindsItsCode) {
    const auto held = [](const std::string& notes) {
        Measurement measurement;
        measurement.source = "msprof-analyze test/kernel_details.csv";
        measurement.notes = notes;
        return shipped().source(Row{measurement}).code_held;
    };
    EXPECT_TRUE(held("29 samples, median; out scalar"));
    EXPECT_TRUE(held("3 samples, median; out scalar"));
    EXPECT_FALSE(held("2 samples, median; out 1024,4"));  // the first of two is as likely as the second
    EXPECT_FALSE(held("1 samples, median; out 1024,4"));
    EXPECT_FALSE(held(""));
}

TEST(Sources, OperatorsThatRanOnceOrTwiceStartEachCoreLater) {
    const auto later = [](const std::string& notes) {
        Measurement measurement;
        measurement.source = "msprof-analyze kernel_details.csv";
        measurement.kernel = "Cast";
        measurement.notes = notes;
        return shipped().source(Row{measurement}).first_task_us;
    };
    EXPECT_GT(later("2 samples, median; out 4608"), 0);
    EXPECT_EQ(later("14 samples, median; out 12288"), 0);
    EXPECT_EQ(later("1 core, device time of an empty-ish task"), 0);
}

}  // namespace
}  // namespace ascendsim::validation
