// SPDX-License-Identifier: Apache-2.0
#include "models/port/plain_words.hpp"

#include <algorithm>

namespace ascendsim::isa {
namespace {

constexpr std::uint64_t word_bytes = 8;

std::size_t spread(std::uint64_t key) {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> 20U);
}

/// The bytes of [address, address + bytes) that lie in word `key`.
std::uint8_t mask_of(std::uint64_t key, std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t begin = std::max(address, key * word_bytes) - key * word_bytes;
    const std::uint64_t end = std::min(address + bytes, (key + 1) * word_bytes) - key * word_bytes;
    return static_cast<std::uint8_t>(((1U << end) - 1U) & ~((1U << begin) - 1U));
}

}  // namespace

const PlainWords::Word* PlainWords::find(std::uint64_t key) const {
    if (words_.empty()) {
        return nullptr;
    }
    for (std::size_t i = spread(key);; ++i) {
        const Word& word = words_[i & (words_.size() - 1)];
        if (word.key == key || word.key == 0) {
            return word.key == key ? &word : nullptr;
        }
    }
}

PlainWords::Word& PlainWords::place(std::uint64_t key) {
    if ((used_.size() + 1) * 2 > words_.size()) {
        grow();
    }
    for (std::size_t i = spread(key);; ++i) {
        const std::size_t at = i & (words_.size() - 1);
        if (words_[at].key == 0) {
            words_[at].key = key;
            used_.push_back(static_cast<std::uint32_t>(at));
        }
        if (words_[at].key == key) {
            return words_[at];
        }
    }
}

void PlainWords::grow() {
    constexpr std::size_t least = 256;
    std::vector<Word> old(std::max(least, words_.size() * 2));
    old.swap(words_);
    std::vector<std::uint32_t> places;
    places.swap(used_);
    used_.reserve(words_.size() / 2);
    for (const std::uint32_t at : places) {
        place(old[at].key) = old[at];
    }
}

bool PlainWords::knows(std::uint64_t address, std::uint64_t bytes, bool write) const {
    for (std::uint64_t key = address / word_bytes; key * word_bytes < address + bytes; ++key) {
        const Word* word = find(key);
        const std::uint8_t mask = mask_of(key, address, bytes);
        if (word == nullptr || ((write ? word->written : word->read | word->written) & mask) != mask) {
            return false;
        }
    }
    return true;
}

bool PlainWords::wrote(std::uint64_t address, std::uint64_t bytes) const {
    for (std::uint64_t key = address / word_bytes; key * word_bytes < address + bytes; ++key) {
        const Word* word = find(key);
        if (word != nullptr && (word->written & mask_of(key, address, bytes)) != 0) {
            return true;
        }
    }
    return false;
}

bool PlainWords::mark_again(PlainSite& site, std::uint64_t address) {
    const std::uint64_t key = address / word_bytes;
    if (words_.empty() || (address + site.bytes - 1) / word_bytes != key) {
        return false;
    }
    for (std::size_t i = spread(key);; ++i) {
        Word& word = words_[i & (words_.size() - 1)];
        if (word.key == key) {
            const auto mask =
                static_cast<std::uint8_t>(((1U << site.bytes) - 1U) << (address - key * word_bytes));
            if (((site.write != 0 ? word.written : word.read | word.written) & mask) != mask) {
                return false;
            }
            if (site.write != 0) {
                word.writer = &site;
            } else {
                word.read |= mask;
                word.reader = &site;
            }
            return true;
        }
        if (word.key == 0) {
            return false;
        }
    }
}

void PlainWords::mark(PlainSite& site, std::uint64_t address) {
    for (std::uint64_t key = address / word_bytes; key * word_bytes < address + site.bytes; ++key) {
        Word& word = place(key);
        const std::uint8_t mask = mask_of(key, address, site.bytes);
        if (site.write != 0) {
            word.written |= mask;
            word.writer = &site;
        } else {
            word.read |= mask;
            word.reader = &site;
        }
    }
}

std::vector<PlainWords::Run> PlainWords::runs(bool write, std::uint64_t most) {
    std::ranges::sort(used_, {}, [this](std::uint32_t at) { return words_[at].key; });
    std::vector<Run> found;
    for (const std::uint32_t at : used_) {
        const Word& word = words_[at];
        PlainSite* site = write ? word.writer : word.reader;
        const std::uint8_t mask = write ? word.written : word.read;
        for (std::uint64_t i = 0; i < word_bytes; ++i) {
            if ((mask >> i & 1U) == 0) {
                continue;
            }
            const std::uint64_t byte = word.key * word_bytes + i;
            if (!found.empty() && found.back().site == site && found.back().end == byte && byte % most != 0) {
                ++found.back().end;
            } else {
                found.push_back({site, byte, byte + 1});
            }
        }
    }
    return found;
}

void PlainWords::clear() {
    for (const std::uint32_t at : used_) {
        words_[at] = {};
    }
    used_.clear();
}

}  // namespace ascendsim::isa
