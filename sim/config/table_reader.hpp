// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/toml_file.hpp"

namespace ascendsim {

class TableReader;

/// A type that a TOML value can be read as.
template <class T>
concept TomlReadable =
    std::same_as<T, bool> || std::same_as<T, std::int64_t> || std::same_as<T, std::uint32_t> ||
    std::same_as<T, std::uint64_t> || std::same_as<T, double> || std::same_as<T, std::string>;

/// Allowed values of a number, both ends included.
struct Limits {
    double min;
    double max;
};

/// One value of a TOML file: what it is, where it stands (`file:line`) and its path (`args[2].shape`).
class Node {
public:
    Node(TomlFile file, const TomlValue& value, std::string path)
        : file_{std::move(file)}, value_{&value}, path_{std::move(path)} {}

    /// The value as a T. Throws UserError naming place, path, found and expected if it is of another type.
    template <TomlReadable T>
    [[nodiscard]] T as() const;

    /// The value as a T, checked against `limits`.
    template <TomlReadable T>
    [[nodiscard]] T as(Limits limits) const {
        const T value = as<T>();
        check_limits(static_cast<double>(value), limits);
        return value;
    }

    /// The elements of an array.
    [[nodiscard]] std::vector<Node> items() const;

    /// All elements of an array as T.
    template <TomlReadable T>
    [[nodiscard]] std::vector<T> list() const {
        std::vector<T> result;
        for (const Node& item : items()) {
            result.push_back(item.as<T>());
        }
        return result;
    }

    /// The members of a table.
    [[nodiscard]] std::vector<Node> members() const;

    [[nodiscard]] TableReader table() const;

    [[nodiscard]] bool is_table() const { return std::holds_alternative<TomlTable>(value_->data); }

    [[nodiscard]] bool is_array() const { return std::holds_alternative<TomlArray>(value_->data); }

    [[nodiscard]] bool is_string() const { return std::holds_alternative<std::string>(value_->data); }

    [[nodiscard]] const std::string& key() const { return value_->key; }

    [[nodiscard]] const std::string& path() const { return path_; }

    [[nodiscard]] const TomlFile& file() const { return file_; }

    [[nodiscard]] const TomlValue& value() const { return *value_; }

    [[nodiscard]] std::uint32_t line() const { return value_->line; }

    /// `file:line`.
    [[nodiscard]] std::string place() const;

    /// What was written, for messages: `"abc"`, `12`, `a table`.
    [[nodiscard]] std::string shown() const;

    /// A UserError of the form `file:line: path: message`, to be thrown by the caller.
    [[nodiscard]] UserError error(std::string_view message) const;

private:
    friend class TableReader;

    [[nodiscard]] UserError wrong_type(std::string_view expected) const;
    [[nodiscard]] std::uint64_t unsigned_up_to(std::uint64_t max) const;
    void check_limits(double value, Limits limits) const;

    TomlFile file_;
    const TomlValue* value_;  // lives as long as file_
    std::string path_;
};

template <>
bool Node::as<bool>() const;
template <>
std::int64_t Node::as<std::int64_t>() const;
template <>
std::uint32_t Node::as<std::uint32_t>() const;
template <>
std::uint64_t Node::as<std::uint64_t>() const;
template <>
double Node::as<double>() const;
template <>
std::string Node::as<std::string>() const;

/// Reads a table key by key, remembers what was asked for, and reports what nobody asked for in finish().
class TableReader {
public:
    /// Throws UserError unless `node` is a table.
    explicit TableReader(Node node);

    /// The value of a key that must be there. Throws UserError if it is missing.
    [[nodiscard]] Node require(std::string_view key);

    /// The value of a key, if there.
    [[nodiscard]] std::optional<Node> find(std::string_view key);

    template <TomlReadable T>
    [[nodiscard]] T get(std::string_view key) {
        return require(key).as<T>();
    }

    template <TomlReadable T>
    [[nodiscard]] T get(std::string_view key, Limits limits) {
        return require(key).as<T>(limits);
    }

    template <TomlReadable T>
    [[nodiscard]] T get_or(std::string_view key, T fallback) {
        const std::optional<Node> node = find(key);
        return node ? node->as<T>() : fallback;
    }

    template <TomlReadable T>
    [[nodiscard]] T get_or(std::string_view key, T fallback, Limits limits) {
        const std::optional<Node> node = find(key);
        return node ? node->as<T>(limits) : fallback;
    }

    /// The elements of an array as T; empty if the key is missing.
    template <TomlReadable T>
    [[nodiscard]] std::vector<T> list(std::string_view key) {
        const std::optional<Node> node = find(key);
        return node ? node->list<T>() : std::vector<T>{};
    }

    /// One word of `allowed`, the first of which stands for a missing key. Throws UserError naming them all.
    [[nodiscard]] std::string choice(std::string_view key, const std::vector<std::string>& allowed);

    /// The sub-table of a key that must be there.
    [[nodiscard]] TableReader require_table(std::string_view key);

    /// The sub-table of a key, if there.
    [[nodiscard]] std::optional<TableReader> find_table(std::string_view key);

    /// The tables of an array of tables (`[[key]]`); empty if the key is missing.
    [[nodiscard]] std::vector<TableReader> tables(std::string_view key);

    /// Throws UserError for the first key nobody asked for, with the nearest of those that were.
    void finish() const;

    /// Keys asked for so far.
    [[nodiscard]] const std::vector<std::string>& asked() const { return asked_; }

    [[nodiscard]] const Node& node() const { return node_; }

    /// A UserError at the key's line, or at the table's if the key is missing: `file:line: path: message`.
    [[nodiscard]] UserError error(std::string_view key, std::string_view message) const;

private:
    [[nodiscard]] const TomlValue* lookup(std::string_view key) const;
    [[nodiscard]] Node child(const TomlValue& value) const;

    Node node_;
    std::vector<std::string> asked_;
};

}  // namespace ascendsim
