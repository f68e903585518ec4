// SPDX-License-Identifier: Apache-2.0
#include "app/validation/serving/row_experts.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ascendsim::validation {
namespace {

using testing::HasSubstr;
using testing::Not;

const networks::llm::Experts experts{.count = 256, .chosen = 8, .width = 2048, .layers = 58};

ServerCommand command_of(std::uint64_t tensor, std::uint64_t replicas, const std::string& mode = "full") {
    ServerCommand command;
    command.tensor = tensor;
    command.replicas = replicas;
    command.expert_parallel = true;
    command.mode = mode;
    return command;
}

TEST(RowExperts, AreSentTokensOnA3AndOnMostServersOfA2Not) {
    const auto table = [](std::uint64_t tensor, std::uint64_t replicas, const std::string& chip) {
        return layout_table("layout", command_of(tensor, replicas), Framework::vllm, chip, experts);
    };
    EXPECT_THAT(table(8, 2, "910c"), HasSubstr("gathers_from = 0\n"));
    EXPECT_THAT(table(16, 1, "910c"), HasSubstr("gathers_from = 0\n"));  // of one replica, too
    EXPECT_THAT(table(8, 1, "910b3"), HasSubstr("gathers_from = 1\n"));
    // 16 devices, 256 / 16 = 16 experts on each: steps of the graphs' 512 tokens are sent
    EXPECT_THAT(table(8, 2, "910b3"), HasSubstr("gathers_from = 513\n"));
    EXPECT_THAT(table(1, 1, "910c"), Not(HasSubstr("gathers_from")));
}

TEST(RowExperts, AreSentRowsUpToWhatIsCapturedOrMayRun) {
    const auto table = [](const ServerCommand& command) {
        return layout_table("layout", command, Framework::vllm, "910c", experts);
    };
    EXPECT_THAT(table(command_of(8, 2)), HasSubstr("row_by_row = 512\n"));
    ServerCommand eager = command_of(2, 1, "eager");
    eager.max_sequences = 64;
    eager.drafted = 3;
    EXPECT_THAT(table(eager), HasSubstr("row_by_row = 256\n"));  // 64 sequences of 1 + 3 tokens
    eager.max_sequences = 1024;
    EXPECT_THAT(table(eager), HasSubstr("row_by_row = 1024\n"));  // 512 of each of two devices
    eager.row_by_row = 4096;                                      // enable_prefill_mc2
    EXPECT_THAT(table(eager), HasSubstr("row_by_row = 4096\n"));
}

TEST(RowExperts, OfOtherFrameworksAreWholeOrSentAsOftenAsSaid) {
    const ServerCommand one = command_of(4, 4);
    EXPECT_THAT(layout_table("prompts", one, Framework::sglang, "910c", experts),
                testing::AllOf(HasSubstr("[prompts]\n"), HasSubstr("whole_shared = true\n")));
    ServerCommand script = one;
    script.repeated = true;
    EXPECT_THAT(layout_table("layout", script, Framework::script, "910c", experts),
                testing::AllOf(HasSubstr("repeated = true\n"), Not(HasSubstr("row_by_row"))));
    script.row_by_row = 64;  // whose prompts are sorted, however short
    EXPECT_THAT(layout_table("layout", script, Framework::script, "910c", experts),
                HasSubstr("row_by_row = 64\n"));
    EXPECT_THAT(layout_table("layout", one, Framework::vllm, "910c", std::nullopt),
                HasSubstr("expert_parallel = false\n"));
}

}  // namespace
}  // namespace ascendsim::validation
