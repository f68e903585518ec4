// SPDX-License-Identifier: Apache-2.0
#include "app/validation/rows/copy_rows.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace ascendsim::validation {
namespace {

class CopyRows : public ::testing::Test {
protected:
    Adapted adapt(const Measurement& given) const { return copy_case(Row{given}, {chip_, source_}); }

    static std::string knob(const KernelRun& run, const std::string& name) {
        const auto found = std::ranges::find(run.set, "kernel." + name, &scenario::Override::path);
        return found == run.set.end() ? "" : found->value;
    }

private:
    ChipSpec chip_;
    SourceRule source_;
};

TEST_F(CopyRows, TilesAndOddWidthsAreRead) {
    const Measurement given{.kernel = "GM->L1 ND2NZ copy",
                            .shape = "12288x12288 (302 MB)",
                            .dtype = "fp16",
                            .notes = "N=12287 unaligned, tile[64,256]"};
    const Adapted adapted = adapt(given);
    ASSERT_TRUE(std::holds_alternative<Case>(adapted));
    const KernelRun& run = std::get<Case>(adapted).runs.front();
    EXPECT_EQ(knob(run, "shape"), "[12288, 12287]");
    EXPECT_EQ(knob(run, "tile_columns"), "256");
    EXPECT_EQ(knob(run, "route"), "\"gm_to_l1_nd2nz\"");
}

TEST_F(CopyRows, SlicesAreReadAgain) {
    const Measurement given{.kernel = "GM->UB copy x4",
                            .shape = "12288x12288 x4 reads (1208 MB)",
                            .dtype = "fp16",
                            .notes = "N-sliced then repeated 4x, L2 hit 75%"};
    const Adapted adapted = adapt(given);
    ASSERT_TRUE(std::holds_alternative<Case>(adapted));
    const KernelRun& run = std::get<Case>(adapted).runs.front();
    EXPECT_EQ(knob(run, "times"), "4");
    EXPECT_EQ(knob(run, "slices"), "4");
}

TEST_F(CopyRows, ABroadcastOfOneRowSpreadsIt) {
    const Measurement given{.kernel = "BroadcastTo",
                            .shape = "1x1x12288; 3",
                            .dtype = "fp16+int64",
                            .notes = "median; out 1024,4,12288"};
    const Adapted adapted = adapt(given);
    ASSERT_TRUE(std::holds_alternative<Case>(adapted));
    const Case& result = std::get<Case>(adapted);
    EXPECT_EQ(knob(result.runs.front(), "shape"), "[4096, 12288]");
    EXPECT_DOUBLE_EQ(result.amount, 4096.0 * 12288 * 2);
}

TEST_F(CopyRows, TheHostsFloorIsTheLeastTime) {
    const Measurement given{.kernel = "torch device copy",
                            .shape = "81920 elem",
                            .dtype = "fp16",
                            .notes = "about 29-36 us floor is host/event overhead"};
    const Adapted adapted = adapt(given);
    ASSERT_TRUE(std::holds_alternative<Case>(adapted));
    EXPECT_DOUBLE_EQ(std::get<Case>(adapted).floor_us, 32.5);
}

TEST_F(CopyRows, APathOfOneCoreIsItsInstruction) {
    const Measurement given{
        .kernel = "per-core bandwidth parameter", .shape = "-", .dtype = "-", .notes = "L1->L0B per AIC"};
    const Adapted adapted = adapt(given);
    ASSERT_TRUE(std::holds_alternative<Case>(adapted));
    EXPECT_EQ(knob(std::get<Case>(adapted).runs.front(), "op"), "\"load_l0b\"");
}

TEST_F(CopyRows, WhatIsDerivedFromOthersIsNotRun) {
    const Measurement given{.kernel = "aggregate bandwidth", .shape = "see copy rows", .dtype = "fp16"};
    EXPECT_TRUE(std::holds_alternative<WhyNot>(adapt(given)));
}

}  // namespace
}  // namespace ascendsim::validation
