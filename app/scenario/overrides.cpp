// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/overrides.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "sim/base/error.hpp"

namespace ascendsim::scenario {
namespace {

/// `text` as a TOML value; a text that is none is a string.
TomlValue parse_value(const std::string& text) {
    const bool one_line = text.find('\n') == std::string::npos;
    try {
        const TomlFile file = TomlFile::parse("value = " + (one_line ? text : std::string{}), "--set");
        const auto& members = std::get<TomlTable>(file.root().data).members;
        if (members.size() == 1) {
            return members.front();
        }
    } catch (const UserError&) {
        // Not TOML: a bare word.
    }
    return {.key = {}, .line = 0, .data = text};
}

void mark_set(TomlValue& value) {
    value.line = 0;
    if (auto* array = std::get_if<TomlArray>(&value.data)) {
        std::ranges::for_each(array->items, mark_set);
    } else if (auto* table = std::get_if<TomlTable>(&value.data)) {
        std::ranges::for_each(table->members, mark_set);
    }
}

bool has_name(const TomlValue& item, std::string_view name) {
    const auto* table = std::get_if<TomlTable>(&item.data);
    return table != nullptr && std::ranges::any_of(table->members, [&](const TomlValue& member) {
               const auto* text = std::get_if<std::string>(&member.data);
               return member.key == "name" && text != nullptr && *text == name;
           });
}

/// The field of that name of a struct or of tiling data, whose table holds them in `fields`; null if it has
/// none.
TomlValue* field_of(TomlTable& table, std::string_view name) {
    const auto fields = std::ranges::find(table.members, std::string_view{"fields"}, &TomlValue::key);
    auto* array = fields == table.members.end() ? nullptr : std::get_if<TomlArray>(&fields->data);
    if (array == nullptr) {
        return nullptr;
    }
    const auto found =
        std::ranges::find_if(array->items, [&](const TomlValue& item) { return has_name(item, name); });
    return found == array->items.end() ? nullptr : &*found;
}

/// The names of an array's tables, by which paths lead to them.
std::vector<std::string> names_in(const TomlArray& array) {
    std::vector<std::string> names;
    for (const TomlValue& item : array.items) {
        if (const auto* members = std::get_if<TomlTable>(&item.data)) {
            for (const TomlValue& member : members->members) {
                if (const auto* name = std::get_if<std::string>(&member.data);
                    name != nullptr && member.key == "name") {
                    names.push_back(*name);
                }
            }
        }
    }
    return names;
}

/// The entry of `array[4]`, counted from 0; null if `key` is no such word.
TomlValue* entry_of(TomlTable& table, std::string_view key, const Override& set) {
    const std::size_t open = key.find('[');
    if (open == std::string_view::npos || !key.ends_with(']')) {
        return nullptr;
    }
    const auto found = std::ranges::find(table.members, key.substr(0, open), &TomlValue::key);
    auto* array = found == table.members.end() ? nullptr : std::get_if<TomlArray>(&found->data);
    std::size_t number = 0;
    const std::string_view digits = key.substr(open + 1, key.size() - open - 2);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || end != digits.data() + digits.size()) {
        return nullptr;
    }
    if (array == nullptr) {
        throw UserError{"--set {}={}: there is no list '{}' of which entry [{}] could be set",
                        set.path,
                        set.value,
                        key.substr(0, open),
                        number};
    }
    if (number >= array->items.size()) {
        throw UserError{"--set {}={}: '{}' has {} entries, [0] to [{}]",
                        set.path,
                        set.value,
                        found->key,
                        array->items.size(),
                        array->items.size() - 1};
    }
    return &array->items[number];
}

/// A struct has its fields and nothing else that could be set by a name of its own.
void refuse_unknown_field(const TomlTable& table, std::string_view key, const Override& set) {
    const auto fields = std::ranges::find(table.members, std::string_view{"fields"}, &TomlValue::key);
    const auto* array = fields == table.members.end() ? nullptr : std::get_if<TomlArray>(&fields->data);
    if (array == nullptr) {
        return;
    }
    const std::vector<std::string> names = names_in(*array);
    throw UserError{"--set {}={}: no field '{}'{} (there are: {})",
                    set.path,
                    set.value,
                    key,
                    nearest_hint(key, names),
                    fmt::join(names, ", ")};
}

/// The member `key` of a table, made if missing; in an array of tables the one of that name.
TomlValue& step(TomlValue& value, std::string_view key, const Override& set) {
    if (auto* array = std::get_if<TomlArray>(&value.data)) {
        const auto found =
            std::ranges::find_if(array->items, [&](const TomlValue& item) { return has_name(item, key); });
        if (found != array->items.end()) {
            return *found;
        }
        const std::vector<std::string> names = names_in(*array);
        throw UserError{"--set {}={}: nothing in '{}' has the name '{}'{} (there are: {})",
                        set.path,
                        set.value,
                        value.key,
                        key,
                        nearest_hint(key, names),
                        fmt::join(names, ", ")};
    }
    auto* table = std::get_if<TomlTable>(&value.data);
    if (table == nullptr) {
        throw UserError{"--set {}={}: '{}' is a value, not a table", set.path, set.value, value.key};
    }
    const auto found = std::ranges::find(table->members, key, &TomlValue::key);
    if (found != table->members.end()) {
        return *found;
    }
    refuse_unknown_field(*table, key, set);
    table->members.push_back({.key = std::string{key}, .line = 0, .data = TomlTable{}});
    return table->members.back();
}

/// The value that a path leads to; tables on the way are made.
TomlValue& place_of(TomlValue& root, const Override& set) {
    TomlValue* place = &root;
    std::string_view rest = set.path;
    while (!rest.empty()) {
        const std::size_t dot = std::min(rest.find('.'), rest.size());
        const std::string_view key = rest.substr(0, dot);
        rest.remove_prefix(std::min(dot + 1, rest.size()));
        auto* table = std::get_if<TomlTable>(&place->data);
        const bool known = table != nullptr &&
                           std::ranges::find(table->members, key, &TomlValue::key) != table->members.end();
        if (TomlValue* const entry = table == nullptr || known ? nullptr : entry_of(*table, key, set)) {
            place = entry;
            continue;
        }
        // args.tiling.tile stands for args.tiling.fields.tile.value.
        if (TomlValue* const field = table == nullptr || known ? nullptr : field_of(*table, key)) {
            place = rest.empty() ? &step(*field, "value", set) : field;
        } else {
            place = &step(*place, key, set);
        }
    }
    return *place;
}

/// The member of that name of a table; null if it is none, or has none.
TomlValue* member_of(TomlValue* value, std::string_view name) {
    auto* table = value == nullptr ? nullptr : std::get_if<TomlTable>(&value->data);
    if (table == nullptr) {
        return nullptr;
    }
    const auto found = std::ranges::find(table->members, name, &TomlValue::key);
    return found == table->members.end() ? nullptr : &*found;
}

/// Words behind `--` become the program's arguments before these, or one of them, are set.
void settle_words(TomlValue& root, const Override& set) {
    const std::string arguments = "program.arguments";
    TomlValue* const command = member_of(&root, "command");
    TomlValue* const words = member_of(command, "arguments");
    if (!set.path.starts_with(arguments) || words == nullptr) {
        return;
    }
    TomlValue taken = std::move(*words);
    std::erase_if(std::get<TomlTable>(command->data).members,
                  [](const TomlValue& member) { return member.key == "arguments"; });
    place_of(root, {.path = arguments, .value = {}}) = std::move(taken);
}

void apply(TomlValue& root, const Override& set) {
    settle_words(root, set);
    TomlValue& place = place_of(root, set);
    TomlValue value = parse_value(set.value);
    mark_set(value);
    value.key = place.key;
    place = std::move(value);
}

}  // namespace

Override parse_override(std::string_view text) {
    const std::size_t equals = text.find('=');
    constexpr std::size_t max_steps = 16;
    if (equals == std::string_view::npos || equals == 0) {
        throw UserError{"--set {}: must be path=value, as in kernel.schedule=fused", text};
    }
    const std::string_view path = text.substr(0, equals);
    if (path.front() == '.' || path.back() == '.' || path.find("..") != std::string_view::npos ||
        static_cast<std::size_t>(std::ranges::count(path, '.')) > max_steps) {
        throw UserError{"--set {}: '{}' is no path", text, path};
    }
    return {.path = std::string{path}, .value = std::string{text.substr(equals + 1)}};
}

TomlFile with_overrides(const TomlFile& file, const std::vector<Override>& overrides) {
    TomlValue root = file.root();
    for (const Override& set : overrides) {
        apply(root, set);
    }
    return file.with_root(std::move(root));
}

namespace {

/// As TOML writes a text of one line: in an array a word of its own would be no value, and "1" a number.
std::string toml_text(std::string_view words) {
    constexpr unsigned char first_printed = 0x20;
    constexpr unsigned char deleted = 0x7F;
    std::string result = "\"";
    for (const char letter : words) {
        const auto byte = static_cast<unsigned char>(letter);
        if (letter == '\n' || letter == '\t') {
            result += letter == '\n' ? "\\n" : "\\t";
            continue;
        }
        if (byte < first_printed || byte == deleted) {
            result += fmt::format("\\u{:04X}", byte);
            continue;
        }
        result += letter == '"' || letter == '\\' ? "\\" : "";
        result += letter;
    }
    return result + "\"";
}

}  // namespace

std::string text_at(const TomlFile& file, const std::string& path) {
    TomlValue root = file.root();
    try {
        const TomlValue& place = place_of(root, {.path = path, .value = {}});
        return std::holds_alternative<TomlTable>(place.data) ? std::string{} : text(place);
    } catch (const UserError&) {
        return {};  // the path leads nowhere
    }
}

std::string text(const TomlValue& value) {
    struct Show {
        std::string operator()(const TomlTable& /*table*/) const { return "{…}"; }

        std::string operator()(const TomlArray& array) const {
            std::string result = "[";
            for (const TomlValue& item : array.items) {
                const auto* const words = std::get_if<std::string>(&item.data);
                result +=
                    (result.size() > 1 ? ", " : "") + (words != nullptr ? toml_text(*words) : text(item));
            }
            return result + "]";
        }

        std::string operator()(const TomlDate& /*date*/) const { return "a date"; }

        std::string operator()(const std::string& words) const { return words; }

        std::string operator()(bool flag) const { return flag ? "true" : "false"; }

        std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }

        std::string operator()(double number) const {
            const std::string shown = fmt::format("{}", number);
            return shown.find_first_of(".en") == std::string::npos ? shown + ".0" : shown;
        }
    };

    return std::visit(Show{}, value.data);
}

nlohmann::ordered_json json_of_setting(const std::string& value) {
    const TomlValue parsed = parse_value(value);
    if (const auto* const whole = std::get_if<std::int64_t>(&parsed.data)) {
        return *whole;
    }
    const auto* const real = std::get_if<double>(&parsed.data);
    return real != nullptr && std::isfinite(*real) ? nlohmann::ordered_json(*real)
                                                   : nlohmann::ordered_json(value);
}

std::string run_name(const std::filesystem::path& file) {
    constexpr std::array<std::string_view, 5> sources{"src", "source", "host", "op_host", "app"};
    std::string stem = file.stem().string();
    if (stem != "main") {
        return stem;
    }
    std::filesystem::path folder = std::filesystem::absolute(file).lexically_normal().parent_path();
    if (std::ranges::find(sources, folder.filename().string()) != sources.end() && folder.has_parent_path()) {
        folder = folder.parent_path();
    }
    return folder.has_filename() ? folder.filename().string() : stem;
}

}  // namespace ascendsim::scenario
