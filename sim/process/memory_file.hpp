// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ascendsim::process {

/// A file in memory without a place in the file system: takes what a child process writes, of any length.
class MemoryFile {
public:
    MemoryFile();
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile();

    /// Its descriptor, which programs that are started do not inherit.
    [[nodiscard]] int descriptor() const { return descriptor_; }

    /// All that was written.
    [[nodiscard]] std::string text() const;

private:
    int descriptor_;
};

}  // namespace ascendsim::process
