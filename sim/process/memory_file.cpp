// SPDX-License-Identifier: Apache-2.0
#include "sim/process/memory_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "sim/process/descriptors.hpp"

namespace ascendsim::process {

MemoryFile::MemoryFile() : descriptor_{opened(memfd_create("output", MFD_CLOEXEC), "memfd_create")} {}

MemoryFile::~MemoryFile() {
    close(descriptor_);
}

std::string MemoryFile::text() const {
    std::string text(static_cast<std::size_t>(lseek(descriptor_, 0, SEEK_END)), '\0');
    const ssize_t got = pread(descriptor_, text.data(), text.size(), 0);
    text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return text;
}

}  // namespace ascendsim::process
