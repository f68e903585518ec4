// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace ascendsim::process {

/// A folder of a name that no one guesses, which only this user can enter. It is deleted with all that is in
/// it, unless a fork of this process is what ends: also when SIGINT, SIGTERM or SIGHUP ends the process. One
/// that was left because its process was killed goes when the next one is made.
class TemporaryFolder {
public:
    /// Throws UserError if there is no room for temporary files.
    TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    int owner_;      // process
    int lock_ = -1;  // held as long as the owner or a fork of it lives
};

}  // namespace ascendsim::process
