// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/port/plain_access.hpp"

namespace ascendsim::isa {

/// What plain pointers touch in no order that makes a run: words of 8 bytes of the host's memory, which bytes
/// of each were read and written, and at which places last.
class PlainWords {
public:
    /// A run of bytes that one place has touched.
    struct Run {
        PlainSite* site = nullptr;
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
    };

    [[nodiscard]] bool empty() const { return used_.empty(); }

    /// True if all of these bytes were touched in this way before, or written.
    [[nodiscard]] bool knows(std::uint64_t address, std::uint64_t bytes, bool write) const;
    /// True if some of these bytes were written.
    [[nodiscard]] bool wrote(std::uint64_t address, std::uint64_t bytes) const;
    /// True if all of the bytes that `site` touches at `address` lie in one word and were touched in its way
    /// before; then they are marked again.
    [[nodiscard]] bool mark_again(PlainSite& site, std::uint64_t address);
    /// `site` touches its bytes at `address`.
    void mark(PlainSite& site, std::uint64_t address);
    /// Runs of what was written, or read, by address; none is larger than `most` and leaves a multiple of it.
    [[nodiscard]] std::vector<Run> runs(bool write, std::uint64_t most);
    void clear();

private:
    struct Word {
        std::uint64_t key = 0;  // address / 8; 0: free
        PlainSite* reader = nullptr;
        PlainSite* writer = nullptr;
        std::uint8_t read = 0;  // by byte
        std::uint8_t written = 0;
    };

    [[nodiscard]] const Word* find(std::uint64_t key) const;
    Word& place(std::uint64_t key);
    void grow();

    std::vector<Word> words_;          // as many as a power of two, at most half of them used
    std::vector<std::uint32_t> used_;  // places in words_
};

}  // namespace ascendsim::isa
