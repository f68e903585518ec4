// SPDX-License-Identifier: Apache-2.0
#include "app/cli/auto_sync_option.hpp"

#include "sim/base/error.hpp"

namespace ascendsim::cli {
namespace {

constexpr const char* sync_option_name = "--cce-auto-sync";

}  // namespace

void AutoSyncOption::declare(Options& options) {
    options.option(
        sync_option_name,
        word_,
        "on|off",
        "insert synchronisation as the vendor's compiler does with this option, or not; without it the "
        "project around the source decides");
}

std::optional<bool> AutoSyncOption::value() const {
    if (word_.empty()) {
        return std::nullopt;
    }
    if (word_ != "on" && word_ != "off") {
        throw UserError{"{} {}: must be on or off", sync_option_name, word_};
    }
    return word_ == "on";
}

std::vector<std::string> with_whole_sync_option(std::vector<std::string> words) {
    for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
        const bool valued = i + 1 < words.size() && (words[i + 1] == "on" || words[i + 1] == "off");
        if (words[i] == sync_option_name && !valued) {
            words[i] += "=on";
        }
    }
    return words;
}

}  // namespace ascendsim::cli
