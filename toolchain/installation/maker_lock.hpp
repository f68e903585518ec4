// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>

namespace ascendsim::toolchain {

/// Held by the one that makes an object of the cache, so that commands started at once do not all compile the
/// same. Whoever waited looks for the object again before making it. It only saves work: where no lock can be
/// had, or its holder takes longer than the patience, several make the object, which the cache takes too.
class MakerLock {
public:
    /// Waits while another thread or process holds the lock of `stem`, a folder and a key.
    explicit MakerLock(const std::filesystem::path& stem, std::chrono::seconds patience = usual_patience);
    MakerLock(const MakerLock&) = delete;
    MakerLock& operator=(const MakerLock&) = delete;
    ~MakerLock();

    [[nodiscard]] bool held() const { return file_ >= 0; }

    /// Longer than any compilation of one source takes on a loaded machine.
    static constexpr std::chrono::seconds usual_patience{120};

private:
    std::filesystem::path place_;
    int file_ = -1;
};

}  // namespace ascendsim::toolchain
