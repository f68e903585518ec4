// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sim/config/field.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim {

/// A struct whose parameters are declared by a `fields()` table.
template <class T>
concept Described = requires {
    T::fields();
};

/// A type that a field may have.
template <class T>
concept FieldValue = std::same_as<T, bool> || std::same_as<T, std::uint32_t> ||
    std::same_as<T, std::uint64_t> || std::same_as<T, double> || std::same_as<T, std::string>;

/// Calls `f(path, value, field)` for each field of a struct in the order declared, groups depth first. `path`
/// is a std::string such as `vector.exp.head`, `value` a reference into `spec`, `field` the Field that
/// declares it.
template <class Spec, class F>
requires Described<std::remove_const_t<Spec>>

void visit_fields(Spec& spec, F&& f, const std::string& prefix = {}) {
    const auto visit = [&]<class Entry>(const Entry& entry) {
        auto& value = spec.*(entry.member);
        if constexpr (Described<std::remove_cvref_t<decltype(value)>>) {
            visit_fields(value, f, prefix + std::string{entry.name} + ".");
        } else {
            static_assert(FieldValue<std::remove_cvref_t<decltype(value)>>);
            f(prefix + std::string{entry.name}, value, entry);
        }
    };
    std::apply([&](const auto&... entry) { (visit(entry), ...); }, std::remove_const_t<Spec>::fields());
}

/// One field of a struct in memory, without its types: what readers, `describe` and knobs work on.
struct FieldRef {
    std::string path;
    std::variant<bool*, std::uint32_t*, std::uint64_t*, double*, std::string*> value;
    double min;
    double max;
    std::string_view unit;
    std::string_view meaning;

    /// The value as written in a file: `true`, `24`, `1.85`, `text`.
    [[nodiscard]] std::string text() const;

    /// Sets the value from a text. Throws UserError "`where``path`: …" if it is not of the type or outside
    /// the range.
    void assign(std::string_view text, std::string_view where = {}) const;

    /// Sets the value from a node of a TOML file, with the same checks.
    void assign(const Node& node) const;
};

/// All fields of a struct, in the order declared. They point into `spec`.
template <Described Spec>
[[nodiscard]] std::vector<FieldRef> fields_of(Spec& spec) {
    std::vector<FieldRef> result;
    visit_fields(spec, [&](std::string path, auto& value, const auto& field) {
        result.push_back({std::move(path), &value, field.min, field.max, field.unit, field.meaning});
    });
    return result;
}

/// Where a value comes from.
struct Provenance {
    std::string tag;     // confidence: one of provenance_tags(), or "set" for an override
    std::string source;  // where the value was published, or what it was inferred from
    std::string place;   // file:line, or the option that set it
};

/// Provenance by field path, such as `cores.aic`.
using ProvenanceTable = std::map<std::string, Provenance, std::less<>>;

/// The confidence tags a value may carry; docs/sources.md explains them.
[[nodiscard]] const std::vector<std::string>& provenance_tags();

/// What a reader of fields insists on.
enum class Completeness {
    partial,      // missing fields keep their values; plain values are fine: scenarios, overrides
    with_source,  // missing fields keep their values; those given carry tag and source: variants of a chip
};

/// Reads the fields that `table` gives into `fields`: groups are sub-tables, a value is plain or
/// `{ value = 24, tag = "V", source = "S1" }`. Keys already asked of `table` are left alone. Throws UserError
/// with place and path for unknown keys, wrong types, values outside their range and unknown tags. Notes
/// where each came from.
void read_fields(const std::vector<FieldRef>& fields,
                 const TableReader& table,
                 Completeness completeness,
                 ProvenanceTable& provenance);

/// Sets the field at `path` from a text, as in `--set chip.l2.gb_per_s=5000`; `where` precedes the path in
/// messages
/// ("--set chip."). Throws UserError with the nearest path, or with the range or type it offends.
void set_field(const std::vector<FieldRef>& fields,
               std::string_view path,
               std::string_view text,
               std::string_view where = {});

template <Described Spec>
void set_field(Spec& spec, std::string_view path, std::string_view text, std::string_view where = {}) {
    set_field(fields_of(spec), path, text, where);
}

/// The fields as nested JSON objects, in the order declared.
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<FieldRef>& fields);

}  // namespace ascendsim
