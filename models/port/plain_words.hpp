// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "models/port/plain_access.hpp"

namespace ascendsim::isa {

/// What plain pointers touch in no order that makes a run: words of 8 bytes of the host's memory, which bytes
/// of each were read and written, and at which places. They lie in pages, as loops that go hither and thither
/// stay within a few, and the bits of a page fit the host's nearest cache.
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
    [[nodiscard]] bool knows(std::uint64_t address, std::uint64_t bytes, bool write) const {
        const std::uint64_t in_word = address % word_bytes;
        if (in_word + bytes > word_bytes) [[unlikely]] {
            const std::uint64_t first = word_bytes - in_word;
            return knows(address, first, write) && knows(address + first, bytes - first, write);
        }
        const Page* page = find(address / page_bytes);
        if (page == nullptr) {
            return false;
        }
        const auto mask = ((1U << bytes) - 1U) << in_word;
        const std::size_t word = address % page_bytes / word_bytes;
        return ((write ? page->written[word] : page->touched[word]) & mask) == mask;
    }

    /// True if some of these bytes were written.
    [[nodiscard]] bool wrote(std::uint64_t address, std::uint64_t bytes) const;
    /// `site` touches its bytes at `address`.
    void mark(PlainSite& site, std::uint64_t address);
    /// Runs of what was written, or read, by address.
    [[nodiscard]] std::vector<Run> runs(bool write);
    void clear();

private:
    static constexpr std::uint64_t word_bytes = 8;
    static constexpr std::uint8_t whole_word = 0xFF;
    static constexpr std::size_t page_words = 512;
    static constexpr std::uint64_t page_bytes = page_words * word_bytes;
    static constexpr std::size_t recent_pages = 8192;

    struct Page {
        std::uint64_t key = 0;                           // address / page_bytes
        std::array<std::uint8_t, page_words> touched{};  // bytes of each word that were read or written
        std::array<std::uint8_t, page_words> written{};
        std::array<std::uint8_t, page_words> read{};
        std::array<std::uint64_t, page_words / 64> words{};  // those of which something was touched
        std::array<PlainSite*, page_words> reader{};
        std::array<PlainSite*, page_words> writer{};
        bool used = false;
    };

    [[nodiscard]] const Page* find(std::uint64_t key) const {
        const Page* page = recent_[key % recent_pages];
        return page != nullptr && page->key == key ? page : find_anew(key);
    }

    [[nodiscard]] const Page* find_anew(std::uint64_t key) const;
    Page& place(std::uint64_t key);

    std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
    mutable std::array<Page*, recent_pages> recent_{};
    std::vector<Page*> used_;
};

}  // namespace ascendsim::isa
