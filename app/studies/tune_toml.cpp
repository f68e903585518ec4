// SPDX-License-Identifier: Apache-2.0
// The tuner's result as a scenario that can be run: the one that was tuned, with the best choice in place.
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>

#include "app/studies/tune.hpp"

namespace ascendsim::study {

namespace {

// What speaks of several runs, or of others than this one.
constexpr std::array<std::string_view, 6> left_out{
    "variants", "tune", "claims", "facts", "baseline", "lesson"};

std::string in_quotes(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (c == '\n') {
            result += "\\n";
        } else if (c == '\t') {
            result += "\\t";
        } else {
            result += c;
        }
    }
    return result + "\"";
}

std::string key_text(std::string_view key) {
    const bool bare = !key.empty() && std::ranges::all_of(key, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    });
    return bare ? std::string{key} : in_quotes(key);
}

std::string inline_text(const TomlValue& value);

std::string joined(const std::vector<TomlValue>& values, bool keys) {
    std::string text;
    for (const TomlValue& value : values) {
        text += text.empty() ? "" : ", ";
        text += keys ? key_text(value.key) + " = " : std::string{};
        text += inline_text(value);
    }
    return text;
}

/// A value as it stands behind "key = ".
std::string inline_text(const TomlValue& value) {
    if (const auto* table = std::get_if<TomlTable>(&value.data)) {
        return table->members.empty() ? "{}" : "{ " + joined(table->members, true) + " }";
    }
    if (const auto* array = std::get_if<TomlArray>(&value.data)) {
        return "[" + joined(array->items, false) + "]";
    }
    if (const auto* text = std::get_if<std::string>(&value.data)) {
        return in_quotes(*text);
    }
    if (const auto* number = std::get_if<double>(&value.data)) {
        const std::string text = fmt::format("{}", *number);
        return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
    }
    if (const auto* number = std::get_if<std::int64_t>(&value.data)) {
        return fmt::format("{}", *number);
    }
    const auto* flag = std::get_if<bool>(&value.data);
    return flag != nullptr && *flag ? "true" : "false";
}

}  // namespace

std::string tune_toml(const Tuning& tuning) {
    const Tried& best = tuning.found.tried[*tuning.found.best];
    std::string text = fmt::format("# Tuned: {}, {}\n", tuning.label, tuning.how());
    if (tuning.faster()) {
        text += fmt::format("# {}{}\n",
                            report::time_text(*best.time_us),
                            tuning.standard.time_us
                                ? fmt::format(", untuned {}", report::time_text(*tuning.standard.time_us))
                                : std::string{});
        text += fmt::format("# Chosen: {}\n", tuning.shown(best.choice));
    } else {
        text += fmt::format("# The scenario as it is: {}; the best choice takes {} ({})\n",
                            report::time_text(*tuning.standard.time_us),
                            report::time_text(*best.time_us),
                            tuning.shown(best.choice));
    }
    const auto* const root = std::get_if<TomlTable>(&tuning.best->root().data);
    if (root == nullptr) {
        return text;
    }
    std::string tables;
    for (const TomlValue& member : root->members) {
        if (std::ranges::find(left_out, member.key) != left_out.end()) {
            continue;
        }
        const auto* const table = std::get_if<TomlTable>(&member.data);
        if (table == nullptr) {
            text += fmt::format("{} = {}\n", key_text(member.key), inline_text(member));
            continue;
        }
        tables += fmt::format("\n[{}]\n", key_text(member.key));
        for (const TomlValue& value : table->members) {
            tables += fmt::format("{} = {}\n", key_text(value.key), inline_text(value));
        }
        const auto has = [&](std::string_view key) {
            return std::ranges::find(table->members, key, &TomlValue::key) != table->members.end();
        };
        if (member.key == "scenario" && !has("kernel") && !has("source")) {
            // Left out, it is the source beside the scenario and named like it, which this file is not.
            const std::filesystem::path source =
                std::filesystem::path{tuning.best->name()}.filename().replace_extension(".cpp");
            tables += fmt::format("source = {}\n", in_quotes(source.string()));
        }
    }
    return text + tables;
}

}  // namespace ascendsim::study
