// SPDX-License-Identifier: Apache-2.0
#include "sim/process/descriptors.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "sim/base/error.hpp"

namespace ascendsim::process {

int opened(int descriptor, std::string_view call) {
    if (descriptor < 0) {
        const int error = errno;
        const bool limited = error == EMFILE || error == ENFILE || error == ENOMEM;
        throw UserError{"{}: {}{}",
                        call,
                        std::strerror(error),
                        limited ? "; is there a limit of open files (ulimit -n) or memory?" : ""};
    }
    return descriptor;
}

PipeEnds open_pipe(int flags) {
    std::array<int, 2> ends{-1, -1};
    opened(pipe2(ends.data(), O_CLOEXEC | flags), "pipe2");
    return {ends[0], ends[1]};
}

}  // namespace ascendsim::process
