// SPDX-License-Identifier: Apache-2.0
#include "sim/config/toml_file.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>
#include <type_traits>

#include <toml++/toml.h>

#include "sim/base/missing_file.hpp"
#include "sim/config/table_reader.hpp"
#include "sim/config/toml_depth.hpp"

namespace ascendsim {
namespace {

constexpr std::uintmax_t max_file_bytes = 16U << 20U;  // a configuration of this size is a wrong file
constexpr std::uint32_t max_key_dots = 16;             // ours go to 3

TomlValue convert(const toml::node& node, std::string_view key);

TomlTable convert_table(const toml::table& table) {
    TomlTable result;
    result.members.reserve(table.size());
    for (const auto& [key, value] : table) {
        result.members.push_back(convert(value, key.str()));
    }
    std::ranges::stable_sort(result.members, {}, &TomlValue::line);
    return result;
}

TomlArray convert_array(const toml::array& array) {
    TomlArray result;
    result.items.reserve(array.size());
    for (const toml::node& item : array) {
        result.items.push_back(convert(item, {}));
    }
    return result;
}

TomlValue convert(const toml::node& node, std::string_view key) {
    TomlValue result{
        .key = std::string{key}, .line = std::max(1U, std::uint32_t{node.source().begin.line}), .data = {}};
    node.visit([&](const auto& typed) {
        using Node = std::remove_cvref_t<decltype(typed)>;
        if constexpr (std::is_same_v<Node, toml::table>) {
            result.data = convert_table(typed);
        } else if constexpr (std::is_same_v<Node, toml::array>) {
            result.data = convert_array(typed);
        } else if constexpr (toml::is_date<Node> || toml::is_time<Node> || toml::is_date_time<Node>) {
            result.data = TomlDate{};
        } else {
            result.data = typed.get();
        }
    });
    return result;
}

}  // namespace

TomlFile TomlFile::parse(std::string_view text, std::string name) {
    if (const std::uint32_t line = line_of_too_deep_key(text, max_key_dots)) {
        throw UserError{"{}:{}: a key has more than {} dots", name, line, max_key_dots};
    }
    try {
        const toml::table table = toml::parse(text);
        TomlValue root{.key = {}, .line = 1, .data = convert_table(table)};
        return TomlFile{{.name = std::move(name), .root = std::move(root)}};
    } catch (const toml::parse_error& error) {
        const toml::source_position at = error.source().begin;
        throw UserError{"{}:{}:{}: {}", name, at.line, at.column, error.description()};
    }
}

TomlFile TomlFile::open(const std::filesystem::path& path) {
    std::error_code failure;
    const auto status = std::filesystem::status(path, failure);
    if (!std::filesystem::exists(status)) {
        throw UserError{"{}: {}", path.string(), why_unreadable(path)};
    }
    if (!std::filesystem::is_regular_file(status)) {
        throw UserError{"{}: not a file", path.string()};
    }
    const std::uintmax_t bytes = std::filesystem::file_size(path, failure);
    if (!failure && bytes > max_file_bytes) {
        throw UserError{
            "{}: {} bytes are too many for a TOML file, at most {}", path.string(), bytes, max_file_bytes};
    }
    std::ifstream stream{path, std::ios::binary};
    if (!stream) {
        throw UserError{"{}: cannot be read", path.string()};
    }
    const std::string text{std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}};
    return parse(text, path.string());
}

std::filesystem::path TomlFile::folder() const {
    return std::filesystem::path{name()}.parent_path();
}

TableReader TomlFile::reader() const {
    return TableReader{Node{*this, root(), {}}};
}

}  // namespace ascendsim
