// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace ascendsim::analysis {

/// A chip's parameters as a recording's metadata holds them: nested objects under `chip`, addressed by path.
class ChipNumbers {
public:
    /// Reads metadata["chip"]; without one every number is absent.
    explicit ChipNumbers(const nlohmann::json& metadata);

    /// The number at a path such as "hbm.gb_per_s", if the recording has it.
    [[nodiscard]] std::optional<double> number(std::string_view path) const;

    [[nodiscard]] double number(std::string_view path, double otherwise) const {
        return number(path).value_or(otherwise);
    }

    /// True if the recording names a chip.
    [[nodiscard]] bool known() const { return values_.is_object() && !values_.empty(); }

    [[nodiscard]] std::string name() const;

    [[nodiscard]] double clock_ghz() const { return number("cores.clock_ghz", 1); }

    [[nodiscard]] bool split() const;

    /// Cores that have a vector unit.
    [[nodiscard]] double vector_cores() const {
        return split() ? number("cores.aiv", 0) : number("cores.aic", 0);
    }

    [[nodiscard]] double cube_cores() const { return number("cores.aic", 0); }

    /// Multiply-accumulates a cube unit does in a cycle on operands of `type`.
    [[nodiscard]] double cube_work_per_cycle(std::string_view type) const;
    /// Elements of `type` a vector unit does in a cycle.
    [[nodiscard]] double vector_work_per_cycle(std::string_view type) const;

    [[nodiscard]] double us(double cycles) const { return cycles / (clock_ghz() * 1000); }

private:
    nlohmann::json values_;
};

/// Bits of an element type by its name ("float16", "int8", "half"); 16 if the name is unknown.
[[nodiscard]] unsigned bits_of(std::string_view type);

}  // namespace ascendsim::analysis
