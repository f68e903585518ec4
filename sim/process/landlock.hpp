// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

namespace ascendsim::process {

/// Rights to files that Linux's Landlock takes away from a process and from all that it starts, but for those
/// that are granted. What the running kernel does not know yet is left out.
class Landlock {
public:
    enum class Right : std::uint8_t { read, run, write };

    /// The version the running kernel offers; 0: none.
    [[nodiscard]] static int version();

    /// Of `writes_only` none but rights to change something are taken away.
    explicit Landlock(bool writes_only);
    Landlock(const Landlock&) = delete;
    Landlock& operator=(const Landlock&) = delete;
    ~Landlock();

    /// Grants a right to a file, or to all below a folder; what is not there is left out. Running and writing
    /// include reading.
    void grant(const std::filesystem::path& place, Right right);

    /// Takes the other rights away, for good.
    void enforce() const;

private:
    std::uint64_t handled_ = 0;
    int rules_ = -1;
};

}  // namespace ascendsim::process
