// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace ascendsim::cli {

/// What the place of an output is called that goes to standard output.
inline constexpr std::string_view standard_output = "-";

/// True if one of `places` is standard output: it belongs to that output then, and nothing else may be
/// printed there.
[[nodiscard]] inline bool takes_standard_output(std::initializer_list<std::string_view> places) {
    return std::ranges::find(places, standard_output) != places.end();
}

/// Prints a report on standard output, or a message on standard error: harmless to logs, whatever names and
/// messages of others it holds. All text for people goes this way.
void say(std::string_view text);
void complain(std::string_view text);

/// Writes `text` to a file; "-" is standard output, where it is made harmless, empty is nowhere. Throws
/// UserError if it cannot be written.
void write_text(const std::string& place, const std::string& text);

/// The same for `json`.
void write_json(const std::string& place, const nlohmann::ordered_json& json);

/// As --json takes it: text that is no UTF-8 is replaced, a newline ends it.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json);

}  // namespace ascendsim::cli
