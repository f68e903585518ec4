// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace ascendsim::process {

/// From now on the file or folder goes with all that is in it when SIGINT, SIGTERM or SIGHUP ends this
/// process; not when a fork of it ends. It need not be there yet. Whoever handles or ignores these signals
/// already does so still. Paths of 512 bytes or more, and what comes after 1024 others, are left to the next
/// run.
void delete_at_signal(const std::filesystem::path& place);

/// The file or folder stays, or is gone already.
void keep_at_signal(const std::filesystem::path& place);

}  // namespace ascendsim::process
