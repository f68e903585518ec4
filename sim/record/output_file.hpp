// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "sim/record/byte_stream.hpp"
#include "sim/record/format.hpp"

namespace ascendsim::record {

/// Appends whole frames to a file through a buffer of fixed size; allocates nothing after it was made.
class OutputFile {
public:
    /// Creates or truncates `file` and writes the header; throws UserError if it cannot. Empty: everything is
    /// dropped.
    explicit OutputFile(const std::filesystem::path& file);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile();

    [[nodiscard]] bool dropped() const { return file_ < 0; }

    /// Appends a frame.
    void frame(FrameType type, std::span<const std::byte> payload);
    /// Gives everything so far to the operating system, unless this process is a copy (fork) of the one that
    /// made the file, which goes on writing it. Calls nothing but write(2) and getpid(2).
    void flush();
    /// Throws UserError if anything could not be written.
    void check_written() const;

private:
    void write_all(std::span<const std::byte> bytes);

    static constexpr std::size_t buffer_bytes = std::size_t{1}
                                                << 17U;  // little, so that a picture grows evenly
    std::filesystem::path path_;
    int file_ = -1;
    pid_t owner_ = 0;  // the process that made it
    int failure_ = 0;  // errno of the first write that failed
    std::size_t used_ = 0;
    std::unique_ptr<std::byte[]> buffer_;
};

}  // namespace ascendsim::record
