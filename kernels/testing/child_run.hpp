// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include <unistd.h>

#include "sim/base/error.hpp"
#include "sim/process/program_start.hpp"

namespace ascendsim::testing {

/// Computes a number in a child process: a second machine for a test that compares two runs, since SystemC
/// builds one per process.
[[nodiscard]] inline std::uint64_t in_child(const std::function<std::uint64_t()>& compute) {
    int ends[2];
    check(::pipe(ends) == 0, "no pipe for a child process");
    const ::pid_t child = ::fork();
    check(child >= 0, "no child process");
    if (child == 0) {
        const std::uint64_t value = compute();
        const bool written = ::write(ends[1], &value, sizeof value) == sizeof value;
        ::_exit(written ? 0 : 1);
    }
    ::close(ends[1]);
    std::uint64_t value = 0;
    const bool got = ::read(ends[0], &value, sizeof value) == sizeof value;
    ::close(ends[0]);
    check(process::wait_for(child) == 0 && got, "the child process failed");
    return value;
}

}  // namespace ascendsim::testing
