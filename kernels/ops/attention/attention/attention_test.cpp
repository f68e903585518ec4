// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "kernels/ops/attention/attention/attention_reference.hpp"
#include "kernels/testing/attention_case.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using testing::attention_sizes;
using testing::AttentionCase;
using ::testing::HasSubstr;
using testing::KernelRun;
using testing::plan_kernel;
using testing::run_kernel;
using testing::Settings;

class ServedAttention : public ::testing::TestWithParam<AttentionCase> {};

TEST_P(ServedAttention, IsComputedToPrecision) {
    const KernelRun run = run_kernel("attention", GetParam().settings);
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    ServedAttention,
    ::testing::Values(
        AttentionCase{"one of everything", attention_sizes("1", "1", "1", "1", "1")},
        AttentionCase{"primes", attention_sizes("3", "131", "149", "5", "73")},
        AttentionCase{"two tiles of keys",
                      attention_sizes("1", "50", "1000", "2", "64", {{"tile_n", "512"}, {"splits", "1"}})},
        AttentionCase{"in turns",
                      attention_sizes("1", "150", "300", "2", "80", {{"stages", "1"}, {"tile_n", "32"}})},
        AttentionCase{"four stages",
                      attention_sizes("1", "150", "300", "2", "80", {{"stages", "4"}, {"tile_n", "48"}})},
        AttentionCase{"bfloat16", attention_sizes("1", "100", "200", "3", "128", {{"dtype", "bfloat16"}})},
        AttentionCase{"causal",
                      attention_sizes("1", "200", "200", "3", "80", {{"causal", "true"}, {"tile_m", "48"}})},
        AttentionCase{"causal with a past",
                      attention_sizes("1", "161", "307", "2", "40", {{"causal", "true"}, {"tile_n", "128"}})},
        AttentionCase{"masked", attention_sizes("2", "131", "219", "2", "80", {{"mask", "true"}})},
        AttentionCase{
            "masked by batch",
            attention_sizes("3", "40", "150", "2", "64", {{"mask", "true"}, {"mask_by_batch", "true"}})},
        AttentionCase{"masked by batch, shared keys",
                      attention_sizes("2",
                                      "5",
                                      "219",
                                      "4",
                                      "64",
                                      {{"mask", "true"}, {"mask_by_batch", "true"}, {"kv_heads", "2"}})},
        AttentionCase{"masked, shared keys",
                      attention_sizes("1", "5", "219", "4", "64", {{"mask", "true"}, {"kv_heads", "2"}})},
        AttentionCase{"shared key heads", attention_sizes("1", "130", "130", "6", "64", {{"kv_heads", "2"}})},
        AttentionCase{"shared, few causal queries",
                      attention_sizes("2", "3", "130", "8", "64", {{"kv_heads", "2"}, {"causal", "true"}})},
        AttentionCase{
            "shared, few causal queries, heads apart",
            attention_sizes(
                "2", "3", "130", "8", "64", {{"kv_heads", "2"}, {"causal", "true"}, {"layout", "bnsd"}})},
        AttentionCase{
            "shared, tiles over heads, causal",
            attention_sizes("1",
                            "30",
                            "77",
                            "8",
                            "32",
                            {{"kv_heads", "1"}, {"causal", "true"}, {"layout", "bnsd"}, {"tile_m", "64"}})},
        AttentionCase{"wide heads", attention_sizes("1", "40", "150", "2", "256", {{"layout", "bnsd"}})},
        AttentionCase{"one query", attention_sizes("3", "1", "200", "4", "128", {{"splits", "1"}})},
        AttentionCase{"one query, split keys",
                      attention_sizes("1", "1", "700", "2", "128", {{"splits", "3"}})},
        AttentionCase{
            "latent keys",
            attention_sizes("1",
                            "1",
                            "300",
                            "128",
                            "512",
                            {{"kv_heads", "1"}, {"rope_dim", "64"}, {"splits", "1"}, {"tile_n", "128"}})},
        AttentionCase{
            "latent keys, split",
            attention_sizes(
                "1", "1", "530", "32", "512", {{"kv_heads", "1"}, {"rope_dim", "64"}, {"splits", "2"}})},
        AttentionCase{
            "latent queries, causal",
            attention_sizes(
                "1",
                "3",
                "100",
                "16",
                "512",
                {{"kv_heads", "1"}, {"rope_dim", "64"}, {"causal", "true"}, {"dtype", "bfloat16"}})},
        AttentionCase{"narrow values", attention_sizes("1", "20", "90", "2", "192", {{"value_dim", "128"}})},
        AttentionCase{"pages",
                      attention_sizes("2", "1", "200", "4", "64", {{"kv_heads", "2"}, {"block_keys", "16"}})},
        AttentionCase{
            "one key a page, shared",
            attention_sizes(
                "3", "1", "40", "16", "64", {{"kv_heads", "1"}, {"block_keys", "1"}, {"pool_blocks", "50"}})},
        AttentionCase{
            "values within keys",
            attention_sizes("2", "3", "150", "4", "64", {{"value_dim", "40"}, {"shared_values", "true"}})},
        AttentionCase{"gathered keys",
                      attention_sizes("3",
                                      "1",
                                      "333",
                                      "16",
                                      "72",
                                      {{"kv_heads", "1"},
                                       {"block_keys", "1"},
                                       {"pool_blocks", "400"},
                                       {"gather", "true"},
                                       {"tile_n", "48"},
                                       {"cores", "2"}})},
        AttentionCase{"gathered latent keys",
                      attention_sizes("5",
                                      "1",
                                      "300",
                                      "64",
                                      "512",
                                      {{"kv_heads", "1"},
                                       {"rope_dim", "64"},
                                       {"block_keys", "1"},
                                       {"pool_blocks", "700"},
                                       {"gather", "true"},
                                       {"shared_values", "true"},
                                       {"stages", "2"},
                                       {"splits", "1"},
                                       {"cores", "2"}})},
        AttentionCase{
            "gathered, two key heads, split",
            attention_sizes("2",
                            "2",
                            "301",
                            "8",
                            "40",
                            {{"kv_heads", "2"},
                             {"block_keys", "1"},
                             {"gather", "true"},
                             {"splits", "2"},
                             {"dtype", "bfloat16"}})},
        // two blocks of each tile's half, a tail, and heads of keys side by side
        AttentionCase{
            "bytes in pages",
            attention_sizes(
                "2", "1", "333", "8", "64", {{"kv_heads", "2"}, {"block_keys", "48"}, {"cache", "int8"}})},
        AttentionCase{
            "bytes in pages, bfloat16, split, causal",
            attention_sizes("1",
                            "2",
                            "700",
                            "4",
                            "128",
                            {{"kv_heads", "2"},
                             {"block_keys", "128"},
                             {"splits", "2"},
                             {"causal", "true"},
                             {"dtype", "bfloat16"},
                             {"cache", "int8"}})},
        AttentionCase{
            "bytes by head, several tiles of queries, narrow values",
            attention_sizes(
                "1", "200", "300", "2", "96", {{"value_dim", "64"}, {"layout", "bnsd"}, {"cache", "int8"}})},
        AttentionCase{"latent bytes with rotated parts",
                      attention_sizes("3",
                                      "1",
                                      "300",
                                      "32",
                                      "512",
                                      {{"kv_heads", "1"},
                                       {"rope_dim", "64"},
                                       {"block_keys", "128"},
                                       {"shared_values", "true"},
                                       {"key_scale", "0.0078125"},
                                       {"dtype", "bfloat16"},
                                       {"cores", "2"},
                                       {"cache", "int8"}})},
        AttentionCase{"latent, all of bytes",
                      attention_sizes("3",
                                      "1",
                                      "300",
                                      "32",
                                      "512",
                                      {{"kv_heads", "1"},
                                       {"rope_dim", "64"},
                                       {"block_keys", "128"},
                                       {"shared_values", "true"},
                                       {"key_scale", "0.0078125"},
                                       {"dtype", "bfloat16"},
                                       {"cores", "2"},
                                       {"cache", "int8"},
                                       {"queries", "int8"}})},
        AttentionCase{"all of bytes, causal, several tiles of queries",
                      attention_sizes("2",
                                      "2",
                                      "1111",
                                      "80",
                                      "256",
                                      {{"kv_heads", "1"},
                                       {"block_keys", "48"},
                                       {"shared_values", "true"},
                                       {"value_dim", "128"},
                                       {"key_scale", "0.0078125"},
                                       {"cores", "4"},
                                       {"splits", "1"},
                                       {"causal", "true"},
                                       {"cache", "int8"},
                                       {"queries", "int8"}})},
        AttentionCase{"all of bytes, one row of one key",
                      attention_sizes("1",
                                      "1",
                                      "1",
                                      "1",
                                      "128",
                                      {{"kv_heads", "1"},
                                       {"rope_dim", "64"},
                                       {"shared_values", "true"},
                                       {"cache", "int8"},
                                       {"queries", "int8"}})},
        AttentionCase{"all of bytes, an odd number of rows",
                      attention_sizes("2",
                                      "3",
                                      "75",
                                      "5",
                                      "96",
                                      {{"kv_heads", "1"},
                                       {"rope_dim", "16"},
                                       {"value_dim", "32"},
                                       {"shared_values", "true"},
                                       {"causal", "true"},
                                       {"dtype", "bfloat16"},
                                       {"cache", "int8"},
                                       {"queries", "int8"}})},
        AttentionCase{"all of bytes, keys one by one",
                      attention_sizes("1",
                                      "1",
                                      "210",
                                      "17",
                                      "288",
                                      {{"kv_heads", "1"},
                                       {"block_keys", "1"},
                                       {"shared_values", "true"},
                                       {"splits", "2"},
                                       {"cache", "int8"},
                                       {"queries", "int8"}})},
        AttentionCase{"all of bytes, keys in parts",
                      attention_sizes("1",
                                      "1",
                                      "1000",
                                      "16",
                                      "128",
                                      {{"kv_heads", "1"},
                                       {"rope_dim", "64"},
                                       {"shared_values", "true"},
                                       {"key_scale", "0.0078125"},
                                       {"splits", "3"},
                                       {"cache", "int8"},
                                       {"queries", "int8"}})},
        AttentionCase{"by requests", attention_sizes("2", "131", "149", "3", "64", {{"requests", "true"}})},
        AttentionCase{
            "by requests, many tiles of keys",
            attention_sizes("1",
                            "70",
                            "333",
                            "3",
                            "80",
                            {{"requests", "true"}, {"tile_m", "32"}, {"tile_n", "48"}, {"cores", "2"}})},
        AttentionCase{"by requests, causal, shared key heads",
                      attention_sizes(
                          "1",
                          "200",
                          "300",
                          "4",
                          "128",
                          {{"requests", "true"},
                           {"causal", "true"},
                           {"kv_heads", "2"},
                           {"tile_n", "128"},
                           {"dtype", "bfloat16"}})},
        AttentionCase{
            "by requests, one query of heads that share keys",
            attention_sizes("3",
                            "1",
                            "700",
                            "8",
                            "64",
                            {{"requests", "true"}, {"kv_heads", "2"}, {"dtype", "bfloat16"}})},
        AttentionCase{
            "by requests, few queries of wide heads",
            attention_sizes("2", "3", "90", "2", "256", {{"requests", "true"}, {"layout", "bnsd"}})},
        AttentionCase{"by requests, masked, narrow values",
                      attention_sizes("1",
                                      "60",
                                      "100",
                                      "2",
                                      "192",
                                      {{"requests", "true"}, {"mask", "true"}, {"value_dim", "128"}})},
        AttentionCase{
            "odd pages, split",
            attention_sizes(
                "1", "2", "451", "4", "64", {{"block_keys", "48"}, {"splits", "2"}, {"causal", "true"}})},
        // five tiles of queries, of which the last sees keys 0 to 128 and 256 to 600
        AttentionCase{"block-sparse",
                      attention_sizes(
                          "1",
                          "600",
                          "600",
                          "2",
                          "64",
                          {{"sparse_window", "100"}, {"sparse_first", "1"}, {"sparse_from", "0"}})},
        AttentionCase{"block-sparse, causal, with a past, no first keys",
                      attention_sizes(
                          "2",
                          "200",
                          "700",
                          "3",
                          "80",
                          {{"sparse_window", "256"}, {"sparse_from", "0"}, {"causal", "true"}})},
        AttentionCase{"block-sparse by head, masked",
                      attention_sizes(
                          "1",
                          "300",
                          "500",
                          "2",
                          "128",
                          {{"sparse_window", "128"},
                           {"sparse_first", "256"},
                           {"sparse_from", "0"},
                           {"mask", "true"},
                           {"layout", "bnsd"}})}));

std::uint64_t cycles_of(const Settings& settings) {
    return testing::in_child(
        [&] { return run_kernel("attention", settings, {.functional = false}).totals.cycles; });
}

TEST(Attention, CubeAheadOfTheVectorCoresSavesTime) {
    const auto cycles = [](const char* stages) {
        return cycles_of(attention_sizes(
            "1", "128", "4096", "1", "128", {{"splits", "1"}, {"tile_m", "128"}, {"stages", stages}}));
    };
    // Each waits for the other in turns: cube and vectors work about as long, and so do copies between them.
    EXPECT_LT(cycles("3") * 4, cycles("1") * 3);
}

TEST(Attention, SplitKeysOccupyCoresThatOneSequenceLeavesIdle) {
    const std::uint64_t whole = cycles_of(attention_sizes("1", "1", "4096", "1", "128", {{"splits", "1"}}));
    const std::uint64_t split = cycles_of(attention_sizes("1", "1", "4096", "1", "128"));
    // Not by as many as there are cores: first code stays, parts are combined, and mixed cores start the
    // later the more they are.
    EXPECT_LT(4 * split, 3 * whole);
}

TEST(Attention, CausalSkipsWhatNoQuerySees) {
    const std::uint64_t all = cycles_of(attention_sizes("1", "2048", "2048", "8", "128"));
    const std::uint64_t causal =
        cycles_of(attention_sizes("1", "2048", "2048", "8", "128", {{"causal", "true"}}));
    EXPECT_LT(causal, all * 7 / 10);  // half of the tiles, and the diagonal
}

TEST(Attention, SparseBlocksSaveTimeOfLongSequencesAlone) {
    const auto cycles = [](const char* length, const char* window) {
        return cycles_of(attention_sizes(
            "1", length, length, "8", "128", {{"sparse_window", window}, {"sparse_first", "128"}}));
    };
    EXPECT_EQ(cycles("1024", "256"), cycles("1024", "0"));           // dense up to sparse_from
    EXPECT_LT(cycles("2048", "256") * 10, cycles("2048", "0") * 7);  // at most 6 of 16 tiles of keys
}

TEST(Attention, TimesDoNotDependOnComputingTheNumbers) {
    const Settings settings = attention_sizes(
        "1", "2", "451", "4", "64", {{"block_keys", "48"}, {"splits", "2"}, {"causal", "true"}});
    const std::uint64_t timing_only = cycles_of(settings);
    EXPECT_EQ(run_kernel("attention", settings).totals.cycles, timing_only);
}

TEST(Attention, GatheredKeysAreFetchedOnce) {
    // 24 queries choose 512 keys each, whose values lie in them: the cube core would fetch each by two copies
    // of its own, one for the scores and one for the product.
    const auto cycles = [](const char* gather) {
        return cycles_of(attention_sizes("24",
                                         "1",
                                         "512",
                                         "128",
                                         "512",
                                         {{"kv_heads", "1"},
                                          {"block_keys", "1"},
                                          {"pool_blocks", "8192"},
                                          {"shared_values", "true"},
                                          {"splits", "1"},
                                          {"gather", gather}}));
    };
    EXPECT_LT(cycles("true") * 5, cycles("false") * 4);
}

/// Two queries of 1 see keys of 0 and 1 with values of 1 and -1; the second is masked wholly.
TEST(Attention, MayBeOffByWhatRoundingsOfMaskedScoresComeTo) {
    attention::Tiling t{};
    t.batch = t.heads = t.kv_heads = t.dim = t.value_dim = 1;
    t.q_len = t.kv_len = 2;
    t.masked = 1;
    t.scale = 1;
    const auto buffer = [](const char* name, host::Shape shape) {
        return host::Buffer::input(name, isa::DataType::float32, std::move(shape), host::fill::Uniform{0, 1});
    };
    const std::vector<host::Buffer> buffers{buffer("q", {2, 1}),
                                            buffer("k", {2, 1}),
                                            buffer("v", {2, 1}),
                                            buffer("mask", {2, 2}),
                                            buffer("o", {2, 1})};
    const std::vector<std::vector<float>> contents{{1, 1}, {0, 1}, {1, -1}, {0, 0, -65504, -65504}, {0, 0}};
    host::ReferenceData data;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        data.add(buffers[i], std::as_bytes(std::span{contents[i]}));
    }
    attention::Reference{data, t}.run();
    const double e = std::exp(1);
    EXPECT_DOUBLE_EQ(data.expected("o")[0], (1 - e) / (1 + e));
    EXPECT_DOUBLE_EQ(data.expected("o")[1], (1 - e) / (1 + e));
    // Weights of 1 in all, of values of 1: four roundings of the largest score, 1 and 1 - 65504.
    EXPECT_DOUBLE_EQ(data.errors("o")(0), 4 * 0x1p-24);
    EXPECT_DOUBLE_EQ(data.errors("o")(1), 4 * 0x1p-24 * 65503);
}

struct BadCase {
    const char* name;
    Settings settings;
    const char* message;
};

void PrintTo(const BadCase& c, std::ostream* out) {
    *out << c.name;
}

class ServedAttentionArguments : public ::testing::TestWithParam<BadCase> {};

TEST_P(ServedAttentionArguments, AreRefusedWithTheirReason) {
    try {
        static_cast<void>(plan_kernel("attention", GetParam().settings));
        FAIL() << "accepted";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
    }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    ServedAttentionArguments,
    ::testing::Values(BadCase{"groups", {{"heads", "16"}, {"kv_heads", "5"}}, "equal groups"},
                      BadCase{"blind queries", {{"causal", "true"}, {"kv_len", "100"}}, "would see none"},
                      BadCase{"tile", {{"tile_n", "200"}}, "multiple of 16"},
                      BadCase{"gathered pages", {{"gather", "true"}, {"block_keys", "2"}}, "block_keys 1"},
                      BadCase{"values", {{"shared_values", "true"}, {"value_dim", "256"}}, "256 columns"},
                      BadCase{"requests of pages", {{"requests", "true"}, {"block_keys", "16"}}, "paged"},
                      BadCase{"pages of heads", {{"block_keys", "16"}, {"layout", "bnsd"}}, "bsnd"},
                      BadCase{"sparse pages",
                              {{"block_keys", "16"}, {"sparse_window", "128"}, {"sparse_from", "0"}},
                              "paged"},
                      BadCase{"gathered bytes",
                              {{"gather", "true"}, {"block_keys", "1"}, {"cache", "int8"}},
                              "neither gather"},
                      BadCase{"queries of bytes alone", {{"queries", "int8"}}, "cache of bytes"},
                      BadCase{"queries of bytes of several key heads",
                              {{"queries", "int8"}, {"cache", "int8"}},
                              "one key head"},
                      BadCase{"queries of bytes, values apart",
                              {{"queries", "int8"}, {"cache", "int8"}, {"kv_heads", "1"}},
                              "shared_values = true, not false"},
                      BadCase{"many queries of bytes",
                              {{"queries", "int8"},
                               {"cache", "int8"},
                               {"kv_heads", "1"},
                               {"shared_values", "true"},
                               {"q_len", "129"}},
                              "128 queries of a sequence, not 129"},
                      BadCase{"tiles of queries of bytes",
                              {{"queries", "int8"},
                               {"cache", "int8"},
                               {"kv_heads", "1"},
                               {"shared_values", "true"},
                               {"q_len", "1"},
                               {"tile_n", "48"}},
                              "multiple of 32"},
                      BadCase{"rows of bytes", {{"head_dim", "72"}, {"cache", "int8"}}, "blocks of 32"},
                      BadCase{"cores", {{"cores", "64"}}, "cube cores"}));

}  // namespace
}  // namespace ascendsim
