// SPDX-License-Identifier: Apache-2.0
#include <set>

#include <gmock/gmock.h>

#include "kernels/plan/element.hpp"
#include "kernels/testing/kernel_run.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::plan_kernel;
using testing::run_kernel;
using testing::Settings;

class IndexRowsCases : public ::testing::TestWithParam<Settings> {};

TEST_P(IndexRowsCases, AgreesWithTheDefinition) {
    const KernelRun run = run_kernel("index_rows", GetParam());
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    IndexRowsCases,
    ::testing::Values(
        Settings{{"shape", "100,33"}, {"count", "70"}},
        Settings{{"shape", "100,33"}, {"count", "70"}, {"dtype", "int8"}, {"index_dtype", "int64"}},
        Settings{{"shape", "100,33"}, {"count", "70"}, {"shards", "4"}},
        Settings{{"shape", "7,20000"}, {"count", "5"}, {"dtype", "int64"}},  // rows longer than a buffer
        Settings{{"shape", "5,40,3"}, {"axis", "1"}, {"count", "700"}, {"dtype", "float32"}},  // a table
        Settings{{"shape", "9,30"}, {"axis", "1"}, {"count", "9000"}, {"dtype", "int64"}},
        Settings{{"shape", "3,8,9,10"}, {"axis", "1"}, {"depth", "2"}, {"count", "31"}, {"batched", "true"}},
        Settings{{"shape", "6,7,8"}, {"depth", "3"}, {"count", "50"}, {"dtype", "int32"}},
        Settings{{"kind", "scatter"}, {"shape", "100,33"}, {"count", "70"}},
        Settings{
            {"kind", "scatter"}, {"shape", "6,7,5"}, {"depth", "2"}, {"count", "30"}, {"dtype", "int64"}},
        Settings{{"kind", "scatter_add"}, {"shape", "11,33"}, {"count", "70"}, {"dtype", "float32"}}));

TEST(IndexRows, TakesRowsOfWholeBlocksOn310p) {
    const KernelRun run = run_kernel("index_rows", {{"shape", "100,64"}, {"count", "64"}}, {.chip = "310p3"});
    EXPECT_TRUE(run.clean()) << run.report();
}

// Of 4096 rows of 4096 B, 15 of 16 are the first where 16 devices share them: 30720 requests of 512 B for
// eight lines, which L2 serves one after the other where cores want them at once.
TEST(IndexRows, CoresQueueForTheRowThatStandsForThoseOfOtherShards) {
    const auto cycles = [](const char* shards) {
        return testing::in_child([&] {
            return run_kernel("index_rows",
                              {{"shape", "4096,2048"}, {"count", "4096"}, {"shards", shards}},
                              {.functional = false})
                .totals.cycles;
        });
    };
    EXPECT_GT(cycles("16"), 2 * cycles("1"));
}

// Of 64 indices every fourth is of a row here: one for each of 16 rows. A step over all indices, of which
// those are multiples of 4, would reach four rows alone.
TEST(IndexRows, LooksUpAllRowsOfAShard) {
    const host::Plan plan = plan_kernel("index_rows", {{"shape", "16,8"}, {"count", "64"}, {"shards", "4"}});
    const host::Buffer& index = plan.buffers[1];
    const std::vector<std::byte>& bytes = std::get<host::fill::Content>(index.fill).bytes;
    std::set<int> rows;
    for (std::uint64_t i = 0; i < 64; i += 4) {
        const int row = static_cast<int>(host::read_element(index.type, bytes, i));
        rows.insert(row < 0 ? row + 16 : row);
    }
    EXPECT_EQ(rows.size(), 16U);
}

// 64 rows of 8 halves are written; 64 are read, or 16 where three of four are the first of them.
TEST(IndexRows, NeedsToReadTheRowsOfAShardAlone) {
    const auto least = [](const char* shards) {
        return plan_kernel("index_rows", {{"shape", "99,8"}, {"count", "64"}, {"shards", shards}})
            .work.gm_bytes;
    };
    constexpr std::uint64_t index = 64 * 4;
    EXPECT_EQ(least("1"), (64 + 64) * 8 * 2 + index);
    EXPECT_EQ(least("4"), (16 + 64) * 8 * 2 + index);
}

TEST(IndexRows, RefusesAnIndexBeyondItsAxis) {
    const host::Plan plan =
        plan_kernel("index_rows", {{"shape", "4,8"}, {"count", "2"}, {"dtype", "float32"}});
    const std::vector<float> x(32);
    const std::vector<std::int32_t> index{1, 4};
    const std::vector<float> y(16);
    host::ReferenceData data;
    data.add(plan.buffers[0], std::as_bytes(std::span{x}));
    data.add(plan.buffers[1], std::as_bytes(std::span{index}));
    data.add(plan.buffers[2], std::as_bytes(std::span{y}));
    EXPECT_THROW(plan.reference(data), UserError);
}

TEST(IndexRows, NeedsAxesThatAreThere) {
    EXPECT_THROW(
        static_cast<void>(plan_kernel("index_rows", {{"shape", "9,9"}, {"axis", "1"}, {"depth", "2"}})),
        UserError);
}

}  // namespace
}  // namespace ascendsim
