// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <sys/types.h>

namespace ascendsim::runtime {

/// Ends what a child process has left behind: processes that it, or its kernel, forked and that still have
/// open, as number `file`, the file that is open there here. Those whose parent `is_ours`, and ours, are
/// left alone.
void end_orphans(int file, const std::function<bool(pid_t)>& is_ours);

}  // namespace ascendsim::runtime
