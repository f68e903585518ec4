// SPDX-License-Identifier: Apache-2.0
#include "sim/config/table_reader.hpp"

#include <algorithm>
#include <limits>

#include "sim/config/text.hpp"

namespace ascendsim {

// ---- Node ----

std::string Node::place() const {
    return line() == 0 ? std::string{"--set"} : fmt::format("{}:{}", file_.name(), line());
}

UserError Node::error(std::string_view message) const {
    return path_.empty() ? UserError{"{}: {}", place(), message}
                         : UserError{"{}: {}: {}", place(), path_, message};
}

std::string Node::shown() const {
    struct Show {
        std::string operator()(const TomlTable&) const { return "a table"; }

        std::string operator()(const TomlArray&) const { return "an array"; }

        std::string operator()(bool value) const { return value ? "true" : "false"; }

        std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }

        std::string operator()(double value) const {
            std::string text = fmt::format("{}", value);
            return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
        }

        std::string operator()(const std::string& value) const { return in_quotes(value); }

        std::string operator()(const TomlDate&) const { return "a date or time"; }
    };

    return std::visit(Show{}, value_->data);
}

UserError Node::wrong_type(std::string_view expected) const {
    return error(fmt::format("{} is not {}", shown(), expected));
}

void Node::check_limits(double value, Limits limits) const {
    if (!(value >= limits.min && value <= limits.max)) {
        throw error(fmt::format("{} is outside [{}, {}]", shown(), limits.min, limits.max));
    }
}

std::uint64_t Node::unsigned_up_to(std::uint64_t max) const {
    const auto* number = std::get_if<std::int64_t>(&value_->data);
    if (number == nullptr) {
        throw wrong_type("a whole number");
    }
    if (*number < 0 || static_cast<std::uint64_t>(*number) > max) {
        throw error(fmt::format("{} is outside [0, {}]", *number, max));
    }
    return static_cast<std::uint64_t>(*number);
}

template <>
bool Node::as<bool>() const {
    if (const auto* value = std::get_if<bool>(&value_->data)) {
        return *value;
    }
    throw wrong_type("true or false");
}

template <>
std::int64_t Node::as<std::int64_t>() const {
    if (const auto* value = std::get_if<std::int64_t>(&value_->data)) {
        return *value;
    }
    throw wrong_type("a whole number");
}

template <>
std::uint32_t Node::as<std::uint32_t>() const {
    return static_cast<std::uint32_t>(unsigned_up_to(std::numeric_limits<std::uint32_t>::max()));
}

template <>
std::uint64_t Node::as<std::uint64_t>() const {
    return unsigned_up_to(static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
}

template <>
double Node::as<double>() const {
    if (const auto* whole = std::get_if<std::int64_t>(&value_->data)) {
        return static_cast<double>(*whole);
    }
    if (const auto* value = std::get_if<double>(&value_->data)) {
        return *value;
    }
    throw wrong_type("a number");
}

template <>
std::string Node::as<std::string>() const {
    if (const auto* value = std::get_if<std::string>(&value_->data)) {
        return *value;
    }
    throw wrong_type("a string");
}

namespace {

/// The name that a table among others goes by, as in --set args.x.type; empty if it has none.
std::string name_of(const TomlValue& item) {
    const auto* table = std::get_if<TomlTable>(&item.data);
    if (table == nullptr) {
        return {};
    }
    const auto found = std::ranges::find(table->members, std::string_view{"name"}, &TomlValue::key);
    const auto* text = found == table->members.end() ? nullptr : std::get_if<std::string>(&found->data);
    return text == nullptr ? std::string{} : *text;
}

}  // namespace

std::vector<Node> Node::items() const {
    const auto* array = std::get_if<TomlArray>(&value_->data);
    if (array == nullptr) {
        throw wrong_type("an array");
    }
    std::vector<Node> result;
    result.reserve(array->items.size());
    for (const TomlValue& item : array->items) {
        const std::string name = name_of(item);
        result.emplace_back(
            file_,
            item,
            name.empty() ? fmt::format("{}[{}]", path_, result.size()) : joined_path(path_, name));
    }
    return result;
}

std::vector<Node> Node::members() const {
    const auto* table = std::get_if<TomlTable>(&value_->data);
    if (table == nullptr) {
        throw wrong_type("a table");
    }
    std::vector<Node> result;
    result.reserve(table->members.size());
    for (const TomlValue& member : table->members) {
        result.emplace_back(file_, member, joined_path(path_, member.key));
    }
    return result;
}

TableReader Node::table() const {
    return TableReader{*this};
}

// ---- TableReader ----

TableReader::TableReader(Node node) : node_{std::move(node)} {
    if (!node_.is_table()) {
        throw node_.wrong_type("a table");
    }
}

const TomlValue* TableReader::lookup(std::string_view key) const {
    const auto& members = std::get<TomlTable>(node_.value_->data).members;
    const auto found = std::ranges::find(members, key, &TomlValue::key);
    return found == members.end() ? nullptr : &*found;
}

Node TableReader::child(const TomlValue& value) const {
    return Node{node_.file_, value, joined_path(node_.path_, value.key)};
}

std::optional<Node> TableReader::find(std::string_view key) {
    if (std::ranges::find(asked_, key) == asked_.end()) {
        asked_.emplace_back(key);
    }
    const TomlValue* value = lookup(key);
    return value == nullptr ? std::nullopt : std::optional{child(*value)};
}

Node TableReader::require(std::string_view key) {
    if (std::optional<Node> node = find(key)) {
        return *std::move(node);
    }
    for (const TomlValue& member : std::get<TomlTable>(node_.value_->data).members) {
        const bool unknown = std::ranges::find(asked_, member.key) == asked_.end();
        if (const std::string hint = unknown ? nearest_hint(member.key, {std::string{key}}) : std::string{};
            !hint.empty()) {
            throw child(member).error("unknown key" + hint);
        }
    }
    throw error(key, "is missing");
}

std::string TableReader::choice(std::string_view key, const std::vector<std::string>& allowed) {
    check(!allowed.empty(), "choice '{}' allows nothing", key);
    const std::optional<Node> node = find(key);
    if (!node) {
        return allowed.front();
    }
    std::string word = node->as<std::string>();
    if (std::ranges::find(allowed, word) != allowed.end()) {
        return word;
    }
    throw node->error(fmt::format(
        "{} is none of {}{}", in_quotes(word), fmt::join(allowed, ", "), nearest_hint(word, allowed)));
}

TableReader TableReader::require_table(std::string_view key) {
    return TableReader{require(key)};
}

std::optional<TableReader> TableReader::find_table(std::string_view key) {
    const std::optional<Node> node = find(key);
    return node ? std::optional{TableReader{*node}} : std::nullopt;
}

std::vector<TableReader> TableReader::tables(std::string_view key) {
    std::vector<TableReader> result;
    if (const std::optional<Node> node = find(key)) {
        for (Node& item : node->items()) {
            result.emplace_back(std::move(item));
        }
    }
    return result;
}

void TableReader::finish() const {
    for (const TomlValue& member : std::get<TomlTable>(node_.value_->data).members) {
        if (std::ranges::find(asked_, member.key) == asked_.end()) {
            throw child(member).error(unknown_name("key", member.key, asked_));
        }
    }
}

UserError TableReader::error(std::string_view key, std::string_view message) const {
    if (const TomlValue* value = lookup(key)) {
        return child(*value).error(message);
    }
    return UserError{"{}: {}: {}", node_.place(), joined_path(node_.path_, key), message};
}

}  // namespace ascendsim
