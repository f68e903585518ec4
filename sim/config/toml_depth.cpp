// SPDX-License-Identifier: Apache-2.0
#include "sim/config/toml_depth.hpp"

#include <cstddef>

namespace ascendsim {
namespace {

/// Returns the position after the string that opens at `at`, or after the first character of what is none.
std::size_t skip_string(std::string_view text, std::size_t at) {
    const char quote = text[at];
    const std::string_view triple = quote == '"' ? R"(""")" : "'''";
    const bool multiline = text.substr(at).starts_with(triple);
    at += multiline ? 3 : 1;
    while (at < text.size()) {
        if (quote == '"' && text[at] == '\\') {
            at += 2;
        } else if (multiline && text.substr(at).starts_with(triple)) {
            return at + 3;
        } else if (!multiline && (text[at] == quote || text[at] == '\n')) {
            return at + (text[at] == quote ? 1 : 0);
        } else {
            ++at;
        }
    }
    return text.size();
}

}  // namespace

std::uint32_t line_of_too_deep_key(std::string_view text, std::uint32_t limit) {
    std::uint32_t line = 1;
    std::uint32_t dots = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        std::size_t next = at + 1;
        if (c == '"' || c == '\'') {
            next = skip_string(text, at);
        } else if (c == '#') {
            next = text.find('\n', at);
            next = next == std::string_view::npos ? text.size() : next;
        } else if (c == '.') {
            ++dots;
        } else if (std::string_view{"\n,=[]{}"}.find(c) != std::string_view::npos) {
            dots = 0;
        }
        if (dots > limit) {
            return line;
        }
        for (; at < next && at < text.size(); ++at) {
            line += text[at] == '\n' ? 1U : 0U;
        }
    }
    return 0;
}

}  // namespace ascendsim
