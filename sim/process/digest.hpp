// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace ascendsim::process {

/// Names what the caches hold: 128 bits of XXH3 over texts, in order. What is cached is as large as the
/// parsed headers, 26 MB for each edit of a kernel, so this is to run at the speed of memory.
class Digest {
public:
    Digest();
    Digest(Digest&& other) noexcept;
    Digest& operator=(Digest&& other) noexcept;
    ~Digest();

    /// Two texts added one after the other differ from the same letters cut elsewhere.
    void add(std::string_view text);

    /// The content of a file, as add() would of its text but in small pieces; an empty text where it cannot
    /// be read.
    void add_file(const std::filesystem::path& file);

    /// 32 digits.
    [[nodiscard]] std::string hex() const;

private:
    void end(std::uint64_t size);

    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ascendsim::process
