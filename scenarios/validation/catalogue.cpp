// SPDX-License-Identifier: Apache-2.0
#include "scenarios/validation/catalogue.hpp"

#include "sim/base/error.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::validation {
namespace {

std::regex pattern_of(const Node& node) {
    try {
        return std::regex{node.as<std::string>(), std::regex::ECMAScript | std::regex::icase};
    } catch (const std::regex_error&) {
        throw node.error("is no regular expression");
    }
}

}  // namespace

Catalogue::Catalogue(const std::filesystem::path& folder) {
    TableReader sources = TomlFile::open(folder / "sources.toml").reader();
    for (TableReader& table : sources.tables("source")) {
        SourceRule rule;
        rule.source = pattern_of(table.require("source"));
        if (const std::optional<Node> kernel = table.find("kernel")) {
            rule.kernel = pattern_of(*kernel);
        }
        if (const std::optional<Node> notes = table.find("notes")) {
            rule.notes = pattern_of(*notes);
        }
        if (const std::optional<Node> shape = table.find("shape")) {
            rule.shape = pattern_of(*shape);
        }
        if (const std::optional<Node> chip = table.find("chip")) {
            rule.chip = pattern_of(*chip);
        }
        rule.which = table.choice("class", {"known_source", "black_box"}) == "known_source"
                         ? SourceClass::known_source
                         : SourceClass::black_box;
        rule.l2 = read_l2_state(table, "l2");
        rule.code_held = table.choice("code", {"cold", "held"}) == "held";
        rule.first_task_us = table.get_or<double>("first_task_us", 0, {0, 5});
        rule.host_us = table.get_or<double>("host_us", 0, {0, 1000});
        rule.own_process = table.choice("process", {"shared", "own"}) == "own";
        rule.why = table.get_or<std::string>("why", {});
        table.finish();
        sources_.push_back(std::move(rule));
    }
    sources.finish();
    TableReader chips = TomlFile::open(folder / "chips.toml").reader();
    for (TableReader& table : chips.tables("chip")) {
        ChipRule rule;
        rule.pattern = pattern_of(table.require("pattern"));
        if (const std::optional<Node> cores = table.find("cores")) {
            rule.cores = cores->as<std::uint64_t>();
        }
        rule.chip = table.get<std::string>("chip");
        rule.why = table.get_or<std::string>("why", {});
        table.finish();
        chips_.push_back(std::move(rule));
    }
    chips.finish();
    TableReader values = TomlFile::open(folder / "values.toml").reader();
    for (TableReader& table : values.tables("values")) {
        ValuesRule rule{.source = pattern_of(table.require("source")), .notes = pattern_of(table.require("notes"))};
        for (const Node& operand : table.require("operands").items()) {
            const std::vector<std::int64_t> ends = operand.list<std::int64_t>();
            if (ends.size() != 2 || ends[0] > ends[1]) {
                throw operand.error("is not [least, most]");
            }
            rule.operands.push_back({ends[0], ends[1]});
        }
        table.finish();
        values_.push_back(std::move(rule));
    }
    values.finish();
}

std::vector<ValueRange> Catalogue::values(const Row& row) const {
    for (const ValuesRule& rule : values_) {
        if (std::regex_search(row.measurement->source, rule.source) && std::regex_search(row.measurement->notes, rule.notes)) {
            return rule.operands;
        }
    }
    return {};
}

const SourceRule& Catalogue::source(const Row& row) const {
    for (const SourceRule& rule : sources_) {
        if (std::regex_search(row.measurement->source, rule.source) &&
            (!rule.kernel || std::regex_search(row.measurement->kernel, *rule.kernel)) &&
            (!rule.notes || std::regex_search(row.measurement->notes, *rule.notes)) &&
            (!rule.shape || std::regex_search(row.measurement->shape, *rule.shape)) &&
            (!rule.chip || std::regex_search(row.measurement->chip, *rule.chip))) {
            return rule;
        }
    }
    return unknown_;
}

std::optional<ChipChoice> Catalogue::chip(const Row& row) const {
    const std::string& text = row.measurement->chip;
    for (const ChipRule& rule : chips_) {
        if (!std::regex_search(text, rule.pattern) ||
            (rule.cores && row.cores.count != *rule.cores && row.cores.aic != *rule.cores)) {
            continue;
        }
        ChipChoice choice{.chip = rule.chip, .clock_ghz = {}, .why = rule.why};
        std::smatch match;
        if (std::regex_search(text, match, std::regex{"(\\d+\\.?\\d*)\\s*ghz", std::regex::icase})) {
            choice.clock_ghz = std::stod(match[1].str());
        }
        return choice;
    }
    return std::nullopt;
}

}  // namespace ascendsim::validation
