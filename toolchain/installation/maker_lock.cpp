// SPDX-License-Identifier: Apache-2.0
#include "toolchain/installation/maker_lock.hpp"

#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ascendsim::toolchain {

namespace {

int opened(const std::filesystem::path& place) {
    constexpr unsigned owner_only = 0600;
    return open(place.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, owner_only);
}

/// Whether the open file still has its name: the holder before, or who clears the cache, deletes it.
bool is_in_place(int file, const std::filesystem::path& place) {
    struct stat own {};

    struct stat named {};

    return fstat(file, &own) == 0 && lstat(place.c_str(), &named) == 0 && own.st_ino == named.st_ino &&
           own.st_dev == named.st_dev;
}

}  // namespace

MakerLock::MakerLock(const std::filesystem::path& stem, std::chrono::seconds patience)
    : place_{stem.string() + ".lock"} {
    constexpr std::chrono::milliseconds tick{20};
    const auto end = std::chrono::steady_clock::now() + patience;
    for (int file = opened(place_); file >= 0; file = opened(place_)) {
        int locked = flock(file, LOCK_EX | LOCK_NB);
        while (locked != 0 && std::chrono::steady_clock::now() < end) {
            std::this_thread::sleep_for(tick);
            locked = flock(file, LOCK_EX | LOCK_NB);
        }
        if (locked == 0 && is_in_place(file, place_)) {
            file_ = file;
            return;
        }
        close(file);
        if (locked != 0 || std::chrono::steady_clock::now() >= end) {
            return;
        }
    }
}

MakerLock::~MakerLock() {
    if (file_ < 0) {
        return;
    }
    unlink(place_.c_str());
    flock(file_, LOCK_UN);  // a process forked meanwhile has the file open too
    close(file_);
}

}  // namespace ascendsim::toolchain
