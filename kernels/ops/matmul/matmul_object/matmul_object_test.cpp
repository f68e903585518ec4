// SPDX-License-Identifier: Apache-2.0
#include <random>

#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"
#include "sim/base/error.hpp"
#include "sim/record/recording.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim {
namespace {

using ::testing::HasSubstr;
using testing::KernelRun;
using testing::plan_kernel;
using testing::run_kernel;
using testing::Settings;

std::uint64_t cycles(const Settings& settings) {
    return testing::in_child([&settings] {
        return run_kernel("matmul_object", settings, {.chip = "910b1", .functional = false}).totals.cycles;
    });
}

/// Runs in a child process and says what is wrong, so that one test may do many runs.
void expect_right(const Settings& settings) {
    const std::uint64_t right = testing::in_child([&settings] {
        const KernelRun run = run_kernel("matmul_object", settings, {.chip = "910b1"});
        if (!run.clean()) {
            std::string text;
            for (const auto& [knob, value] : settings) {
                text += knob + "=" + value + " ";
            }
            std::fprintf(stderr, "%s\n%s\n", text.c_str(), run.report().c_str());
        }
        return run.clean() ? 1U : 0U;
    });
    EXPECT_EQ(right, 1U);
}

// The scalar unit's own work in the object, too: 4,000 cycles of its start were nobody's.
TEST(MatmulObject, WhatItCostsBelongsToTheLineThatCalls) {
    const record::testing::TemporaryFile file;
    const KernelRun run = run_kernel("matmul_object",
                                     {{"m", "128"}, {"n", "128"}, {"k", "128"}, {"blocks", "1"}},
                                     {.chip = "910b1", .functional = false, .recording = file.path()});
    const record::Recording recording{file.path()};
    std::uint64_t within = 0;  // cycles of the scalar unit
    for (const record::Lane& lane : recording.lanes()) {
        record::for_each_span(lane, 0, [&](const record::ChunkColumns& chunk, std::size_t k, std::size_t) {
            const record::SourceLine& place = recording.site(chunk.site[k]);
            if (place.file.find("ascendc/matmul/registration.h") != std::string::npos) {
                EXPECT_NE(place.caller, 0U) << place.file << ":" << place.line << " on " << lane.path.pipe();
                within += lane.path.pipe() == "scalar" ? chunk.end[k] - chunk.start[k] : 0;
            }
            return true;
        });
    }
    EXPECT_GT(within, 0U);
}

TEST(MatmulObject, EveryTypeWithBiasAndRaggedSizes) {
    // 200 x 150 x 330 is no multiple of a fractal in any direction but m; bases of 64 x 48 leave tails.
    for (const char* types :
         {"half_float", "half_half", "bfloat16_bfloat16", "float_float", "int8_int32", "int8_half"}) {
        for (const char* kind : {"norm", "mdl"}) {
            expect_right({{"m", "200"},
                          {"n", "150"},
                          {"k", "330"},
                          {"types", types},
                          {"template", kind},
                          {"bias", "true"},
                          {"quantise", "vector"},
                          {"base_m", "64"},
                          {"base_n", "64"},
                          {"blocks", "4"}});
        }
    }
}

TEST(MatmulObject, Transposes) {
    for (const char* types : {"half_float", "float_float", "int8_int32"}) {
        for (const char* a : {"false", "true"}) {
            for (const char* b : {"false", "true"}) {
                expect_right({{"m", "130"},
                              {"n", "100"},
                              {"k", "200"},
                              {"types", types},
                              {"transpose_a", a},
                              {"transpose_b", b},
                              {"template", "mdl"},
                              {"base_m", "64"},
                              {"base_n", "64"},
                              {"blocks", "2"}});
            }
        }
    }
}

TEST(MatmulObject, StepsOrdersAndBufferCounts) {
    std::mt19937 random{7};
    const auto one_of = [&](std::initializer_list<const char*> words) {
        return std::string{*(words.begin() + static_cast<int>(random() % words.size()))};
    };
    for (int trial = 0; trial < 16; ++trial) {
        expect_right({{"m", one_of({"96", "250", "33"})},
                      {"n", one_of({"128", "170", "1"})},
                      {"k", one_of({"64", "400", "777"})},
                      {"template", one_of({"norm", "mdl"})},
                      {"call", one_of({"all", "iterate"})},
                      {"order", one_of({"m", "n"})},
                      {"bias", one_of({"true", "false"})},
                      {"base_m", "32"},
                      {"base_n", "48"},
                      {"base_k", "32"},
                      {"step_ka", one_of({"1", "2", "4"})},
                      {"step_kb", one_of({"1", "2", "4"})},
                      {"step_m", one_of({"1", "2"})},
                      {"step_n", one_of({"1", "2"})},
                      {"l0_buffers", one_of({"1", "2"})},
                      {"l0c_buffers", one_of({"1", "2"})},
                      {"blocks", one_of({"1", "3"})}});
    }
}

TEST(MatmulObject, ColumnsOfBlocks) {
    for (const char* b : {"false", "true"}) {
        expect_right({{"m", "96"},
                      {"n", "160"},
                      {"k", "208"},
                      {"layout", "nz"},
                      {"transpose_b", b},
                      {"base_m", "48"},
                      {"base_n", "64"},
                      {"blocks", "2"}});
    }
}

// 512 x 512 x 2048 in fp16 with 128 x 128 x 64: 16 blocks of 32 steps.
const Settings one_core{{"m", "512"},
                        {"n", "512"},
                        {"k", "2048"},
                        {"blocks", "1"},
                        {"base_m", "128"},
                        {"base_n", "128"},
                        {"base_k", "64"},
                        {"template", "mdl"},
                        {"step_ka", "4"},
                        {"step_kb", "4"}};

Settings with(Settings settings, const std::string& knob, const std::string& value) {
    settings.emplace_back(knob, value);
    return settings;
}

TEST(MatmulObject, TwoBuffersInL1AndInL0Help) {
    const std::uint64_t best = cycles(one_core);
    EXPECT_GT(cycles(with(with(one_core, "depth_a", "4"), "depth_b", "4")), best * 11 / 10);
    EXPECT_GT(cycles(with(one_core, "l0_buffers", "1")), best * 21 / 20);
}

TEST(MatmulObject, FetchingAStepAtATimeBeatsSingleBlocks) {
    // A base block of 128 x 64 halves has rows of 128 bytes; a step of four has rows of 512.
    Settings norm = one_core;
    norm[7].second = "norm";
    EXPECT_GT(cycles(norm), cycles(one_core));
}

// Refused while planning: what runs would touch a table or a unit that such a chip does not have.
TEST(MatmulObject, RefusesWhatACoupledChipLacks) {
    const auto refusal = [](const Settings& settings) -> std::string {
        try {
            static_cast<void>(plan_kernel("matmul_object", settings, "310p3"));
        } catch (const UserError& error) {
            return error.what();
        }
        return "accepted";
    };
    for (const char* fetched : {"norm", "mdl"}) {
        EXPECT_THAT(refusal({{"template", fetched}, {"bias", "true"}}), HasSubstr("310p3 has no bias table"));
    }
    EXPECT_THAT(refusal({{"types", "bfloat16_bfloat16"}}), HasSubstr("takes half and int8"));
    EXPECT_THAT(refusal({{"types", "int8_half"}}), HasSubstr("no Fixpipe"));
    EXPECT_EQ(refusal({{"template", "mdl"}}), "accepted");
}

TEST(MatmulObject, NoRunBeatsTheCube) {
    // 16 blocks x 32 steps x 8 x 8 x 4 fractal products, one a cycle.
    EXPECT_GT(cycles(one_core), 16U * 32 * 8 * 8 * 4);
}

}  // namespace
}  // namespace ascendsim
