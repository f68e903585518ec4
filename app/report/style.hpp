// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace ascendsim::report {

/// How text goes to its reader.
struct Style {
    bool colour = false;
    std::size_t width = 100;  // columns

    /// Colour and width of a file descriptor if it is a terminal; plain otherwise. NO_COLOR and a TERM that
    /// is "dumb" take colours away, CLICOLOR_FORCE (what --color always sets) gives them to any file.
    static Style of_terminal(int file);
};

/// False on a terminal that knows no control sequences (TERM=dumb): it gets no colours, and no line twice.
[[nodiscard]] bool understands_controls();

enum class Tone { plain, strong, dim, good, fair, poor };

/// `text` in a colour where the style has colours.
[[nodiscard]] std::string toned(const Style& style, Tone tone, std::string_view text);

/// What stands above the figures of a recording that is not whole.
inline constexpr std::string_view not_ended = "The run did not end: this is what was recorded until then.";

/// A bar of `width` columns of which `share` (0 to 1) is full, in eighths.
[[nodiscard]] std::string bar(double share, std::size_t width);

/// "1.23 ms", "45.6 us", "789 ns".
[[nodiscard]] std::string time_text(double us);
/// "1.50 GiB", "64.0 KiB", "12 B".
[[nodiscard]] std::string bytes_text(double bytes);
/// "1,234,567".
[[nodiscard]] std::string count_text(std::uint64_t count);
/// "12.3 %".
/// A figure of any kind: whole ones in full with their thousands apart, others to six digits.
[[nodiscard]] std::string figure_text(double value);
[[nodiscard]] std::string percent_text(double share);

/// Columns a UTF-8 text takes, colour codes taking none.
[[nodiscard]] std::size_t columns(std::string_view text);
/// `text` filled with blanks to `width` columns, at the right or at the left; too long a text loses its
/// middle.
[[nodiscard]] std::string left(std::string_view text, std::size_t width);
[[nodiscard]] std::string right(std::string_view text, std::size_t width);

/// Prints `text` behind `head`, broken between words; further lines stand below its beginning. Nothing if it
/// is empty.
void print_wrapped(
    std::ostream& out, const Style& style, const std::string& head, std::string_view text, Tone tone);

}  // namespace ascendsim::report
