// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <iosfwd>
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

/// Puts `line` in the place of the last one on a terminal; an empty one only takes that away.
void show_progress(std::string_view line);

/// Prints commands that we give to a CI service, whose texts have been made harmless in them.
void command_service(std::string_view commands, bool on_standard_error);

/// Lets `write` print a page or a trace, which is a file rather than a log, on standard output. Throws
/// UserError if it cannot be written.
void print_file(const std::function<void(std::ostream&)>& write);

/// Writes `text` to a file; "-" is standard output, where it is made harmless, empty is nowhere. Throws
/// UserError if it cannot be written.
void write_text(const std::string& place, const std::string& text);

/// The same for `json`.
void write_json(const std::string& place, const nlohmann::ordered_json& json);

/// As --json takes it: text that is no UTF-8 is replaced, a newline ends it.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json);

}  // namespace ascendsim::cli
