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

struct EmbeddingCase {
    const char* shape;
    const char* rows;
    const char* type;
    const char* chip;
};

void PrintTo(const EmbeddingCase& a, std::ostream* out) {
    *out << a.shape << " into " << a.rows << ' ' << a.type << ' ' << a.chip;
}

class EmbeddingShapes : public ::testing::TestWithParam<EmbeddingCase> {
protected:
    [[nodiscard]] static KernelRun run(const char* schedule) {
        const auto [shape, rows, type, chip] = GetParam();
        return run_kernel("embedding_dense_grad",
                          {{"shape", shape}, {"rows", rows}, {"dtype", type}, {"schedule", schedule}},
                          {.chip = chip});
    }
};

TEST_P(EmbeddingShapes, AtomicAdditionsGiveTheSums) {
    const KernelRun result = run("atomic");
    EXPECT_TRUE(result.clean()) << result.report();
}

TEST_P(EmbeddingShapes, SortedPiecesGiveTheSums) {
    const KernelRun result = run("sorted");
    EXPECT_TRUE(result.clean()) << result.report();
}

INSTANTIATE_TEST_SUITE_P(Kernels,
                         EmbeddingShapes,
                         ::testing::Values(EmbeddingCase{"1,1", "1", "float16", "910b3"},
                                           EmbeddingCase{"0,64", "10", "float16", "910b3"},
                                           EmbeddingCase{"7,32", "0", "float16", "910b3"},
                                           EmbeddingCase{"4,77,1280", "100", "float16", "910b3"},
                                           EmbeddingCase{"997,67", "31", "float16", "910b3"},
                                           EmbeddingCase{"61,131", "509", "float32", "910b3"},
                                           EmbeddingCase{"5,20011", "3", "float16", "910b3"},
                                           EmbeddingCase{"4,77,1280", "100", "float16", "310p3"},
                                           EmbeddingCase{"131,72", "13", "float32", "310p3"}));

std::uint64_t cycles(const char* schedule, const char* hot) {
    return testing::in_child([schedule, hot] {
        const Settings settings{{"shape", "2464,1280"},
                                {"rows", "49408"},
                                {"zero", "false"},
                                {"hot", hot},
                                {"hot_rows", "1"},
                                {"schedule", schedule}};
        return run_kernel("embedding_dense_grad", settings, {.chip = "310p3", .functional = false})
            .totals.cycles;
    });
}

TEST(EmbeddingDenseGrad, AHotRowSlowsAtomicAdditions) {
    EXPECT_GT(cycles("atomic", "1"), cycles("atomic", "0"));
}

TEST(EmbeddingDenseGrad, SortingSparesTheHotRow) {
    EXPECT_LT(cycles("sorted", "1"), cycles("atomic", "1"));
}

TEST(EmbeddingDenseGrad, TimingOnlyFollowsTheIndices) {
    const Settings settings{{"shape", "300,128"}, {"rows", "1000"}, {"schedule", "atomic"}};
    const std::uint64_t functional =
        testing::in_child([&settings] { return run_kernel("embedding_dense_grad", settings).totals.cycles; });
    EXPECT_EQ(run_kernel("embedding_dense_grad", settings, {.functional = false}).totals.cycles, functional);
}

TEST(EmbeddingDenseGrad, WantsTokensAndAWidth) {
    EXPECT_THROW(static_cast<void>(plan_kernel("embedding_dense_grad", {{"shape", "77"}})), UserError);
}

}  // namespace
}  // namespace ascendsim
