// SPDX-License-Identifier: Apache-2.0
#include "sim/process/shell_word.hpp"

namespace ascendsim::process {

std::string shell_word(std::string_view text) {
    // What no shell reads otherwise, wherever in a word: so no tilde, which a shell replaces at the start.
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:=@%";
    if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) {
        return std::string{text};
    }
    std::string word{"'"};
    for (const char c : text) {
        word += c == '\'' ? R"('\'')" : std::string(1, c);
    }
    return word + "'";
}

}  // namespace ascendsim::process
