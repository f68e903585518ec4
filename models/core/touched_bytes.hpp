// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ascendsim {

/// Which bytes of a buffer were touched last by which operation, by growing numbers from 1: in blocks of 32
/// bytes, exact to the byte within a block, and in pages for what touches whole ones.
///
/// A block that two operations touch in different places counts as touched by the later one in both.
class TouchedBytes {
public:
    /// Makes room for a buffer of `capacity` bytes, once; without it nothing is remembered.
    void reserve(std::size_t capacity) {
        if (pages_.empty()) [[unlikely]] {
            pages_.resize((capacity + page_bytes - 1) / page_bytes);
            blocks_.resize(pages_.size() * page_blocks);
        }
    }

    /// Operation `number`, the highest so far, touches [begin, end).
    void touch(std::uint64_t begin, std::uint64_t end, std::uint32_t number);
    /// True if an operation behind `known` touched one of [begin, end).
    [[nodiscard]] bool touched_since(std::uint64_t begin, std::uint64_t end, std::uint32_t known) const;

private:
    static constexpr std::uint64_t block_bytes = 32;
    static constexpr std::uint64_t page_bytes = 1024;
    static constexpr std::uint64_t page_blocks = page_bytes / block_bytes;

    struct Page {
        std::uint32_t newest = 0;  // touched any byte of it
        std::uint32_t whole = 0;   // touched every byte of it
    };

    struct Block {
        std::uint32_t number = 0;
        std::uint32_t bytes = 0;  // a bit each
    };

    /// The bits of [begin, end), both within one block or at its ends.
    [[nodiscard]] static std::uint32_t bits(std::uint64_t begin, std::uint64_t end) {
        const std::uint32_t below = end - begin >= block_bytes ? ~0U : (1U << (end - begin)) - 1;
        return below << (begin % block_bytes);
    }

    std::vector<Page> pages_;
    std::vector<Block> blocks_;
};

}  // namespace ascendsim
