// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/options.hpp"

namespace ascendsim::cli {

/// The option --cce-auto-sync of the vendor's compiler, for commands that compile what users write.
class AutoSyncOption {
public:
    void declare(Options& options);

    /// What was given, if anything was. Throws UserError unless it is on or off.
    [[nodiscard]] std::optional<bool> value() const;

private:
    std::string word_;
};

/// The words of a command line with =on behind a --cce-auto-sync that stands alone, as the vendor's compiler
/// takes it; words behind -- stay as they are.
[[nodiscard]] std::vector<std::string> with_whole_sync_option(std::vector<std::string> words);

}  // namespace ascendsim::cli
