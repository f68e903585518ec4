// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/process/file_text.hpp"

namespace ascendsim::toolchain {

/// The text with comments blanked out.
[[nodiscard]] std::string without_comments(std::string_view text);

/// The text with what stands between `#if 0`, or a condition that no chip here fulfils, and its #else or
/// #endif blanked out; lines stay.
[[nodiscard]] std::string without_dead_code(std::string_view text);

/// The names of a text's #include lines, in order.
[[nodiscard]] std::vector<std::string> included_names(std::string_view text);

/// The line that includes a file. Refuses a name in which such a line would end: what stands behind would be
/// compiled.
[[nodiscard]] std::string include_line(const std::string& file);

/// Calls `each(word, behind)` for every identifier; `behind` is where it ends.
void each_word(std::string_view text, const std::function<void(std::string_view, std::size_t)>& each);

/// True if the name that ends at `behind` is followed by `=`.
[[nodiscard]] bool is_given_a_value(std::string_view text, std::size_t behind);

/// What stands in the brackets of `name(...)` at or behind `from`, and where they end; npos as end if there
/// is none.
struct Call {
    std::vector<std::string> arguments;
    std::size_t begin = std::string::npos;  // of the name
    std::size_t end = std::string::npos;    // behind the closing bracket
};

[[nodiscard]] Call find_call(std::string_view text, std::string_view name, std::size_t from = 0);

/// Words joined as operator names are: sigmoid_grad -> SigmoidGrad.
[[nodiscard]] std::string camel_case(std::string_view name);

/// The text with the chip compiler's own [aicore] and [host, aicore] blanked out, and with the chip's
/// assembly for two registers: the program counter, which sources read before they load instructions ahead,
/// is blanked out, and their variable stays as it is; the clock (SYS_CNT) becomes get_sys_cnt().
[[nodiscard]] std::string without_attribute(std::string text);

/// The first sentence of the comment a source begins with, behind the line of its licence; empty if it begins
/// with none.
[[nodiscard]] std::string head_sentence(std::string_view text);

}  // namespace ascendsim::toolchain
