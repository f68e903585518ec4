// SPDX-License-Identifier: Apache-2.0
#include "app/validation/serving/source_statement.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::validation {
namespace {

constexpr double most_tokens = 1e6;
constexpr double most_ghz = 4;
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
    pass.batch = stated_count(table, "batch");
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
    if (auto prompts = table.find_table("prompts")) {
        server.prompts = read_prompt_command(*prompts);
    }
    server.command = read_command(table);
    return server;
}

StatedLoad load_of(TableReader table) {
    StatedLoad load;
    const auto take = [&](const char* key, std::optional<double>& value, Limits range) {
        if (table.find(key)) {
            value = table.get<double>(key, range);
        }
    };
    take("prompt", load.prompt, {1, most_tokens});
    take("output", load.output, {1, most_tokens});
    take("concurrency", load.concurrency, {1, most_tokens});
    take("count", load.count, {1, most_tokens});
    take("rate", load.rate, {0, most_tokens});
    take("prompt_spread", load.prompt_spread, {0, 1});
    take("output_spread", load.output_spread, {0, 1});
    take("prefix", load.prefix, {0, most_tokens});
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

StatedExchange exchange_of(const Node& node) {
    constexpr double most_calls = 1e7;
    constexpr double most_bytes = 1e12;
    constexpr double most_ranks = 1e4;
    TableReader table = node.table();
    const auto kind = node::collective_kind(table.get<std::string>("kind"));
    if (!kind) {
        throw node.error("kind: no collective has this name");
    }
    StatedExchange exchange{.count = table.get_or<double>("count", 1, {1, most_calls}),
                            .kind = *kind,
                            .bytes = static_cast<std::uint64_t>(table.get<double>("bytes", {1, most_bytes})),
                            .ranks = static_cast<std::uint32_t>(table.get<double>("ranks", {2, most_ranks}))};
    table.finish();
    return exchange;
}

SourceStatement statement_of(TableReader& table) {
    SourceStatement statement{.source = stated_pattern(table.require("source")),
                              .workload = stated_pattern(table.require("workload")),
                              .shape = std::nullopt,
                              .devices = std::nullopt,
                              .metric = std::nullopt,
                              .passes = {},
                              .kernels = {},
                              .launches = {},
                              .beside = {},
                              .exchanges = {},
                              .extents = {},
                              .chip = {},
                              .server = {},
                              .load = {},
                              .refused = {},
                              .why = table.get<std::string>("why")};
    if (const std::optional<Node> shape = table.find("shape")) {
        statement.shape = stated_pattern(*shape);
    }
    if (const std::optional<Node> devices = table.find("devices")) {
        statement.devices = stated_pattern(*devices);
    }
    if (const std::optional<Node> metric = table.find("metric")) {
        statement.metric = stated_pattern(*metric);
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
    for (const auto& [key, list] :
         {std::pair{"launches", &statement.launches}, std::pair{"beside", &statement.beside}}) {
        if (const std::optional<Node> launches = table.find(key)) {
            for (const Node& node : launches->items()) {
                TableReader one = node.table();
                list->push_back(launch_of(one));
            }
        }
    }
    if (const std::optional<Node> exchanges = table.find("exchanges")) {
        for (const Node& node : exchanges->items()) {
            statement.exchanges.push_back(exchange_of(node));
        }
    }
    if (const std::optional<Node> extents = table.find("extents")) {
        statement.extents = extents->list<std::string>();
    }
    statement.chip = table.get_or<std::string>("chip", {});
    statement.clock_ghz = table.get_or<double>("clock_ghz", 0, {0, most_ghz});
    statement.eager = table.get_or<bool>("eager", false);
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
           (!one.shape || one.shape->is_in(row.shape)) &&
           (!one.devices || one.devices->is_in(row.chip + " " + row.devices)) &&
           (!one.metric || one.metric->is_in(row.metric));
}

}  // namespace

std::optional<SourceStatement> server_about(const SystemRow& row,
                                            const std::vector<SourceStatement>& statements) {
    const auto found = std::ranges::find_if(statements, [&](const SourceStatement& one) {
        return (one.server || !one.refused.empty()) && is_about(one, row);
    });
    return found == statements.end() ? std::nullopt : std::optional{*found};
}

StatedLoad load_about(const SystemRow& row, const std::vector<SourceStatement>& statements) {
    const auto found = std::ranges::find_if(
        statements, [&](const SourceStatement& one) { return one.load && is_about(one, row); });
    return found == statements.end() ? StatedLoad{} : *found->load;
}

std::optional<SourceStatement> statement_about(const SystemRow& row,
                                               const std::vector<SourceStatement>& statements) {
    const auto found =
        std::ranges::find_if(statements, [&](const SourceStatement& one) { return is_about(one, row); });
    return found == statements.end() ? std::nullopt : std::optional{*found};
}

}  // namespace ascendsim::validation
