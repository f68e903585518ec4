// SPDX-License-Identifier: Apache-2.0
// The kernels of this repository are correct, so the checker has no error to report of any of them.
#include <cstdio>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim::testing {
namespace {

/// A kernel with knobs that make it take ragged tiles, several blocks and buffers in turns.
struct KernelCase {
    const char* kernel;
    Settings settings;
    const char* chip = "910b3";
};

void PrintTo(const KernelCase& one, std::ostream* out) {
    *out << one.kernel << " on " << one.chip;
    for (const auto& [name, value] : one.settings) {
        *out << ' ' << name << '=' << value;
    }
}

class SanitizerInTree : public ::testing::TestWithParam<KernelCase> {};

TEST_P(SanitizerInTree, HasNothingToReport) {
    const KernelCase& one = GetParam();
    const std::uint64_t hazards = in_child([&one] {
        const KernelRun run = run_kernel(one.kernel, one.settings, {.chip = one.chip});
        fmt::print(stderr, "{}", run.hazards);
        return std::uint64_t{run.hazards.size()};
    });
    EXPECT_EQ(hazards, 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    SanitizerInTree,
    ::testing::Values(
        KernelCase{"add", {{"shape", "997,101"}}},
        KernelCase{"add", {{"shape", "31,4099"}, {"buffers", "1"}, {"tile", "2048"}, {"copy", "512"}}},
        KernelCase{"add", {{"shape", "3,333"}, {"schedule", "scalar"}}},
        KernelCase{"add", {{"shape", "997,101"}}, "310p3"},
        KernelCase{"gelu", {{"shape", "131,257"}, {"form", "tanh"}}},
        KernelCase{"gelu", {{"shape", "131,257"}, {"dtype", "bfloat16"}, {"form", "erf"}}},
        KernelCase{"gelu", {{"shape", "131,257"}, {"form", "tanh"}}, "310p3"},
        KernelCase{"softmax", {{"shape", "197,77"}}},
        KernelCase{"softmax", {{"shape", "13,5003"}}},
        KernelCase{"softmax", {{"shape", "7,1001"}, {"schedule", "online"}}},
        KernelCase{"softmax", {{"shape", "197,80"}}, "310p3"},
        KernelCase{"rms_norm", {{"shape", "131,768"}}},
        KernelCase{"layer_norm_gelu", {{"shape", "131,768"}, {"schedule", "fused"}}},
        KernelCase{"layer_norm_gelu", {{"shape", "131,768"}, {"schedule", "unfused"}}},
        KernelCase{"embedding_dense_grad", {{"shape", "300,128"}, {"rows", "1000"}, {"schedule", "atomic"}}},
        KernelCase{"matmul", {{"m", "333"}, {"n", "444"}, {"k", "555"}}},
        KernelCase{"matmul", {{"m", "300"}, {"n", "200"}, {"k", "1000"}, {"schedule", "grid"}}},
        KernelCase{
            "swiglu",
            {{"shape", "3,31,272"}, {"gate", "272,331"}, {"up", "272,331"}, {"schedule", "optimised"}}},
        KernelCase{"swiglu",
                   {{"shape", "3,31,272"}, {"gate", "272,331"}, {"up", "272,331"}, {"schedule", "fused"}}},
        KernelCase{"swiglu",
                   {{"shape", "3,31,272"}, {"gate", "272,331"}, {"up", "272,331"}, {"schedule", "native"}}},
        KernelCase{"flash_attention", {{"batch", "2"}}},
        KernelCase{"add", {{"shape", "31,4099"}, {"buffers", "1"}, {"tile", "2048"}}, "310p3"},
        KernelCase{"matmul", {{"m", "300"}, {"n", "208"}, {"k", "512"}}, "310p3"},
        KernelCase{"embedding_dense_grad", {{"shape", "300,128"}, {"rows", "1000"}}, "310p3"},
        KernelCase{"attention", {{"q_len", "130"}, {"kv_len", "200"}, {"heads", "2"}}},
        KernelCase{"attention", {{"q_len", "1"}, {"kv_len", "1000"}, {"heads", "2"}, {"splits", "4"}}},
        KernelCase{"conv2d", {{"batch", "1"}, {"c1", "2"}, {"width", "16"}, {"n1", "2"}}},
        KernelCase{"elementwise", {{"op", "add"}, {"shape", "77,331"}}},
        KernelCase{"glu", {{"shape", "33,514"}, {"gate", "gelu"}}},
        KernelCase{"group_norm", {{"shape", "1,32,9,7"}, {"silu", "true"}}},
        KernelCase{"matmul_leaky_relu", {{"m", "200"}, {"n", "100"}, {"k", "90"}, {"form", "async"}}},
        KernelCase{"matmul_object", {{"m", "200"}, {"n", "150"}, {"k", "100"}, {"template", "mdl"}}},
        KernelCase{"reduce", {{"shape", "17,33,65"}, {"op", "max"}}},
        KernelCase{"row_norm", {{"shape", "100,512"}, {"residual", "true"}}},
        KernelCase{"softmax_axis", {{"shape", "33,257"}}},
        KernelCase{"top_k", {{"shape", "33,300"}, {"k", "5"}}},
        KernelCase{"transpose", {{"shape", "3,40,50"}, {"perm", "0,2,1"}}}),
    [](const auto& one) { return fmt::format("{}_{}", one.param.kernel, one.index); });

}  // namespace
}  // namespace ascendsim::testing
