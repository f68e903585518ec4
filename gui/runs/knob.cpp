// SPDX-License-Identifier: Apache-2.0
#include "gui/runs/knob.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "sim/base/json_text.hpp"

namespace ascendsim::gui {
namespace {

using nlohmann::json;

KnobKind kind_of(const json& value) {
    if (value.is_boolean()) {
        return KnobKind::flag;
    }
    if (value.is_number_integer()) {
        return KnobKind::integer;
    }
    if (value.is_number()) {
        return KnobKind::real;
    }
    return value.is_array() ? KnobKind::list : KnobKind::word;
}

std::string text_at(const json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

std::optional<double> number_at(const json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number() ? std::optional{found->get<double>()} : std::nullopt;
}

Knob declared(const json& one, const char* value) {
    Knob knob{.path = {},
              .group = {},
              .label = {},
              .kind = kind_of(one.value(value, json{})),
              .base = setting_text(one.value(value, json{})),
              .unit = text_at(one, "unit"),
              .meaning = text_at(one, "meaning"),
              .tag = text_at(one, "tag"),
              .source = text_at(one, "source"),
              .allowed = {},
              .min = number_at(one, "min"),
              .max = number_at(one, "max")};
    if (const auto allowed = one.find("allowed"); allowed != one.end() && allowed->is_array()) {
        for (const json& word : *allowed) {
            knob.allowed.push_back(setting_text(word));
        }
    }
    if (knob.kind == KnobKind::flag) {
        knob.allowed = {"true", "false"};
    }
    return knob;
}

/// The number a text is, all of it.
template <class T>
std::optional<T> parsed(const std::string& text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional{value} : std::nullopt;
}

bool is_list(const std::string& text) {
    const json value = json_of(text);
    return value.is_array() && !value.empty() &&
           std::ranges::all_of(value, [](const json& item) { return item.is_number_unsigned(); });
}

}  // namespace

std::vector<Knob> kernel_knobs(const json& description) {
    std::vector<Knob> knobs;
    for (const json& one : description.value("knobs", json::array())) {
        Knob knob = declared(one, "default");
        knob.label = text_at(one, "name");
        knob.path = "kernel." + knob.label;
        knob.group = "kernel";
        knobs.push_back(std::move(knob));
    }
    return knobs;
}

std::vector<Knob> chip_knobs(const json& description) {
    std::vector<Knob> knobs;
    for (const json& one : description.value("parameters", json::array())) {
        Knob knob = declared(one, "value");
        const std::string path = text_at(one, "path");
        const std::size_t dot = path.find('.');
        knob.path = "chip." + path;
        knob.group = dot == std::string::npos ? "chip" : "chip " + path.substr(0, dot);
        knob.label = dot == std::string::npos ? path : path.substr(dot + 1);
        knobs.push_back(std::move(knob));
    }
    return knobs;
}

std::optional<std::string> problem_with(const Knob& knob, const std::string& text) {
    if (!knob.allowed.empty()) {
        return std::ranges::find(knob.allowed, text) != knob.allowed.end()
                   ? std::nullopt
                   : std::optional{fmt::format("must be one of {}", fmt::join(knob.allowed, ", "))};
    }
    if (knob.kind == KnobKind::list) {
        return is_list(text) ? std::nullopt : std::optional<std::string>{"must be a list such as [1024, 64]"};
    }
    if (knob.kind == KnobKind::word) {
        return text.empty() ? std::optional<std::string>{"must not be empty"} : std::nullopt;
    }
    std::optional<double> number = parsed<double>(text);
    if (knob.kind == KnobKind::integer && !parsed<std::int64_t>(text)) {
        return "must be a whole number";
    }
    if (!number) {
        return "must be a number";
    }
    if ((knob.min && *number < *knob.min) || (knob.max && *number > *knob.max)) {
        return "must be " + range_text(knob);
    }
    return std::nullopt;
}

std::string range_text(const Knob& knob) {
    if (!knob.allowed.empty()) {
        return fmt::format("{}", fmt::join(knob.allowed, " | "));
    }
    if (knob.kind == KnobKind::list) {
        return "a list such as [1024, 64]";
    }
    if (knob.min && knob.max) {
        return fmt::format(
            "{:.12g} to {:.12g}{}{}", *knob.min, *knob.max, knob.unit.empty() ? "" : " ", knob.unit);
    }
    return knob.unit;
}

std::string setting_text(const json& value) {
    if (value.is_string()) {
        return value.get<std::string>();
    }
    if (value.is_array()) {
        std::vector<std::string> items;
        for (const json& item : value) {
            items.push_back(setting_text(item));
        }
        return fmt::format("[{}]", fmt::join(items, ", "));
    }
    return value.is_null() ? std::string{} : value.dump();
}

}  // namespace ascendsim::gui
