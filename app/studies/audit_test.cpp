// SPDX-License-Identifier: Apache-2.0
#include "app/studies/audit.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>

#include "sim/base/error.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::study {

namespace {

using testing::HasSubstr;

// A chip's parameters do not matter here: claims are judged with the facts of the text.
ClaimFile file_of(const std::string& text, bool runs = false) {
    const TomlFile toml = TomlFile::parse(text, "claims.toml");
    TableReader root = toml.reader();
    ClaimFile file{.name = "claims", .title = "Claims", .chip = {}, .facts = {}, .claims = {}, .runs = runs};
    file.facts = scenario::read_facts(root);
    file.claims = scenario::read_claims(root);
    return file;
}

JudgedClaim judged(const std::string& text, const RunFigures& runs = {}) {
    return judge_claims(file_of(text, !runs.empty()), runs).claims.at(0);
}

TEST(Audit, CallsATimeBelowItsBoundImpossibleAndShowsWhy) {
    const JudgedClaim one = judged(R"(
[facts]
flops = "4 * 16384 * 4096 * 16384"
peak = "364e12"
[[claims]]
what = "forward"
value = 5.1
unit = "ms"
bound = "flops / peak * 1e3"
needs = "flops / (value * 1e-3) / 1e12"
has = "peak / 1e12"
needs_unit = "TFLOPS"
)");
    EXPECT_EQ(one.verdict, ClaimVerdict::impossible);
    // 4.398e12 operations in 5.1 ms are 862.4e12 a second; at 364e12 they take 12.08 ms.
    EXPECT_THAT(one.arithmetic.at(0), HasSubstr("5.1 ms needs 862.4 TFLOPS"));
    EXPECT_THAT(one.arithmetic.at(0), HasSubstr("364 TFLOPS are available"));
    EXPECT_THAT(one.arithmetic.at(1), HasSubstr("at least 12.08 ms is possible"));
}

TEST(Audit, FindsTwoFiguresThatContradictEachOther) {
    const JudgedClaim one = judged(R"(
[[claims]]
value = 200704
unit = "tokens/s"
better = "more"
equals = "16384 / 5.1e-3"
)");
    EXPECT_EQ(one.verdict, ClaimVerdict::fails);
    EXPECT_THAT(one.arithmetic.at(0), HasSubstr("3212549"));
}

TEST(Audit, LetsARateStandWithinItsBoundAndLeavesItOpen) {
    const std::string claim = "[[claims]]\nbetter = \"more\"\nbound = \"36 / 16\"\nvalue = ";
    EXPECT_EQ(judged(claim + "2.25").verdict, ClaimVerdict::open);
    EXPECT_EQ(judged(claim + "2.26").verdict, ClaimVerdict::open);  // rounding
    EXPECT_EQ(judged(claim + "4").verdict, ClaimVerdict::impossible);
}

TEST(Audit, JudgesByTheRunOfTheVariantNamed) {
    const RunFigures runs{{"claims-fused", {.scenario = "claims", .figures = {{"time_us", 8000}}}},
                          {"claims-native", {.scenario = "claims", .figures = {{"time_us", 20000}}}}};
    const std::string claim = "[[claims]]\nunit = \"ms\"\nquantity = \"time_us / 1e3\"\nvalue = 8.2\n";
    EXPECT_EQ(judged(claim + "when = { \"kernel.schedule\" = \"fused\" }", runs).verdict,
              ClaimVerdict::holds);
    EXPECT_EQ(judged(claim + "when = { \"kernel.schedule\" = \"native\" }", runs).verdict,
              ClaimVerdict::fails);
    const std::string speedup =
        "[[claims]]\nbetter = \"more\"\nquantity = \"time_us@native / time_us@fused\"\nvalue = ";
    EXPECT_EQ(judged(speedup + "2.5", runs).verdict, ClaimVerdict::holds);
    EXPECT_EQ(judged(speedup + "3.2", runs).verdict, ClaimVerdict::fails);
}

TEST(Audit, WithoutTheRunLeavesAClaimOpenAndSaysWhichIsMissing) {
    const RunFigures runs{{"claims-fused", {.scenario = "claims", .figures = {{"time_us", 8000}}}}};
    const JudgedClaim one = judged("[[claims]]\nvalue = 3\nquantity = \"time_us@native\"\n", runs);
    EXPECT_EQ(one.verdict, ClaimVerdict::open);
    EXPECT_THAT(one.arithmetic.at(0), HasSubstr("claims-native has not run"));
}

TEST(Audit, RejectsFactsThatDefineThemselvesAndNamesNobodyKnows) {
    EXPECT_THROW(static_cast<void>(judged("[facts]\na = \"b\"\nb = \"a\"\n[[claims]]\nvalue = \"a\"\n")),
                 UserError);
    EXPECT_THROW(static_cast<void>(judged("[[claims]]\nvalue = \"nothing\"\n")), UserError);
}

// What the project has found out about the workloads it was given.
TEST(Audit, OfTheShippedClaimsFindsWhatCannotBe) {
    const toolchain::Installation installation = toolchain::Installation::find();
    const auto verdict = [&](const char* file, std::string_view what) {
        const std::filesystem::path path = installation.scenarios() / file;
        const Audit audit = judge_claims(read_claim_file(path, installation), {});
        for (const JudgedClaim& one : audit.claims) {
            if (one.claim.what.find(what) != std::string::npos) {
                return one.verdict;
            }
        }
        ADD_FAILURE() << file << " has no claim '" << what << "'";
        return ClaimVerdict::open;
    };
    EXPECT_EQ(verdict("claims/heterogeneous.toml", "Winograd convolution"), ClaimVerdict::impossible);
    EXPECT_EQ(verdict("claims/heterogeneous.toml", "fp16 peak of the 910"), ClaimVerdict::fails);
    EXPECT_EQ(verdict("claims/multimodal.toml", "image tokens"), ClaimVerdict::holds);
    EXPECT_EQ(verdict("claims/multimodal.toml", "24 layers"), ClaimVerdict::fails);
    EXPECT_EQ(verdict("claims/profiling.toml", "hiding the copies alone"), ClaimVerdict::impossible);
    EXPECT_EQ(verdict("claims/operator_fusion.toml", "LSTM MatMul+Add+Activation saves"),
              ClaimVerdict::impossible);
}

TEST(Audit, EveryShippedFileOfClaimsCanBeJudged) {
    const toolchain::Installation installation = toolchain::Installation::find();
    const std::vector<std::filesystem::path> files = claim_files(installation);
    EXPECT_GE(files.size(), 5U);
    for (const std::filesystem::path& file : files) {
        const ClaimFile claims = read_claim_file(file, installation);
        EXPECT_FALSE(claims.claims.empty()) << file;
        if (!claims.runs) {
            EXPECT_NO_THROW(static_cast<void>(judge_claims(claims, {}))) << file;
        }
    }
}

}  // namespace

}  // namespace ascendsim::study
