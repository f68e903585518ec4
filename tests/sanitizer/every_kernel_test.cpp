// SPDX-License-Identifier: Apache-2.0
// Every kernel of the installation on chips of either kind of cores: whatever a kernel takes, it computes
// without anything for the checker to report. A kernel that is new needs a small size here.
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/testing/kernel_run.hpp"
#include "sim/base/error.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::testing {
namespace {

/// Sizes of a kernel that take milliseconds: one that older chips take where there is one, and a ragged one.
const std::map<std::string, std::vector<Settings>>& small_sizes() {
    static const std::map<std::string, std::vector<Settings>> all{
        {"add", {{{"shape", "64,1024"}}, {{"shape", "31,409"}, {"buffers", "1"}}}},
        {"attention", {{{"q_len", "70"}, {"kv_len", "100"}, {"heads", "2"}}}},
        {"attention_grad",
         {{{"batch", "1"}, {"q_len", "67"}, {"kv_len", "100"}, {"heads", "2"}, {"head_dim", "48"}}}},
        {"batch_norm", {{{"shape", "3,5,9,7"}}}},
        {"block_quant", {{{"rows", "33"}, {"width", "256"}}}},
        {"codebook_quant", {{{"shape", "33,128"}}}},
        {"conv2d",
         {{{"batch", "1"}, {"c1", "2"}, {"width", "16"}, {"n1", "2"}},
          {{"batch", "1"},
           {"c1", "4"},
           {"width", "16"},
           {"n1", "2"},
           {"groups", "2"},
           {"dtype", "float32"},
           {"base_m", "0"}}}},
        {"conv_filter_grad", {{{"batch", "1"}, {"m1", "1"}, {"c1", "2"}}}},
        {"copy", {{{"shape", "64,512"}}, {{"shape", "50,300"}, {"buffers", "1"}}}},
        {"elementwise", {{{"op", "mul"}, {"shape", "16,1024"}}, {{"op", "add"}, {"shape", "77,331"}}}},
        {"cumulate", {{{"shape", "60,50"}}, {{"shape", "40,30"}, {"kind", "minimum"}, {"indices", "true"}}}},
        {"embedding_dense_grad",
         {{{"shape", "100,64"}, {"rows", "300"}},
          {{"shape", "100,80"}, {"rows", "64"}, {"schedule", "atomic"}}}},
        {"flash_attention", {{{"batch", "1"}, {"heads", "2"}}}},
        {"fractal_groups", {{{"groups", "5"}}, {{"groups", "3"}, {"dtype", "float32"}}}},
        {"gelu", {{{"shape", "16,512"}}, {{"shape", "31,257"}, {"form", "erf"}, {"buffers", "1"}}}},
        {"glu", {{{"shape", "33,258"}}}},
        {"group_norm", {{{"shape", "1,16,9,7"}, {"silu", "true"}}}},
        {"grouped_matmul_gelu",
         {{{"m", "70"}, {"n", "96"}, {"k", "64"}, {"group_ends", "33, 70"}, {"blocks", "2"}},
          {{"m", "33"}, {"n", "288"}, {"k", "64"}, {"slots", "1"}, {"vectors", "1"}, {"blocks", "1"}}}},
        {"grouped_matmul_silu", {{{"rows", "100"}, {"groups", "3"}, {"n", "64"}, {"k", "48"}}}},
        {"index_elements",
         {{{"shape", "50,40"}, {"index", "20,40"}},
          {{"kind", "scatter"}, {"shape", "50,40"}, {"index", "20,40"}}}},
        {"instruction", {{{"op", "add"}, {"calls", "20"}}, {{"op", "mmad"}, {"calls", "20"}}}},
        {"layer_norm_gelu", {{{"shape", "31,768"}}, {{"shape", "17,333"}, {"schedule", "unfused"}}}},
        {"long_scan", {{{"length", "33000"}, {"side", "64"}}}},
        {"lora_bgmv", {{{"tokens", "8"}, {"hidden", "256"}}}},
        {"matmul",
         {{{"m", "100"}, {"n", "96"}, {"k", "80"}},
          {{"m", "33"}, {"n", "70"}, {"k", "1000"}, {"split_k", "2"}}}},
        {"matmul_forms", {{{"form", "batch"}, {"m", "33"}, {"n", "48"}}}},
        {"matmul_leaky_relu", {{{"m", "100"}, {"n", "80"}, {"k", "64"}}}},
        {"matmul_object",
         {{{"m", "100"}, {"n", "96"}, {"k", "64"}},
          {{"m", "70"}, {"n", "50"}, {"k", "33"}, {"bias", "true"}}}},
        {"mhc_post", {{{"shape", "33,75"}}}},
        {"moe_finalize", {{{"shape", "33,128"}}}},
        {"moe_re_routing", {{{"shape", "97,32"}, {"ranks", "5"}, {"experts", "3"}}}},
        {"nd2nz", {{{"shape", "50,128"}}}},
        {"polar", {{{"shape", "70,30"}}}},
        {"rearrange",
         {{{"kind", "concat"}, {"shape", "33,70"}, {"axis", "1"}},
          {{"kind", "pad"}, {"shape", "9,30"}, {"out", "12,40"}}}},
        {"reduce", {{{"shape", "17,33,65"}, {"op", "max"}}}},
        {"rms_norm", {{{"shape", "31,768"}}, {{"shape", "7,333"}, {"buffers", "1"}}}},
        {"rotary", {{{"shape", "30,3,64"}}, {{"shape", "30,1,64"}, {"neighbours", "true"}}}},
        {"row_math",
         {{{"kind", "layer_norm_grad"}, {"shape", "33,80"}},
          {{"kind", "cross_entropy"}, {"shape", "33,100"}}}},
        {"row_norm", {{{"shape", "33,512"}, {"residual", "true"}}}},
        {"scaled_masked_softmax", {{{"shape", "2,2,9,64"}, {"mask", "1,2,9,64"}}}},
        {"scan", {{{"rows", "33"}, {"columns", "200"}}}},
        {"scatter_rows", {{{"rows", "90"}, {"shape", "40,30"}}}},
        {"sinkhorn", {{{"shape", "70,4,4"}}}},
        {"softmax", {{{"shape", "33,80"}}, {{"shape", "7,301"}, {"schedule", "online"}}}},
        {"softmax_axis", {{{"shape", "33,257"}}}},
        {"swiglu",
         {{{"shape", "1,31,96"}, {"gate", "96,131"}, {"up", "96,131"}},
          {{"shape", "1,31,96"}, {"gate", "96,131"}, {"up", "96,131"}, {"schedule", "native"}}}},
        {"top_k", {{{"shape", "17,304"}, {"k", "5"}}}},
        {"topk_gating", {{{"tokens", "33"}, {"experts", "64"}, {"k", "4"}}}},
        {"transpose", {{{"shape", "3,40,50"}, {"perm", "0,2,1"}}}},
        {"weight_quant_few_rows", {{{"m", "5"}, {"n", "288"}, {"k", "96"}, {"blocks", "3"}}}},
        {"weight_quant_matmul", {{{"m", "16"}, {"n", "128"}, {"k", "128"}}}}};
    return all;
}

std::string text_of(const Settings& settings) {
    std::string text;
    for (const auto& [name, value] : settings) {
        text += fmt::format(" {}={}", name, value);
    }
    return text;
}

/// True if the chip can run the kernel at all: a refusal is the host side's, in a sentence.
bool accepted(const std::string& kernel, const Settings& settings, const std::string& chip) {
    try {
        static_cast<void>(plan_kernel(kernel, settings, chip));
        return true;
    } catch (const UserError& refusal) {
        EXPECT_FALSE(std::string{refusal.what()}.empty());
        return false;
    }
}

class EveryKernel : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryKernel, GivesTheCheckerNothingToReport) {
    const auto found = small_sizes().find(GetParam());
    ASSERT_NE(found, small_sizes().end()) << GetParam() << " needs a small size in " << __FILE__;
    std::size_t ran = 0;
    for (const Settings& settings : found->second) {
        // Kernels for 910A and 310 are compiled when first used, which takes seconds each.
        for (const char* chip : {"910b1", "910b4", "310p3"}) {
            if (!accepted(GetParam(), settings, chip)) {
                continue;
            }
            const std::uint64_t clean = in_child([&] {
                const KernelRun run = run_kernel(GetParam(), settings, {.chip = chip});
                fmt::print(stderr, "{}", run.clean() ? std::string{} : run.report());
                return std::uint64_t{run.hazards.empty() && (run.comparisons.empty() || run.passed())};
            });
            EXPECT_EQ(clean, 1U) << GetParam() << text_of(settings) << " on " << chip;
            ++ran;
        }
    }
    EXPECT_GE(ran, 2U) << "no more chips take " << GetParam();  // at least the chips of split cores
}

INSTANTIATE_TEST_SUITE_P(Kernels,
                         EveryKernel,
                         ::testing::ValuesIn(host::Installation::find().kernels()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace ascendsim::testing
