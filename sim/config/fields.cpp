// SPDX-License-Identifier: Apache-2.0
#include "sim/config/fields.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <nlohmann/json.hpp>

#include "sim/config/text.hpp"

namespace ascendsim {
namespace {

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    return whole ? std::optional{value} : std::nullopt;
}

class FieldReader {
public:
    FieldReader(const std::vector<FieldRef>& fields, Completeness completeness, ProvenanceTable& provenance)
        : completeness_{completeness}, provenance_{provenance} {
        for (const FieldRef& field : fields) {
            by_path_.emplace(field.path, &field);
        }
    }

    /// Reads the members of one table, whose path within the struct is `prefix`, except those in `taken`.
    void read(const Node& table, const std::string& prefix, const std::vector<std::string>& taken) {
        for (const Node& member : table.members()) {
            if (std::ranges::find(taken, member.key()) != taken.end()) {
                continue;
            }
            const std::string path = prefix + member.key();
            if (const auto field = by_path_.find(path); field != by_path_.end()) {
                read_field(*field->second, member);
            } else if (is_group(path)) {
                read(member, path + ".", {});
            } else {
                throw member.error(unknown_name("key", member.key(), names_under(prefix, taken)));
            }
        }
    }

private:
    [[nodiscard]] bool is_group(const std::string& path) const {
        const auto next = by_path_.lower_bound(path + ".");
        return next != by_path_.end() && next->first.starts_with(path + ".");
    }

    [[nodiscard]] std::vector<std::string> names_under(const std::string& prefix,
                                                       std::vector<std::string> names) const {
        for (const auto& [path, field] : by_path_) {
            if (path.starts_with(prefix)) {
                std::string name{path.substr(prefix.size())};
                name.resize(std::min(name.size(), name.find('.')));
                if (std::ranges::find(names, name) == names.end()) {
                    names.push_back(std::move(name));
                }
            }
        }
        return names;
    }

    void read_field(const FieldRef& field, const Node& node) {
        if (!node.is_table()) {
            if (completeness_ == Completeness::with_source) {
                throw node.error("has no source; write { value = …, tag = \"…\", source = \"…\" }");
            }
            field.assign(node);
            provenance_[field.path] = {.tag = "set", .source = node.file().name(), .place = node.place()};
            return;
        }
        TableReader table{node};
        const Node value = table.require("value");
        const Node source = table.require("source");
        if (!table.find("tag")) {
            throw table.error("tag", "is missing");
        }
        Provenance entry{.tag = table.choice("tag", provenance_tags()),
                         .source = source.as<std::string>(),
                         .place = node.place()};
        table.finish();
        if (entry.source.empty()) {
            throw source.error("is empty");
        }
        field.assign(Node{value.file(), value.value(), node.path()});
        provenance_[field.path] = std::move(entry);
    }

    std::map<std::string_view, const FieldRef*> by_path_;
    Completeness completeness_;
    ProvenanceTable& provenance_;
};

/// Paths of the fields that `wanted` picks.
template <class Wanted>
std::vector<std::string> paths_of(const std::vector<FieldRef>& fields, Wanted&& wanted) {
    std::vector<std::string> paths;
    for (const FieldRef& field : fields) {
        if (wanted(std::string_view{field.path})) {
            paths.push_back(field.path);
        }
    }
    return paths;
}

/// Explains a path that is no field's: a group, the end of a path, or a misspelling.
UserError unknown_path(const std::vector<FieldRef>& fields, std::string_view path, std::string_view where) {
    const std::string inside = fmt::format("{}.", path);
    const std::string ending = fmt::format(".{}", path);
    const auto under = paths_of(fields, [&](std::string_view name) { return name.starts_with(inside); });
    if (!under.empty()) {
        return UserError{"{}{}: is a group of {}", where, path, fmt::join(under, ", ")};
    }
    const auto same_end = paths_of(fields, [&](std::string_view name) { return name.ends_with(ending); });
    if (!same_end.empty()) {
        return UserError{
            "{}{}: unknown parameter, did you mean {}?", where, path, fmt::join(same_end, " or ")};
    }
    const std::string_view group =
        path.substr(0, path.rfind('.') == std::string_view::npos ? 0 : path.rfind('.') + 1);
    auto known = paths_of(fields, [&](std::string_view name) { return name.starts_with(group); });
    if (known.empty()) {
        known = paths_of(fields, [](std::string_view) { return true; });
    }
    const std::string shown = in_quotes(path);
    return UserError{
        "{}{}: {}", where, shown.substr(1, shown.size() - 2), unknown_name("parameter", path, known)};
}

}  // namespace

std::string FieldRef::text() const {
    return std::visit(
        [](const auto* typed) {
            if constexpr (std::is_same_v<decltype(typed), const std::string*>) {
                return *typed;
            } else {
                return fmt::format("{}", *typed);
            }
        },
        value);
}

void FieldRef::assign(const Node& node) const {
    std::visit(
        [&]<class T>(T* target) {
            if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string>) {
                *target = node.as<T>();
            } else if constexpr (std::is_same_v<T, std::uint32_t>) {
                *target = static_cast<T>(
                    node.as<std::int64_t>(Limits{std::max(min, 0.0), std::min(max, 4294967295.0)}));
            } else if constexpr (std::is_same_v<T, std::uint64_t>) {
                *target = static_cast<T>(node.as<std::int64_t>(Limits{std::max(min, 0.0), max}));
            } else {
                *target = node.as<T>(Limits{min, max});
            }
        },
        value);
}

void FieldRef::assign(std::string_view given, std::string_view where) const {
    const auto fail = [&](std::string_view expected) {
        return UserError{"{}{}: {} is not {}", where, path, in_quotes(given), expected};
    };
    const auto number = [&](auto parsed, std::string_view expected) {
        if (!parsed) {
            throw fail(expected);
        }
        const auto checked = static_cast<double>(*parsed);
        if (!(checked >= min && checked <= max)) {
            throw UserError{"{}{}: {} is outside [{}, {}]", where, path, *parsed, min, max};
        }
        return *parsed;
    };
    std::visit(
        [&]<class T>(T* target) {
            if constexpr (std::is_same_v<T, bool>) {
                if (given != "true" && given != "false") {
                    throw fail("true or false");
                }
                *target = given == "true";
            } else if constexpr (std::is_same_v<T, std::string>) {
                *target = std::string{given};
            } else if constexpr (std::is_same_v<T, double>) {
                *target = number(parse_number<double>(given), "a number");
            } else {
                const auto whole = number(parse_number<std::int64_t>(given), "a whole number");
                *target = static_cast<T>(whole);
            }
        },
        value);
}

const std::vector<std::string>& provenance_tags() {
    static const std::vector<std::string> tags{"V", "VF", "M", "CA", "3P", "I", "calibrated"};
    return tags;
}

void read_fields(const std::vector<FieldRef>& fields,
                 const TableReader& table,
                 Completeness completeness,
                 ProvenanceTable& provenance) {
    FieldReader{fields, completeness, provenance}.read(table.node(), {}, table.asked());
}

void set_field(const std::vector<FieldRef>& fields,
               std::string_view path,
               std::string_view text,
               std::string_view where) {
    const auto found = std::ranges::find(fields, path, &FieldRef::path);
    if (found != fields.end()) {
        found->assign(text, where);
        return;
    }
    throw unknown_path(fields, path, where);
}

nlohmann::ordered_json to_json(const std::vector<FieldRef>& fields) {
    nlohmann::ordered_json result = nlohmann::ordered_json::object();
    for (const FieldRef& field : fields) {
        nlohmann::ordered_json* at = &result;
        std::string_view rest = field.path;
        for (auto dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
            at = &(*at)[std::string{rest.substr(0, dot)}];
            rest.remove_prefix(dot + 1);
        }
        std::visit([&](const auto* typed) { (*at)[std::string{rest}] = *typed; }, field.value);
    }
    return result;
}

}  // namespace ascendsim
