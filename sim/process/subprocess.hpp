// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "sim/process/memory_file.hpp"

namespace ascendsim::process {

/// A program started with its output (both streams) kept until it is asked for.
class Subprocess {
public:
    /// Starts `arguments[0]`, looked up in PATH. Throws UserError if it cannot be started.
    explicit Subprocess(const std::vector<std::string>& arguments);
    Subprocess(const Subprocess&) = delete;
    Subprocess& operator=(const Subprocess&) = delete;
    ~Subprocess();

    /// Waits for its end; 128 + signal if a signal ended it.
    int wait();

    /// Waits for its end, as wait() does. Throws UserError if a signal ended it, which says nothing about
    /// what it was to do: its exit code is none of its own.
    int finish();

    /// What it wrote, once wait() has returned.
    [[nodiscard]] std::string output() const { return output_.text(); }

private:
    MemoryFile output_;
    std::string program_;
    pid_t pid_ = -1;
};

}  // namespace ascendsim::process
