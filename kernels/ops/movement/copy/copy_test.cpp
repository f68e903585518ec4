// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::plan_kernel;
using testing::run_kernel;
using testing::Settings;

struct CopyCase {
    const char* name;
    Settings settings;
};

void PrintTo(const CopyCase& c, std::ostream* out) {
    *out << c.name;
}

class Copies : public ::testing::TestWithParam<CopyCase> {};

TEST_P(Copies, ArriveAsTheyWere) {
    Settings settings = GetParam().settings;
    settings.emplace_back("keep", "true");
    const KernelRun run = run_kernel("copy", settings);
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    Copies,
    ::testing::Values(
        CopyCase{"tiles into UB",
                 {{"shape", "300,256"}, {"tile_rows", "7"}, {"tile_columns", "96"}, {"blocks", "5"}}},
        CopyCase{"odd rows into UB",
                 {{"shape", "61,331"}, {"tile_rows", "4"}, {"tile_columns", "331"}, {"blocks", "3"}}},
        CopyCase{"slices, again",
                 {{"shape", "64,256"}, {"slices", "4"}, {"times", "3"}, {"tile_rows", "8"}, {"blocks", "2"}}},
        CopyCase{"all rows by every core",
                 {{"shape", "48,64"}, {"order", "same"}, {"bypass_l2", "true"}, {"blocks", "4"}}},
        CopyCase{"L1 as it lies",
                 {{"route", "gm_to_l1"},
                  {"shape", "50,256"},
                  {"tile_rows", "16"},
                  {"tile_columns", "64"},
                  {"blocks", "3"}}},
        CopyCase{"L1 as NZ",
                 {{"route", "gm_to_l1_nd2nz"},
                  {"shape", "77,208"},
                  {"tile_rows", "20"},
                  {"tile_columns", "64"},
                  {"blocks", "3"}}},
        CopyCase{"L1 as NZ of floats",
                 {{"route", "gm_to_l1_nd2nz"},
                  {"dtype", "float32"},
                  {"shape", "33,40"},
                  {"tile_rows", "16"},
                  {"blocks", "2"}}},
        CopyCase{"through UB", {{"route", "through"}, {"shape", "997,101"}}},
        CopyCase{"one byte through UB", {{"route", "through"}, {"shape", "1"}, {"dtype", "int8"}}},
        CopyCase{"zeros", {{"route", "fill"}, {"shape", "333,77"}}},
        CopyCase{"words", {{"route", "fill"}, {"shape", "5,1000"}, {"dtype", "int32"}, {"value", "-7"}}},
        CopyCase{"a row for few rows", {{"route", "spread"}, {"shape", "4,1000"}}},
        CopyCase{"a row for many rows", {{"route", "spread"}, {"shape", "100,77"}, {"dtype", "float32"}}}));

TEST(Copy, TimingDoesNotDependOnComputing) {
    const Settings settings{{"shape", "96,331"}, {"tile_rows", "3"}, {"keep", "true"}};
    const std::uint64_t functional =
        testing::in_child([&] { return run_kernel("copy", settings).totals.cycles; });
    EXPECT_EQ(run_kernel("copy", settings, {.functional = false}).totals.cycles, functional);
}

// 128 rows of 127 halves end inside of a block and are taken one by one; rows of 128 halves are not.
TEST(Copy, RowsThatEndInsideOfABlockAreTakenOneByOne) {
    const auto cycles = [](const char* shape) {
        const Settings settings{
            {"route", "gm_to_l1_nd2nz"}, {"shape", shape}, {"tile_rows", "128"}, {"blocks", "1"}};
        return testing::in_child([&] {
            return run_kernel("copy", settings, {.chip = "910b1", .functional = false}).totals.cycles;
        });
    };
    constexpr std::uint64_t each = 66;  // port.burst_cycles of 910B1
    EXPECT_GT(cycles("128,127"), 128 * each);
    EXPECT_LT(cycles("128,128"), 128 * each);
}

TEST(Copy, SaysWhatDoesNotFit) {
    try {
        static_cast<void>(plan_kernel("copy", {{"tile_rows", "200"}, {"tile_columns", "1024"}}));
        FAIL() << "accepted";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("does not fit"));
    }
}

}  // namespace
}  // namespace ascendsim
