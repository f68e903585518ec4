// SPDX-License-Identifier: Apache-2.0
#include "app/networks/decisions/decisions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/networks/batch_fusion.hpp"
#include "app/networks/slower.hpp"
#include "models/spec/chip_file.hpp"

namespace ascendsim::report {
namespace {

using testing::HasSubstr;

/// A pattern that gains as listed, at 16, 32, 64 …
ChipDecision gaining(const std::vector<double>& gains) {
    ChipDecision decision{
        .chip = "910b3", .pattern = {.name = "p", .title = "P", .size = "rows"}, .points = {}};
    std::uint64_t size = 16;
    for (const double gain : gains) {
        decision.points.push_back({.size = size,
                                   .apart_us = gain,
                                   .fused_us = 1,
                                   .refusal = gain == 0 ? "refused" : "",
                                   .why = {},
                                   .joined = {}});
        size *= 2;
    }
    return decision;
}

StatedDecision stated(std::uint64_t from, bool recommended) {
    return {.stands_for = "A",
            .chip = "910b3",
            .rule = "p",
            .pattern = "p",
            .from = from,
            .recommended = recommended};
}

TEST(Decisions, SayFromWhichSizeOnJoiningPays) {
    EXPECT_EQ(pays_from(gaining({1.2, 1.3, 1.4})), "every size");
    EXPECT_EQ(pays_from(gaining({1.0, 1.005, 1.4})), "64");
    EXPECT_EQ(pays_from(gaining({1.2, 1.3, 1.0})), "16 to 32");
    EXPECT_EQ(pays_from(gaining({1.2, 1.0, 1.3})), "16, not always");
    EXPECT_EQ(pays_from(gaining({1.0, 0.9, 1.0})), "never");
    EXPECT_EQ(pays_from(gaining({0, 0, 0})), "cannot run");
}

TEST(Decisions, JudgeWhatIsStated) {
    const std::vector<ChipDecision> late{gaining({1.0, 1.0, 1.4})};
    EXPECT_EQ(judge_stated(stated(64, true), late).verdict, "agrees");
    EXPECT_EQ(judge_stated(stated(32, true), late).verdict, "disagrees");
    EXPECT_EQ(judge_stated(stated(32, false), late).verdict, "agrees");
    EXPECT_EQ(judge_stated(stated(64, false), late).verdict, "disagrees");
    const StatedVerdict below = judge_stated(stated(64, true), {gaining({1.1, 1.2, 1.4})});
    EXPECT_EQ(below.verdict, "disagrees");
    EXPECT_THAT(below.text, HasSubstr("it pays below, too: at 32: 1.20 us apart"));
    EXPECT_EQ(judge_stated(stated(64, true), {gaining({0, 0, 0})}).verdict, "cannot be judged");
    EXPECT_EQ(judge_stated(stated(1024, true), late).verdict, "cannot be judged");
}

TEST(Decisions, OfTheShippedCatalogueJoinWhatIsFaster) {
    const toolchain::Installation installation = toolchain::Installation::find();
    const DecisionCatalogue catalogue = read_decisions(installation);
    std::vector<std::string> patterns;
    DecisionOptions options{.chips = {"910b3"},
                            .only = {},
                            .time = [](const std::vector<networks::Task>& tasks, const ChipSpec&) {
                                return std::vector<networks::TaskResult>(tasks.size(), {.time_us = 1});
                            }};
    const std::vector<ChipDecision> decisions = decide_patterns(catalogue, installation, options);
    EXPECT_EQ(decisions.size(), catalogue.patterns.size());
    for (const ChipDecision& one : decisions) {  // kernels take 1 us each: fewer are faster
        for (const DecisionPoint& point : one.points) {
            EXPECT_EQ(point.refusal, "") << one.pattern.name;
        }
    }
    const std::string page = decisions_page(catalogue, decisions);
    EXPECT_THAT(page, HasSubstr("| Conv + BN + ReLU |"));
    EXPECT_THAT(page,
                HasSubstr("| Ascend310 | 310 | conv_bn_relu | Conv + BN + ReLU | recommended from 16 | "
                          "**cannot be judged** |"));
    options.only = "no such";
    EXPECT_THROW(static_cast<void>(decide_patterns(catalogue, installation, options)), UserError);
}

TEST(SlowerText, SaysWhatTakesLongerAndWhatWasSaved) {
    const WaySpent apart{.time_us = 10,
                         .launches = 2,
                         .path = {{"launch", 4}, {"copying on mte2", 6}},
                         .largest = {},
                         .longest_wait = {}};
    const WaySpent fused{.time_us = 12,
                         .launches = 1,
                         .path = {{"launch", 2}, {"computing on vec", 10}},
                         .largest = {{"computing on vec", "Exp at k.cpp:7"}},
                         .longest_wait = "mte2 waits 3.00 us for computing on vec"};
    // 10 more of vec; 6 less of mte2 and 2 less of launches: 12 - 10 us in all.
    EXPECT_EQ(slower_text(apart, fused),
              "On the critical path, 1 launch adds 10.00 us of computing on vec (most by Exp at k.cpp:7), "
              "and the 2 "
              "apart had 6.00 us of copying on mte2, 2.00 us of launch more; mte2 waits 3.00 us for "
              "computing on vec.");
}

networks::Decision joined(const std::string& kinds, bool taken, std::uint64_t rows) {
    networks::Decision decision{.pattern = {}, .nodes = {kinds}, .kinds = kinds, .taken = taken};
    decision.code = taken ? "" : "slower";
    const networks::loops::Value value{isa::DataType::half, {rows, 512}};
    networks::loops::Loop loop{.name = {}, .inputs = {value}, .steps = {}, .outputs = {1}};
    loop.steps = {{.op = networks::loops::Op::abs,
                   .inputs = {0},
                   .result = value,
                   .axes = {},
                   .constants = {},
                   .label = {}}};
    decision.task.loop = std::make_shared<const networks::loops::Loop>(std::move(loop));
    return decision;
}

TEST(BatchFusion, NamesBucketsChangesAndSharedSources) {
    const ChipSpec chip = load_chip("910b3", toolchain::Installation::find().chips());
    const std::vector<BatchDecisions> batches{
        {.batch = 2, .decisions = {joined("Abs + Neg", true, 2)}, .not_joined = {}},
        {.batch = 8, .decisions = {joined("Abs + Neg", true, 8)}, .not_joined = {}},
        {.batch = 32, .decisions = {joined("Abs + Neg", false, 32)}, .not_joined = {}}};
    const nlohmann::ordered_json json = batch_fusion_json(batches, chip);
    ASSERT_EQ(json["buckets"].size(), 2U);
    EXPECT_EQ(json["buckets"][0]["batches"], nlohmann::ordered_json({2, 8}));
    ASSERT_EQ(json["changes"].size(), 1U);
    EXPECT_EQ(json["changes"][0]["to"], 32);
    EXPECT_EQ(json["changes"][0]["joined"], false);
    EXPECT_EQ(json["changes"][0]["code"], "slower");
    ASSERT_EQ(json["kernels"].size(), 1U);  // one source, two tilings
    EXPECT_EQ(json["kernels"][0]["batches"], nlohmann::ordered_json({2, 8}));
}

TEST(BatchFusion, NamesWhatIsJoinedInAnotherGroup) {
    const ChipSpec chip = load_chip("910b3", toolchain::Installation::find().chips());
    const nlohmann::ordered_json json =
        batch_fusion_json({{.batch = 2, .decisions = {joined("Abs + Neg", true, 2)}, .not_joined = {}},
                           {.batch = 8, .decisions = {joined("Abs + Neg + Exp", true, 8)}, .not_joined = {}}},
                          chip);
    // Each batch joins a group that the other does not have, and nothing speaks against it there.
    ASSERT_EQ(json["changes"].size(), 2U);
    for (const nlohmann::ordered_json& change : json["changes"]) {
        EXPECT_EQ(change["code"], "other_group");
        EXPECT_EQ(change["text"], "its operators are joined with others, or in parts");
    }
}

}  // namespace
}  // namespace ascendsim::report
