// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/port/data_type.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::host {

/// The extents of a tensor, outermost first.
using Shape = std::vector<std::uint64_t>;

/// Elements of a shape; 1 for an empty one (a scalar).
[[nodiscard]] std::uint64_t elements(const Shape& shape);
/// "[32, 512, 4096]".
[[nodiscard]] std::string text(const Shape& shape);

/// What a knob may hold. The default's alternative is the knob's type.
using KnobValue = std::variant<bool, std::int64_t, double, std::string, Shape>;

/// The value as a scenario writes it: `true`, `24`, `0.5`, `native`, `[32, 512, 4096]`.
[[nodiscard]] std::string text(const KnobValue& value);

/// One thing a scenario may choose about a kernel: a shape, a type, a schedule, a tile size, a buffer count.
struct Knob {
    std::string name;
    KnobValue value;                   // the default
    std::vector<std::string> allowed;  // of a word; empty: any
    double min = 0;                    // of a number, or of each extent of a shape
    double max = 0;
    std::string unit;
    std::string meaning;

    [[nodiscard]] static Knob flag(std::string name, bool value, std::string meaning);
    [[nodiscard]] static Knob integer(std::string name,
                                      std::int64_t value,
                                      std::int64_t min,
                                      std::int64_t max,
                                      std::string unit,
                                      std::string meaning);
    [[nodiscard]] static Knob real(
        std::string name, double value, double min, double max, std::string unit, std::string meaning);
    /// One word of `allowed`; the first is the default.
    [[nodiscard]] static Knob word(std::string name, std::vector<std::string> allowed, std::string meaning);
    /// One element type of `allowed`; the first is the default.
    [[nodiscard]] static Knob type(std::string name,
                                   const std::vector<isa::DataType>& allowed,
                                   std::string meaning);
    /// Extents from 0 to 2^40 of any rank; the kernel's plan checks the rank.
    [[nodiscard]] static Knob shape(std::string name, Shape value, std::string meaning);
};

/// The element type of a name as in "float16"; throws UserError "`where`: ..." with the nearest name.
[[nodiscard]] isa::DataType parse_type(std::string_view name, std::string_view where);

/// The values of a kernel's knobs for one run: the defaults, then what the scenario sets.
class Knobs {
public:
    explicit Knobs(std::vector<Knob> declared);

    /// Sets a value that has the knob's type already (an integer also serves a real). `place`
    /// ("swiglu.toml:12") opens messages. Throws UserError for an unknown name (with the nearest), another
    /// type or a value outside the range.
    void set(std::string_view name, const KnobValue& value, std::string place = {});
    /// Sets a value from a text as in `--set kernel.tile_m=128`; a shape is "32,512,4096", with or without
    /// brackets.
    void set_text(std::string_view name, std::string_view value, std::string place = {});

    [[nodiscard]] bool flag(std::string_view name) const { return get<bool>(name); }

    [[nodiscard]] std::int64_t integer(std::string_view name) const { return get<std::int64_t>(name); }

    /// An integer knob whose minimum is not negative.
    [[nodiscard]] std::uint32_t count(std::string_view name) const {
        return static_cast<std::uint32_t>(get<std::int64_t>(name));
    }

    [[nodiscard]] double real(std::string_view name) const { return get<double>(name); }

    [[nodiscard]] const std::string& word(std::string_view name) const { return get<std::string>(name); }

    [[nodiscard]] isa::DataType type(std::string_view name) const;

    [[nodiscard]] const Shape& shape(std::string_view name) const { return get<Shape>(name); }

    /// True if the scenario or the command line set it; false while it has its default.
    [[nodiscard]] bool is_set(std::string_view name) const;

    [[nodiscard]] const std::vector<Knob>& all() const { return knobs_; }

    /// The error of a plan that cannot take a knob's value: "place: kernel.x = [3]: message". To be thrown.
    [[nodiscard]] UserError error(std::string_view name, std::string_view message) const;

private:
    [[nodiscard]] const Knob& find(std::string_view name) const;
    [[nodiscard]] Knob& find_declared(std::string_view name, std::string_view place);

    template <class T>
    [[nodiscard]] const T& get(std::string_view name) const {
        const T* value = std::get_if<T>(&find(name).value);
        check(value != nullptr, "knob '{}' is of another type", name);
        return *value;
    }

    std::vector<Knob> knobs_;
    std::map<std::string, std::string, std::less<>> places_;  // of those set
};

}  // namespace ascendsim::host
