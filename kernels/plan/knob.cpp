// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/knob.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/ranges.h>

namespace ascendsim::host {
namespace {

constexpr double largest_extent = 1099511627776.0;  // 2^40
constexpr std::array all_types{isa::DataType::int4,
                               isa::DataType::int8,
                               isa::DataType::uint8,
                               isa::DataType::int16,
                               isa::DataType::uint16,
                               isa::DataType::int32,
                               isa::DataType::uint32,
                               isa::DataType::int64,
                               isa::DataType::uint64,
                               isa::DataType::half,
                               isa::DataType::bfloat16,
                               isa::DataType::float32,
                               isa::DataType::float64,
                               isa::DataType::boolean};

constexpr std::string_view type_names[]{
    "true or false", "an integer", "a number", "a word", "a list of extents"};

template <class T>
std::optional<T> parse_number(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return value;
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<Shape> parse_shape(std::string_view text) {
    text = trimmed(text);
    if (text.size() >= 2 && text.front() == '[' && text.back() == ']') {
        text = trimmed(text.substr(1, text.size() - 2));
    }
    Shape shape;
    while (!text.empty()) {
        const auto comma = std::min(text.find(','), text.size());
        const auto extent = parse_number<std::uint64_t>(trimmed(text.substr(0, comma)));
        if (!extent) {
            return std::nullopt;
        }
        shape.push_back(*extent);
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return shape;
}

/// `text` read as the alternative that `like` holds.
std::optional<KnobValue> parse_like(const KnobValue& like, std::string_view text) {
    const auto wrap = [](auto&& value) -> std::optional<KnobValue> {
        return value ? std::optional<KnobValue>{*value} : std::nullopt;
    };
    if (std::holds_alternative<bool>(like)) {
        return text == "true" || text == "false" ? std::optional<KnobValue>{text == "true"} : std::nullopt;
    }
    if (std::holds_alternative<std::int64_t>(like)) {
        return wrap(parse_number<std::int64_t>(text));
    }
    if (std::holds_alternative<double>(like)) {
        return wrap(parse_number<double>(text));
    }
    if (std::holds_alternative<Shape>(like)) {
        return wrap(parse_shape(text));
    }
    return KnobValue{std::string{text}};
}

std::string opening(std::string_view place) {
    return place.empty() ? std::string{} : fmt::format("{}: ", place);
}

bool in_range(const Knob& knob, const KnobValue& value) {
    const auto within = [&](double number) { return number >= knob.min && number <= knob.max; };
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        return within(static_cast<double>(*integer));
    }
    if (const auto* real = std::get_if<double>(&value)) {
        return within(*real);
    }
    if (const auto* extents = std::get_if<Shape>(&value)) {
        return std::ranges::all_of(*extents,
                                   [&](std::uint64_t extent) { return within(static_cast<double>(extent)); });
    }
    return true;
}

}  // namespace

std::uint64_t elements(const Shape& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies<>{});
}

std::string text(const Shape& shape) {
    return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::string text(const KnobValue& value) {
    return std::visit(
        []<class T>(const T& held) {
            if constexpr (std::is_same_v<T, Shape>) {
                return text(held);
            } else {
                return fmt::format("{}", held);
            }
        },
        value);
}

Knob Knob::flag(std::string name, bool value, std::string meaning) {
    return {
        .name = std::move(name), .value = value, .allowed = {}, .unit = {}, .meaning = std::move(meaning)};
}

Knob Knob::integer(std::string name,
                   std::int64_t value,
                   std::int64_t min,
                   std::int64_t max,
                   std::string unit,
                   std::string meaning) {
    return {.name = std::move(name),
            .value = value,
            .allowed = {},
            .min = static_cast<double>(min),
            .max = static_cast<double>(max),
            .unit = std::move(unit),
            .meaning = std::move(meaning)};
}

Knob Knob::real(
    std::string name, double value, double min, double max, std::string unit, std::string meaning) {
    return {.name = std::move(name),
            .value = value,
            .allowed = {},
            .min = min,
            .max = max,
            .unit = std::move(unit),
            .meaning = std::move(meaning)};
}

Knob Knob::word(std::string name, std::vector<std::string> allowed, std::string meaning) {
    check(!allowed.empty(), "knob '{}' allows no word", name);
    const std::string first = allowed.front();
    return {.name = std::move(name),
            .value = first,
            .allowed = std::move(allowed),
            .unit = {},
            .meaning = std::move(meaning)};
}

Knob Knob::type(std::string name, const std::vector<isa::DataType>& allowed, std::string meaning) {
    std::vector<std::string> words;
    for (const isa::DataType type : allowed) {
        words.emplace_back(isa::name(type));
    }
    return word(std::move(name), std::move(words), std::move(meaning));
}

Knob Knob::shape(std::string name, Shape value, std::string meaning) {
    return {.name = std::move(name),
            .value = std::move(value),
            .allowed = {},
            .min = 0,
            .max = largest_extent,
            .unit = "elements",
            .meaning = std::move(meaning)};
}

isa::DataType parse_type(std::string_view name, std::string_view where) {
    std::vector<std::string> names;
    for (const isa::DataType type : all_types) {
        names.emplace_back(isa::name(type));
    }
    const auto found = std::ranges::find(names,
                                         name == "half"    ? "float16"
                                         : name == "float" ? "float32"
                                                           : name);
    if (found == names.end()) {
        throw UserError{"{}'{}' is no element type{} (known: {})",
                        opening(where),
                        name,
                        nearest_hint(name, names),
                        fmt::join(names, ", ")};
    }
    return all_types[static_cast<std::size_t>(found - names.begin())];
}

Knobs::Knobs(std::vector<Knob> declared) : knobs_{std::move(declared)} {}

void Knobs::set(std::string_view name, const KnobValue& value, std::string place) {
    Knob& knob = find_declared(name, place);
    KnobValue taken = value;
    if (const auto* integer = std::get_if<std::int64_t>(&value);
        integer != nullptr && std::holds_alternative<double>(knob.value)) {
        taken = static_cast<double>(*integer);
    }
    if (taken.index() != knob.value.index()) {
        throw UserError{"{}kernel.{} = {}: must be {}",
                        opening(place),
                        name,
                        text(value),
                        type_names[knob.value.index()]};
    }
    if (!in_range(knob, taken)) {
        throw UserError{"{}kernel.{} = {}: outside [{:.12g}, {:.12g}] {}",
                        opening(place),
                        name,
                        text(value),
                        knob.min,
                        knob.max,
                        knob.unit};
    }
    if (const auto* word = std::get_if<std::string>(&taken);
        word != nullptr && !knob.allowed.empty() &&
        std::ranges::find(knob.allowed, *word) == knob.allowed.end()) {
        throw UserError{"{}kernel.{} = '{}': must be one of {}{}",
                        opening(place),
                        name,
                        *word,
                        fmt::join(knob.allowed, ", "),
                        nearest_hint(*word, knob.allowed)};
    }
    knob.value = std::move(taken);
    places_[knob.name] = std::move(place);
}

void Knobs::set_text(std::string_view name, std::string_view value, std::string place) {
    const Knob& knob = find_declared(name, place);
    const auto parsed = parse_like(knob.value, value);
    if (!parsed) {
        const bool whole = std::holds_alternative<std::int64_t>(knob.value);
        throw UserError{"{}kernel.{} = {}: must be {}{}",
                        opening(place),
                        name,
                        value,
                        type_names[knob.value.index()],
                        whole ? fmt::format(" in [{:.12g}, {:.12g}]", knob.min, knob.max) : std::string{}};
    }
    set(name, *parsed, std::move(place));
}

isa::DataType Knobs::type(std::string_view name) const {
    return parse_type(word(name), name);
}

bool Knobs::is_set(std::string_view name) const {
    return places_.find(name) != places_.end();
}

UserError Knobs::error(std::string_view name, std::string_view message) const {
    const auto place = places_.find(name);
    return UserError{"{}kernel.{} = {}: {}",
                     place == places_.end() ? std::string{} : opening(place->second),
                     name,
                     text(find(name).value),
                     message};
}

const Knob& Knobs::find(std::string_view name) const {
    const auto found = std::ranges::find(knobs_, name, &Knob::name);
    check(found != knobs_.end(), "the kernel declares no knob '{}'", name);
    return *found;
}

Knob& Knobs::find_declared(std::string_view name, std::string_view place) {
    const auto found = std::ranges::find(knobs_, name, &Knob::name);
    if (found == knobs_.end()) {
        std::vector<std::string> names;
        for (const Knob& knob : knobs_) {
            names.push_back(knob.name);
        }
        throw UserError{"{}kernel.{}: unknown key{} (known: {})",
                        opening(place),
                        name,
                        nearest_hint(name, names),
                        fmt::join(names, ", ")};
    }
    return *found;
}

}  // namespace ascendsim::host
