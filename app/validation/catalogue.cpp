// SPDX-License-Identifier: Apache-2.0
#include "app/validation/catalogue.hpp"

#include "app/validation/number_text.hpp"
#include "sim/base/error.hpp"
#include "sim/base/pattern.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::validation {
namespace {

Pattern pattern_of(const Node& node) {
    try {
        return Pattern{node.as<std::string>(), Pattern::Case::any};
    } catch (const UserError& error) {
        throw node.error(error.what());
    }
}

std::optional<Pattern> pattern_if_given(TableReader& table, const char* key) {
    const std::optional<Node> node = table.find(key);
    return node ? std::optional{pattern_of(*node)} : std::nullopt;
}

SourceRule source_rule(TableReader& table) {
    SourceRule rule;
    rule.source = pattern_of(table.require("source"));
    rule.kernel = pattern_if_given(table, "kernel");
    rule.notes = pattern_if_given(table, "notes");
    rule.shape = pattern_if_given(table, "shape");
    rule.chip = pattern_if_given(table, "chip");
    rule.which = table.choice("class", {"known_source", "black_box"}) == "known_source"
                     ? SourceClass::known_source
                     : SourceClass::black_box;
    rule.l2 = scenario::read_l2_state(table, "l2");
    rule.code_held = table.choice("code", {"cold", "held"}) == "held";
    rule.first_task_us = table.get_or<double>("first_task_us", 0, {0, 5});
    rule.host_us = table.get_or<double>("host_us", 0, {0, 1000});
    rule.own_process = table.choice("process", {"shared", "own"}) == "own";
    rule.why = table.get_or<std::string>("why", {});
    return rule;
}

ChipRule chip_rule(TableReader& table) {
    ChipRule rule;
    rule.pattern = pattern_of(table.require("pattern"));
    if (const std::optional<Node> cores = table.find("cores")) {
        rule.cores = cores->as<std::uint64_t>();
    }
    rule.chip = table.get<std::string>("chip");
    rule.why = table.get_or<std::string>("why", {});
    return rule;
}

ValuesRule values_rule(TableReader& table) {
    ValuesRule rule{.source = pattern_of(table.require("source")),
                    .notes = pattern_of(table.require("notes"))};
    for (const Node& operand : table.require("operands").items()) {
        const std::vector<std::int64_t> ends = operand.list<std::int64_t>();
        if (ends.size() != 2 || ends[0] > ends[1]) {
            throw operand.error("is not [least, most]");
        }
        rule.operands.push_back({ends[0], ends[1]});
    }
    return rule;
}

// The rules of a file, one for each of its tables `name`.
template <class Rule>
std::vector<Rule> rules_of(const std::filesystem::path& file, const char* name, Rule (*read)(TableReader&)) {
    TableReader all = TomlFile::open(file).reader();
    std::vector<Rule> rules;
    for (TableReader& table : all.tables(name)) {
        rules.push_back(read(table));
        table.finish();
    }
    all.finish();
    return rules;
}

}  // namespace

Catalogue::Catalogue(const std::filesystem::path& folder)
    : sources_{rules_of(folder / "sources.toml", "source", &source_rule)},
      chips_{rules_of(folder / "chips.toml", "chip", &chip_rule)},
      values_{rules_of(folder / "values.toml", "values", &values_rule)} {}

std::vector<ValueRange> Catalogue::values(const Row& row) const {
    for (const ValuesRule& rule : values_) {
        if (rule.source.is_in(row.measurement->source) && rule.notes.is_in(row.measurement->notes)) {
            return rule.operands;
        }
    }
    return {};
}

const SourceRule& Catalogue::source(const Row& row) const {
    for (const SourceRule& rule : sources_) {
        if (rule.source.is_in(row.measurement->source) &&
            (!rule.kernel || rule.kernel->is_in(row.measurement->kernel)) &&
            (!rule.notes || rule.notes->is_in(row.measurement->notes)) &&
            (!rule.shape || rule.shape->is_in(row.measurement->shape)) &&
            (!rule.chip || rule.chip->is_in(row.measurement->chip))) {
            return rule;
        }
    }
    return unknown_;
}

std::optional<ChipChoice> Catalogue::chip(const Row& row) const {
    const std::string& text = row.measurement->chip;
    for (const ChipRule& rule : chips_) {
        if (!rule.pattern.is_in(text) ||
            (rule.cores && row.cores.count != *rule.cores && row.cores.aic != *rule.cores)) {
            continue;
        }
        ChipChoice choice{.chip = rule.chip, .clock_ghz = {}, .why = rule.why};
        static const Pattern clock{"(\\d+\\.?\\d*)\\s*ghz", Pattern::Case::any};
        if (const std::optional<PatternMatch> match = clock.search(text)) {
            choice.clock_ghz = number_of<double>((*match)[1]);
        }
        return choice;
    }
    return std::nullopt;
}

}  // namespace ascendsim::validation
