// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "gui/canvas/geometry.hpp"
#include "gui/control/script.hpp"

namespace ascendsim::gui {

/// Splits a script into lines of words.
[[nodiscard]] std::vector<ScriptLine> split_script(std::string_view text);

/// A place written as @name:share,share+dx,dy.
struct PlaceSpec {
    std::string name;
    Point share{0.5F, 0.5F};
    Point offset;
};

/// Nothing if the text is not of that form.
[[nodiscard]] std::optional<PlaceSpec> parse_place(std::string_view text);
/// "1280x720".
[[nodiscard]] std::optional<Point> parse_size(std::string_view text);
[[nodiscard]] std::optional<double> parse_number(std::string_view text);
/// A word as JSON where it reads as such (numbers, true, null, quoted), as a text otherwise.
[[nodiscard]] nlohmann::json parse_value(const std::string& word);
/// Whether `actual OP expected` holds; nothing for an unknown operator.
[[nodiscard]] std::optional<bool> compare_values(const nlohmann::json& actual,
                                                 std::string_view op,
                                                 const nlohmann::json& expected);

}  // namespace ascendsim::gui
