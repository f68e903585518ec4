// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ascendsim::process {

/// The two ends of a pipe.
struct PipeEnds {
    int read = -1;
    int write = -1;
};

/// A pipe whose ends programs that are started do not inherit; with `flags` of pipe2(2) beside that. Throws
/// as opened() does.
[[nodiscard]] PipeEnds open_pipe(int flags = 0);

/// Returns `descriptor`, which `call` of the system's has answered. Throws UserError with that name and errno
/// if it is negative.
int opened(int descriptor, std::string_view call);

}  // namespace ascendsim::process
