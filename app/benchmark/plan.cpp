// SPDX-License-Identifier: Apache-2.0
#include "app/benchmark/plan.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "sim/base/error.hpp"

namespace ascendsim::benchmark {
namespace {

constexpr double most_iterations = 1e6;

CaseLimit read_limit(const Node& member) {
    CaseLimit limit{.path = member.key(), .min = {}, .max = {}, .place = member.place()};
    if (!member.is_table()) {
        throw member.error("needs a table: { min = 1, max = 2 }");
    }
    TableReader table = member.table();
    for (auto [key, bound] : {std::pair{"min", &limit.min}, {"max", &limit.max}}) {
        if (const std::optional<Node> node = table.find(key)) {
            *bound = node->as<double>();
        }
    }
    table.finish();
    if (!limit.min && !limit.max) {
        throw member.error("expects nothing: give min, max or both");
    }
    return limit;
}

CaseValues read_case(TableReader& table) {
    CaseValues one{.name = table.get<std::string>("name"), .set = {}};
    for (const Node& member : table.require("set").members()) {
        one.set.push_back({member.key(), scenario::text(member.value())});
    }
    table.finish();
    return one;
}

void read_cases(TableReader& table, BenchmarkPlan& plan) {
    const std::string over = table.get_or<std::string>("over", "");
    std::vector<std::string> list;
    if (const std::optional<Node> values = table.find("values")) {
        for (const Node& value : values->items()) {
            list.push_back(scenario::text(value.value()));
        }
    }
    if (over.empty() != list.empty()) {
        throw table.error(over.empty() ? "over" : "values",
                          "over and values go together: over = \"kernel.batch\", values = [1, 2, 4]");
    }
    if (!over.empty()) {
        set_values(plan, over, list);
    }
    for (TableReader& one : table.tables("case")) {
        if (!over.empty()) {
            throw one.node().error("give either over or cases");
        }
        plan.cases.push_back(read_case(one));
    }
    if (const std::optional<Node> items = table.find("items")) {
        plan.items = scenario::text(items->value());
    }
    if (const std::optional<Node> expect = table.find("expect")) {
        for (const Node& member : expect->members()) {
            plan.limits.push_back(read_limit(member));
        }
    }
}

/// One step of a path: a name, perhaps with a place in a list as in "shape[0]".
struct PathStep {
    std::string name;
    std::optional<std::size_t> index;
};

std::optional<PathStep> step_of(std::string_view text) {
    const std::size_t bracket = text.find('[');
    PathStep step{std::string{text.substr(0, bracket)}, std::nullopt};
    if (bracket == std::string_view::npos) {
        return step;
    }
    std::size_t index = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + bracket + 1, end, index);
    if (error != std::errc{} || stop + 1 != end || *stop != ']') {
        return std::nullopt;
    }
    step.index = index;
    return step;
}

std::optional<Node> member_of(const Node& node, const PathStep& step) {
    std::optional<Node> found;
    if (node.is_table()) {
        for (const Node& member : node.members()) {
            found = member.key() == step.name ? std::optional{member} : found;
        }
    } else if (node.is_array()) {  // [[args]]: the one of this name
        for (const Node& item : node.items()) {
            if (item.is_table() && item.table().get_or<std::string>("name", "") == step.name) {
                found = item;
            }
        }
    }
    if (!found || !step.index) {
        return found;
    }
    const std::vector<Node> items = found->is_array() ? found->items() : std::vector<Node>{};
    return *step.index < items.size() ? std::optional{items[*step.index]} : std::nullopt;
}

}  // namespace

void set_values(BenchmarkPlan& plan, const std::string& path, const std::vector<std::string>& values) {
    plan.over = path;
    plan.cases.clear();
    for (const std::string& value : values) {
        plan.cases.push_back({.name = value, .set = {{path, value}}});
    }
}

BenchmarkPlan read_plan(const TomlFile& file) {
    BenchmarkPlan plan;
    TableReader root = file.reader();
    std::optional<TableReader> table = root.find_table("benchmark");
    if (!table) {
        return plan;
    }
    plan.wait = table->get_or<std::uint32_t>("wait", plan.wait, {0, most_iterations});
    plan.warm_up = table->get_or<std::uint32_t>("warm_up", plan.warm_up, {0, most_iterations});
    plan.active = table->get_or<std::uint32_t>("active", plan.active, {1, most_iterations});
    plan.repeat = table->get_or<std::uint32_t>("repeat", plan.repeat, {1, most_iterations});
    if (static_cast<double>(plan.iterations()) > most_iterations) {
        throw table->error("repeat", fmt::format("{} iterations are more than 1,000,000", plan.iterations()));
    }
    plan.simulated = table->get_or<std::uint32_t>("simulated", plan.simulated, {1, 1000});
    plan.fence = table->get_or<double>("fence", plan.fence, {0, 100});
    plan.synchronise = table->get_or<bool>("synchronise", plan.synchronise);
    plan.mode =
        node::issue_mode(table->choice("mode", {"launch", "eager", "triton", "queue", "graph"})).value();
    plan.host = table->get_or<std::string>("host", "");
    plan.seed = table->get_or<std::uint64_t>("seed", plan.seed);
    plan.tolerance = table->get_or<double>("tolerance", plan.tolerance, {0, 1e6});
    if (std::optional<TableReader> jitter = table->find_table("jitter")) {
        plan.jitter = node::read_jitter(*jitter);
    }
    read_cases(*table, plan);
    table->finish();
    return plan;
}

double items_of(const BenchmarkPlan& plan, const TomlFile& file) {
    if (plan.items.empty()) {
        return 1;
    }
    double number = 0;
    const char* const end = plan.items.data() + plan.items.size();
    if (const auto [stop, error] = std::from_chars(plan.items.data(), end, number);
        error == std::errc{} && stop == end && number > 0 && std::isfinite(number)) {
        return number;
    }
    std::optional<Node> node = file.reader().node();
    std::string_view rest = plan.items;
    while (node && !rest.empty()) {
        const std::size_t dot = std::min(rest.find('.'), rest.size());
        const std::optional<PathStep> step = step_of(rest.substr(0, dot));
        node = step ? member_of(*node, *step) : std::nullopt;
        rest.remove_prefix(std::min(dot + 1, rest.size()));
    }
    const bool is_number = node && (std::holds_alternative<std::int64_t>(node->value().data) ||
                                    std::holds_alternative<double>(node->value().data));
    if (!is_number || !(node->as<double>() > 0)) {
        throw UserError{
            "{}: benchmark.items = {}: must be a positive number, or the path of one that the file gives, as "
            "in kernel.batch or kernel.shape[0]",
            file.name(),
            plan.items};
    }
    return node->as<double>();
}

}  // namespace ascendsim::benchmark
