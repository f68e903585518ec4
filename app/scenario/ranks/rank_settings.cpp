// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/ranks/rank_settings.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "sim/base/error.hpp"

namespace ascendsim::scenario {
namespace {

/// Values of tables are set one by one.
void add_overrides(const std::string& path, const Node& node, std::vector<Override>& to) {
    if (!node.is_table()) {
        to.push_back({path, text(node.value())});
        return;
    }
    for (const Node& member : node.members()) {
        add_overrides(path + "." + member.key(), member, to);
    }
}

RankSetting read_rank(TableReader& table, std::uint32_t number) {
    RankSetting rank{.device = table.get_or<std::uint32_t>("device", number, {0, 1e6}),
                     .delay_us = table.get_or<double>("delay_us", 0, {0, 1e9}),
                     .set = {},
                     .place = table.node().place()};
    if (const std::optional<Node> set = table.find("set")) {
        for (const Node& member : set->members()) {
            add_overrides(member.key(), member, rank.set);
        }
    }
    table.finish();
    return rank;
}

std::vector<RankSetting> read_list(TableReader& root, std::uint32_t count) {
    std::vector<RankSetting> ranks;
    for (TableReader& table : root.tables("ranks")) {
        ranks.push_back(read_rank(table, static_cast<std::uint32_t>(ranks.size())));
    }
    if (!ranks.empty() && count != 0) {
        throw root.error("ranks", "give either [[ranks]] or scenario.ranks");
    }
    for (std::uint32_t rank = 0; rank < count; ++rank) {
        ranks.push_back({.device = rank, .set = {}, .place = root.node().file().name()});
    }
    if (ranks.size() == 1) {
        throw UserError{"{}: one rank: there must be two at least", ranks.front().place};
    }
    for (const RankSetting& rank : ranks) {
        if (rank.device >= runtime::most_chips) {
            throw UserError{"{}: device {}: a run simulates {} chips at most, devices 0 to {}",
                            rank.place,
                            rank.device,
                            runtime::most_chips,
                            runtime::most_chips - 1};
        }
        if (std::ranges::count(ranks, rank.device, &RankSetting::device) > 1) {
            throw UserError{"{}: device {} is that of two ranks", rank.place, rank.device};
        }
    }
    return ranks;
}

/// A rank's number, of `ranks`.
std::uint32_t read_number(const Node& node, std::size_t ranks) {
    const auto rank = node.as<std::uint32_t>();
    if (rank >= ranks) {
        throw node.error(fmt::format("rank {} is out of range: there are ranks 0 to {}", rank, ranks - 1));
    }
    return rank;
}

runtime::RankedCollective read_collective(TableReader& table, std::size_t ranks) {
    runtime::RankedCollective what;
    const std::string kind = table.choice(
        "kind",
        {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce", "scatter"});
    what.kind = node::collective_kind(kind).value();
    const std::optional<Node> operation = table.find("operation");
    if (operation && what.kind != node::CollectiveKind::all_reduce &&
        what.kind != node::CollectiveKind::reduce_scatter && what.kind != node::CollectiveKind::reduce) {
        throw operation->error(fmt::format("{} reduces nothing", kind));
    }
    what.operation = table.choice("operation", {"sum", "prod", "max", "min"});
    what.send = table.get<std::string>("send");
    what.receive = table.get_or<std::string>("receive", what.send);
    if (const std::optional<Node> root = table.find("root")) {
        what.root = read_number(*root, ranks);
    }
    if (const std::optional<Node> only = table.find("only")) {
        for (const Node& rank : only->items()) {
            what.only.push_back(read_number(rank, ranks));
        }
    }
    what.by_kernel = table.choice("by", {"host", "kernel"}) == "kernel";
    if (const std::optional<Node> after = table.find("after")) {
        what.after = after->as<std::size_t>();
    }
    what.file = table.node().file().name();
    what.line = table.node().line();
    table.finish();
    return what;
}

}  // namespace

RankSettings read_ranks(TableReader& root, std::uint32_t count) {
    RankSettings settings;
    settings.ranks = read_list(root, count);
    if (std::optional<TableReader> node = root.find_table("node")) {
        settings.node = node->get_or<std::string>("name", {});
        settings.host = node->get_or<std::string>("host", {});
        node->finish();
        if (settings.ranks.empty()) {
            throw root.error("node", "is for scenarios with [[ranks]]; host programs have program.node");
        }
    }
    for (TableReader& table : root.tables("collectives")) {
        if (settings.ranks.empty()) {
            throw table.node().error("collectives need [[ranks]]");
        }
        settings.collectives.push_back(read_collective(table, settings.ranks.size()));
    }
    return settings;
}

}  // namespace ascendsim::scenario
