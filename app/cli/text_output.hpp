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

/// True if standard error is a terminal on which one line can stand in the place of another.
[[nodiscard]] bool shows_progress();

/// What of a line's parts, which commas or two spaces part, fits in so many columns: half a number would be
/// another one. A single part that is too long
/// loses its middle.
[[nodiscard]] std::string whole_parts(std::string_view line, std::size_t columns);

/// Puts `line`, cut to the terminal's width, in the place of the last one; an empty one only takes that away.
void show_progress(std::string_view line);

/// The same with a bar of `share` between two texts, and a name behind them. Bar and name have what the texts
/// leave of the terminal's width.
void show_progress(std::string_view before,
                   double share,
                   std::string_view behind,
                   std::string_view name = {});

/// ", 12 s left" by what is done of all after `seconds`; empty where that cannot be told yet.
[[nodiscard]] std::string time_left(double seconds, std::uint64_t done, std::uint64_t all);

/// Prints commands that we give to a CI service, whose texts have been made harmless in them.
void command_service(std::string_view commands, bool on_standard_error);

/// Lets `write` print a page or a trace, which is a file rather than a log, on standard output. Throws
/// UserError if it cannot be written.
void print_file(const std::function<void(std::ostream&)>& write);

/// Writes `text` to a file; "-" is standard output, where it is made harmless, empty is nowhere. Throws
/// UserError if it cannot be written.
void write_text(const std::string& place, const std::string& text);

/// The same for the result of a command: always an object, whose `schema` ("ascendsim.run/1") says what it is
/// and grows when a name changes its meaning; several results are its `runs`. A figure that is no finite
/// number is null.
void write_json(const std::string& place, std::string_view kind, const nlohmann::ordered_json& json);

/// The same for what has a form of others, as a Chrome trace.
void write_plain_json(const std::string& place, const nlohmann::ordered_json& json);

/// As --json takes it: text that is no UTF-8 is replaced, a newline ends it.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json);

}  // namespace ascendsim::cli
