// SPDX-License-Identifier: Apache-2.0
#include "sim/process/whole_file.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/error.hpp"
#include "sim/process/sandbox.hpp"

namespace ascendsim::process {
namespace {

namespace fs = std::filesystem;

constexpr mode_t anyone = 0666;  // as far as the user's mask allows

/// A name in the folder that no one else uses.
fs::path passing_name(const fs::path& folder) {
    static std::atomic<std::uint64_t> count{0};
    return folder / fmt::format(".ascendsim-{}-{}", getpid(), count++);
}

/// The file that `file` names, which may be a link to it. In a sandbox no link is followed: a checkout may
/// hold one that leads to what a later program runs.
fs::path behind_links(const fs::path& file) {
    std::error_code error;
    if (in_sandbox()) {
        check_plain_output(file);
    }
    if (!fs::is_symlink(file, error)) {
        return file;
    }
    fs::path target = fs::weakly_canonical(file, error);
    return error ? file : target;
}

}  // namespace

WholeFile::WholeFile(const fs::path& file) : file_{file}, target_{behind_links(file)} {
    struct stat before {};

    const bool there = stat(target_.c_str(), &before) == 0;
    in_place_ = sandbox_closed() || (there && !S_ISREG(before.st_mode));
    if (!in_place_) {
        if (there && access(target_.c_str(), W_OK) != 0) {
            fail(errno);  // a file that is protected stays as it is
        }
        open_fresh();
        constexpr mode_t rights = 07777;
        if (descriptor_ >= 0 && there && fchmod(descriptor_, before.st_mode & rights) != 0) {
            error_ = errno;
        }
        // A folder may be closed in which a file may be written.
        in_place_ = descriptor_ < 0 && there && (errno == EACCES || errno == EPERM || errno == EROFS);
    }
    if (in_place_) {
        descriptor_ = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, anyone);
    }
    if (descriptor_ < 0) {
        fail(errno);
    }
}

WholeFile::~WholeFile() {
    if (descriptor_ >= 0) {
        close(descriptor_);
    }
    if (named_) {
        unlink(passing_.c_str());
    }
}

/// The content has no name until it is whole, where the file system can do that: then even a process that is
/// killed leaves nothing behind.
void WholeFile::open_fresh() {
    const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path{"."};
    passing_ = passing_name(folder);
    descriptor_ = open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, anyone);
    if (descriptor_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
        descriptor_ = open(passing_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, anyone);
        named_ = descriptor_ >= 0;
    }
}

void WholeFile::write(std::string_view text) {
    while (!text.empty() && error_ == 0) {
        const ssize_t count = ::write(descriptor_, text.data(), text.size());
        if (count > 0) {
            text.remove_prefix(static_cast<std::size_t>(count));
        } else if (count == 0 || errno != EINTR) {
            error_ = count == 0 ? EIO : errno;
        }
    }
}

WholeFile::Buffer::int_type WholeFile::Buffer::overflow(int_type letter) {
    sync();
    if (letter != traits_type::eof()) {
        sputc(traits_type::to_char_type(letter));
    }
    return to_.error_ == 0 ? traits_type::not_eof(letter) : traits_type::eof();
}

int WholeFile::Buffer::sync() {
    to_.write({pbase(), static_cast<std::size_t>(pptr() - pbase())});
    setp(bytes_.data(), bytes_.data() + bytes_.size());
    return to_.error_ == 0 ? 0 : -1;
}

void WholeFile::finish() {
    stream_.flush();
    if (error_ == 0 && !in_place_) {
        put_in_place();
    }
    if (close(std::exchange(descriptor_, -1)) != 0 && error_ == 0) {
        error_ = errno;
    }
    if (error_ != 0) {
        fail(error_);
    }
}

void WholeFile::put_in_place() {
    if (!named_) {
        const std::string content = fmt::format("/proc/self/fd/{}", descriptor_);
        named_ = linkat(AT_FDCWD, content.c_str(), AT_FDCWD, passing_.c_str(), AT_SYMLINK_FOLLOW) == 0;
    }
    if (named_ && rename(passing_.c_str(), target_.c_str()) == 0) {
        named_ = false;
    } else {
        error_ = errno;
    }
}

void WholeFile::fail(int error) const {
    throw UserError{"{}: cannot be written: {}", file_.string(), std::strerror(error)};
}

void move_whole(const fs::path& from, const fs::path& to) {
    std::error_code error;
    const fs::path target = behind_links(to);
    const bool regular = !fs::exists(target, error) || fs::is_regular_file(target, error);
    if (regular && rename(from.c_str(), target.c_str()) == 0) {
        return;
    }
    std::ifstream content{from, std::ios::binary};
    WholeFile whole{to};
    std::array<char, std::size_t{1} << 16U>
        part;  // NOLINT(cppcoreguidelines-pro-type-member-init): read into
    while (content.read(part.data(), part.size()) || content.gcount() > 0) {
        whole.write({part.data(), static_cast<std::size_t>(content.gcount())});
    }
    whole.finish();
    fs::remove(from, error);
}

void write_whole(const fs::path& file, std::string_view text) {
    WholeFile whole{file};
    whole.write(text);
    whole.finish();
}

}  // namespace ascendsim::process
