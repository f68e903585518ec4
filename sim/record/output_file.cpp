// SPDX-License-Identifier: Apache-2.0
#include "sim/record/output_file.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace ascendsim::record {

OutputFile::OutputFile(const std::filesystem::path& file) : path_{file} {
    if (file.empty()) {
        return;
    }
    file_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) {
        throw UserError{"cannot write the recording {}: {}", file.string(), std::strerror(errno)};
    }
    owner_ = ::getpid();
    buffer_.reset(new std::byte[buffer_bytes]);
    ByteWriter to{buffer_.get()};
    to.put(file_magic);
    to.put(format_version);
    used_ = to.size();
}

OutputFile::~OutputFile() {
    if (file_ >= 0) {
        flush();
        ::close(file_);
    }
}

void OutputFile::frame(FrameType type, std::span<const std::byte> payload) {
    if (dropped()) {
        return;
    }
    const FrameHeader header{.type = static_cast<std::uint32_t>(type),
                             .length = static_cast<std::uint32_t>(payload.size()),
                             .checksum = checksum(payload)};
    if (used_ + sizeof(header) + payload.size() > buffer_bytes) {
        flush();
    }
    std::memcpy(buffer_.get() + used_, &header, sizeof(header));
    used_ += sizeof(header);
    if (used_ + payload.size() > buffer_bytes) {
        flush();
        write_all(payload);
        return;
    }
    std::memcpy(buffer_.get() + used_, payload.data(), payload.size());
    used_ += payload.size();
}

void OutputFile::flush() {
    if (dropped()) {
        return;
    }
    const std::size_t bytes = used_;
    used_ = 0;
    write_all({buffer_.get(), bytes});
}

void OutputFile::write_all(std::span<const std::byte> bytes) {
    if (::getpid() != owner_) {
        return;
    }
    while (!bytes.empty() && failure_ == 0) {
        const ssize_t written = ::write(file_, bytes.data(), bytes.size());
        if (written >= 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(written));
        } else if (errno != EINTR) {
            failure_ = errno;
        }
    }
}

void OutputFile::check_written() const {
    if (failure_ != 0) {
        throw UserError{"cannot write the recording {}: {}", path_.string(), std::strerror(failure_)};
    }
}

}  // namespace ascendsim::record
