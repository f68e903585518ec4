// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/claims.hpp"

namespace ascendsim::scenario {

namespace {

/// A number, or an expression as a string.
std::string expression(const Node& node) {
    return node.is_string() ? node.as<std::string>() : text(node.value());
}

std::string expression(TableReader& table, std::string_view key) {
    const std::optional<Node> node = table.find(key);
    return node ? expression(*node) : std::string{};
}

}  // namespace

std::vector<Fact> read_facts(TableReader& root) {
    std::vector<Fact> facts;
    if (const std::optional<Node> table = root.find("facts")) {
        for (const Node& member : table->members()) {
            facts.push_back(
                {.name = member.key(), .expression = expression(member), .place = member.place()});
        }
    }
    return facts;
}

std::vector<Claim> read_claims(TableReader& root) {
    std::vector<Claim> claims;
    for (TableReader& table : root.tables("claims")) {
        Claim claim{.what = table.get_or<std::string>("what", {}),
                    .source = table.get_or<std::string>("source", {}),
                    .value = expression(table.require("value")),
                    .unit = table.get_or<std::string>("unit", {}),
                    .quantity = expression(table, "quantity"),
                    .bound = expression(table, "bound"),
                    .equals = expression(table, "equals"),
                    .needs = expression(table, "needs"),
                    .has = expression(table, "has"),
                    .needs_unit = table.get_or<std::string>("needs_unit", {}),
                    .note = table.get_or<std::string>("note", {}),
                    .less_is_better = table.choice("better", {"less", "more"}) == "less",
                    .tolerance = table.get_or<double>("tolerance", 0.1, {0, 10}),
                    .when = {},
                    .place = table.node().place()};
        if (const std::optional<Node> when = table.find("when")) {
            for (const Node& member : when->members()) {
                claim.when.push_back({member.key(), text(member.value())});
            }
        }
        table.finish();
        claims.push_back(std::move(claim));
    }
    return claims;
}

}  // namespace ascendsim::scenario
