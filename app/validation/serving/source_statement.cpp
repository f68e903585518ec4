// SPDX-License-Identifier: Apache-2.0
#include "app/validation/serving/source_statement.hpp"

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::validation {
namespace {

constexpr double most_tokens = 1e6;
constexpr double most_passes = 1e5;

Pattern stated_pattern(const Node& node) {
    try {
        return Pattern{node.as<std::string>(), Pattern::Case::any};
    } catch (const UserError& error) {
        throw node.error(error.what());
    }
}

std::uint64_t stated_count(TableReader& table, const char* key) {
    return static_cast<std::uint64_t>(table.get_or<double>(key, 0, {0, most_tokens}));
}

WindowPass pass_of(TableReader& table) {
    WindowPass pass{.count = table.get_or<double>("count", 1, {1, most_passes}),
                    .tokens = stated_count(table, "tokens"),
                    .past = stated_count(table, "past"),
                    .prompts = table.get_or<std::uint64_t>("prompts", 1, {1, most_tokens}),
                    .decoding = stated_count(table, "decoding"),
                    .keys = table.get_or<double>("keys", 0, {0, most_tokens})};
    pass.norm_rows = stated_count(table, "norm_rows");
    pass.rows =
        table.get_or<std::uint64_t>("rows", pass.decoding, {static_cast<double>(pass.decoding), most_tokens});
    pass.results = table.get_or<std::uint64_t>(
        "results", pass.tokens != 0 ? pass.prompts : pass.decoding, {1, most_tokens});
    table.finish();
    return pass;
}

StatedServer server_of(TableReader table) {
    StatedServer server;
    server.machine = table.get_or<std::string>("machine", "");
    server.weights = table.get_or<std::string>("weights", "");
    server.command = read_command(table);
    return server;
}

StatedLoad load_of(TableReader table) {
    StatedLoad load;
    load.prompt = table.get_or<double>("prompt", 0, {0, most_tokens});
    load.output = table.get_or<double>("output", 0, {0, most_tokens});
    load.concurrency = table.get_or<double>("concurrency", 0, {0, most_tokens});
    load.count = table.get_or<double>("count", 0, {0, most_tokens});
    table.finish();
    return load;
}

StatedLaunch launch_of(TableReader& table) {
    constexpr double most_launches = 1e7;
    StatedLaunch launch{.count = table.get_or<double>("count", 1, {1, most_launches}),
                        .kernel = table.get<std::string>("kernel"),
                        .shape = table.get<std::string>("shape"),
                        .dtype = table.get<std::string>("dtype"),
                        .notes = table.get_or<std::string>("notes", {})};
    table.finish();
    return launch;
}

SourceStatement statement_of(TableReader& table) {
    SourceStatement statement{.source = stated_pattern(table.require("source")),
                              .workload = stated_pattern(table.require("workload")),
                              .shape = std::nullopt,
                              .passes = {},
                              .kernels = {},
                              .launches = {},
                              .extents = {},
                              .server = {},
                              .load = {},
                              .refused = {},
                              .why = table.get<std::string>("why")};
    if (const std::optional<Node> shape = table.find("shape")) {
        statement.shape = stated_pattern(*shape);
    }
    if (const std::optional<Node> passes = table.find("passes")) {
        for (const Node& node : passes->items()) {
            TableReader one = node.table();
            const WindowPass& pass = statement.passes.emplace_back(pass_of(one));
            if ((pass.tokens == 0) == (pass.decoding == 0) || (pass.decoding != 0 && pass.keys <= 0)) {
                throw node.error("must state tokens, or decoding and keys");
            }
        }
    }
    if (const std::optional<Node> kernels = table.find("kernels")) {
        statement.kernels = kernels->list<std::string>();
    }
    if (const std::optional<Node> launches = table.find("launches")) {
        for (const Node& node : launches->items()) {
            TableReader one = node.table();
            statement.launches.push_back(launch_of(one));
        }
    }
    if (const std::optional<Node> extents = table.find("extents")) {
        statement.extents = extents->list<std::string>();
    }
    statement.rows = stated_count(table, "rows");
    statement.sequences = stated_count(table, "sequences");
    statement.keys = table.get_or<double>("keys", 0, {0, most_tokens});
    if (const auto server = table.find_table("server")) {
        statement.server = server_of(*server);
    }
    if (const auto load = table.find_table("load")) {
        statement.load = load_of(*load);
    }
    statement.refused = table.get_or<std::string>("refused", {});
    table.finish();
    return statement;
}

}  // namespace

std::vector<SourceStatement> read_statements(const std::filesystem::path& file) {
    TableReader all = TomlFile::open(file).reader();
    std::vector<SourceStatement> statements;
    for (TableReader& table : all.tables("statement")) {
        statements.push_back(statement_of(table));
    }
    all.finish();
    return statements;
}

namespace {

bool is_about(const SourceStatement& one, const SystemRow& row) {
    return one.source.is_in(row.source) && one.workload.is_in(row.workload) &&
           (!one.shape || one.shape->is_in(row.shape));
}

}  // namespace

std::optional<SourceStatement> server_about(const SystemRow& row,
                                            const std::vector<SourceStatement>& statements) {
    const auto found = std::ranges::find_if(statements, [&](const SourceStatement& one) {
        return (one.server || !one.refused.empty()) && is_about(one, row);
    });
    return found == statements.end() ? std::nullopt : std::optional{*found};
}

std::optional<SourceStatement> statement_about(const SystemRow& row,
                                               const std::vector<SourceStatement>& statements) {
    const auto found =
        std::ranges::find_if(statements, [&](const SourceStatement& one) { return is_about(one, row); });
    return found == statements.end() ? std::nullopt : std::optional{*found};
}

}  // namespace ascendsim::validation
