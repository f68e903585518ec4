// SPDX-License-Identifier: Apache-2.0
#include "app/validation/serving/source_statement.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.hpp"
#include "sim/process/temporary_folder.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::validation {
namespace {

std::vector<SourceStatement> statements_in(const std::string& text) {
    const process::TemporaryFolder folder;
    std::ofstream{folder.path() / "statements.toml"} << text;
    return read_statements(folder.path() / "statements.toml");
}

std::string error_of(const std::string& text) {
    try {
        static_cast<void>(statements_in(text));
    } catch (const UserError& error) {
        return error.what();
    }
    return {};
}

TEST(SourceStatement, FirstThatFitsHolds) {
    const std::vector<SourceStatement> all = statements_in(
        "[[statement]]\nsource = 'report'\nworkload = 'decode'\nshape = '^c1$'\nwhy = 'a'\n"
        "passes = [{ count = 3, decoding = 2, rows = 16, keys = 100 }, { tokens = 64, past = 32 }]\n"
        "[[statement]]\nsource = 'report'\nworkload = 'decode'\nrows = 4\nwhy = 'b'\n");
    SystemRow row{.workload = "Model decode", .shape = "c1", .source = "The Report"};
    const auto first = statement_about(row, all);
    ASSERT_TRUE(first);
    ASSERT_EQ(first->passes.size(), 2U);
    EXPECT_DOUBLE_EQ(first->passes[0].count, 3);
    EXPECT_EQ(first->passes[0].results, 2U);  // as many as decode
    EXPECT_EQ(first->passes[1].results, 1U);  // the prompt's
    EXPECT_EQ(first->passes[1].past, 32U);
    row.shape = "c16";
    EXPECT_EQ(statement_about(row, all)->rows, 4U);
    row.source = "another";
    EXPECT_FALSE(statement_about(row, all));
}

TEST(SourceStatement, ExchangesNameACollective) {
    const std::string start = "[[statement]]\nsource = 'report'\nworkload = 'prefill'\nwhy = 'a'\n";
    const std::vector<SourceStatement> all =
        statements_in(start + "exchanges = [{ count = 3, kind = 'all_gather', bytes = 4096, ranks = 16 }]\n");
    ASSERT_EQ(all.front().exchanges.size(), 1U);
    EXPECT_EQ(all.front().exchanges[0].kind, node::CollectiveKind::all_gather);
    EXPECT_EQ(all.front().exchanges[0].ranks, 16U);
    EXPECT_NE(error_of(start + "exchanges = [{ kind = 'gather_all', bytes = 4096, ranks = 16 }]\n")
                  .find("no collective has this name"),
              std::string::npos);
    EXPECT_FALSE(error_of(start + "exchanges = [{ kind = 'all_gather', ranks = 16 }]\n").empty());
}

TEST(SourceStatement, HoldsAServerAndALoad) {
    const std::vector<SourceStatement> all = statements_in(
        "[[statement]]\nsource = 'guide'\nworkload = 'decode'\nrows = 4\nwhy = 'a'\n"
        "[[statement]]\nsource = 'guide'\nworkload = 'decode'\nwhy = 'b'\n[statement.server]\ntensor = "
        "2\nreplicas = 8\nmode = 'full'\ndrafted = 3\ndraft = 'mtp'\naccepted = 1.44\neven_experts = true\n"
        "[statement.load]\nprompt = 4096\n");
    const SystemRow row{.workload = "Model decode", .source = "The guide"};
    EXPECT_EQ(statement_about(row, all)->rows, 4U);
    const auto said = server_about(row, all);  // the first that has a server
    ASSERT_TRUE(said && said->server);
    EXPECT_EQ(said->server->command.replicas, 8U);
    EXPECT_EQ(said->server->command.accepted, 1.44);
    EXPECT_TRUE(said->server->command.even_experts);
    EXPECT_EQ(load_about(row, all).prompt, 4096);
    EXPECT_FALSE(load_about(row, all).output);
    EXPECT_THAT(
        error_of("[[statement]]\nsource = 'a'\nworkload = 'b'\nwhy = 'c'\n[statement.server]\ntensor = "
                 "1\nmode = 'full'\ndrafted = 1\naccepted = 2\n"),
        testing::HasSubstr("accepted"));
}

TEST(SourceStatement, FindsLoadsAndServersApart) {
    const std::vector<SourceStatement> all = statements_in(
        "[[statement]]\nsource = 'guide'\nworkload = 'm'\nwhy = 'a'\n[statement.load]\ncount = 48\nrate = 2\n"
        "[[statement]]\nsource = 'guide'\nworkload = 'm'\ndevices = 'A3 2 cards'\nwhy = 'b'\n"
        "[statement.server]\ntensor = 4\nmode = 'full'\nchunked = false\n"
        "[statement.server.prompts]\ntensor = 8\nmode = 'eager'\n"
        "[[statement]]\nsource = 'guide'\nworkload = 'm'\nrefused = 'no'\nwhy = 'c'\n");
    SystemRow row{.chip = "A3", .devices = "2 cards", .workload = "m", .source = "guide"};
    EXPECT_EQ(load_about(row, all).count, 48);
    EXPECT_EQ(load_about(row, all).rate, 2);
    const auto said = server_about(row, all);
    ASSERT_TRUE(said && said->server && said->server->prompts);
    EXPECT_EQ(said->server->command.tensor, 4U);
    EXPECT_FALSE(said->server->command.chunked);
    EXPECT_EQ(said->server->prompts->tensor, 8U);
    row.devices = "4 cards";
    EXPECT_EQ(server_about(row, all)->refused, "no");
    EXPECT_EQ(load_about(row, all).count, 48);
}

TEST(SourceStatement, RefusesWhatServersOfPromptsDoNotHave) {
    const auto error_with = [](const std::string& key) {
        return error_of(
            "[[statement]]\nsource = 'a'\nworkload = 'b'\nwhy = 'c'\n[statement.server]\ntensor = "
            "1\nmode = 'full'\n[statement.server.prompts]\ntensor = 1\nmode = 'eager'\n" +
            key + " = 1\n");
    };
    EXPECT_THAT(error_with("drafted"), testing::HasSubstr("drafted: unknown key"));
    EXPECT_THAT(error_with("max_sequence"), testing::HasSubstr("did you mean 'max_sequences'"));
}

TEST(SourceStatement, ListsLaunchesAndExtents) {
    const std::vector<SourceStatement> all = statements_in(
        "[[statement]]\nsource = 'report'\nworkload = 'SwiGlu'\nwhy = 'a'\nextents = ['rows=4']\n"
        "launches = [{ count = 3, kernel = 'SwiGlu', shape = '8x64', dtype = 'bf16' },\n"
        "            { kernel = 'MatMul', shape = 'M1 K2 N3', dtype = 'fp16', notes = 'B NZ' }]\n");
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].extents, std::vector<std::string>{"rows=4"});
    ASSERT_EQ(all[0].launches.size(), 2U);
    EXPECT_DOUBLE_EQ(all[0].launches[0].count, 3);
    EXPECT_EQ(all[0].launches[0].shape, "8x64");
    EXPECT_DOUBLE_EQ(all[0].launches[1].count, 1);
    EXPECT_EQ(all[0].launches[1].notes, "B NZ");
    EXPECT_THAT(error_of("[[statement]]\nsource = 'a'\nworkload = 'b'\nwhy = 'c'\n"
                         "launches = [{ kernel = 'SwiGlu', shape = '8x64' }]\n"),
                testing::HasSubstr("dtype"));
}

TEST(SourceStatement, SaysWhereItIsWrong) {
    EXPECT_THAT(
        error_of("[[statement]]\nsource = 'a'\nworkload = 'b'\nwhy = 'c'\npasses = [{ count = 3 }]\n"),
        testing::HasSubstr("must state tokens, or decoding and keys"));
    EXPECT_THAT(error_of("[[statement]]\nsource = '('\nworkload = 'b'\nwhy = 'c'\n"),
                testing::HasSubstr("statements.toml:2"));
    EXPECT_THAT(error_of("[[statement]]\nsource = 'a'\nworkload = 'b'\n"), testing::HasSubstr("why"));
}

TEST(SourceStatement, ShippedOnesAreRead) {
    EXPECT_FALSE(read_statements(toolchain::Installation::find().measurements() / "statements.toml").empty());
}

}  // namespace
}  // namespace ascendsim::validation
