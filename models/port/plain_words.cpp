// SPDX-License-Identifier: Apache-2.0
#include "models/port/plain_words.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace ascendsim::isa {
namespace {

constexpr std::size_t most_pages_kept = 4096;  // 48 MiB

}  // namespace

const PlainWords::Page* PlainWords::find_anew(std::uint64_t key) const {
    const auto known = pages_.find(key);
    if (known == pages_.end()) {
        return nullptr;
    }
    return recent_[key % recent_pages] = known->second.get();
}

PlainWords::Page& PlainWords::place(std::uint64_t key) {
    if (Page* page = recent_[key % recent_pages]; page != nullptr && page->key == key && page->used)
        [[likely]] {
        return *page;
    }
    std::unique_ptr<Page>& page = pages_[key];
    if (page == nullptr) {
        page = std::make_unique<Page>();
        page->key = key;
    }
    if (!page->used) {
        page->used = true;
        used_.push_back(page.get());
    }
    recent_[key % recent_pages] = page.get();
    return *page;
}

bool PlainWords::wrote(std::uint64_t address, std::uint64_t bytes) const {
    for (std::uint64_t at = address; at < address + bytes;) {
        const std::uint64_t end = std::min(address + bytes, (at / word_bytes + 1) * word_bytes);
        const auto mask = ((1U << (end - at)) - 1U) << (at % word_bytes);
        const Page* page = find(at / page_bytes);
        if (page != nullptr && (page->written[at % page_bytes / word_bytes] & mask) != 0) {
            return true;
        }
        at = end;
    }
    return false;
}

void PlainWords::mark(PlainSite& site, std::uint64_t address) {
    for (std::uint64_t at = address; at < address + site.bytes;) {
        const std::uint64_t end = std::min(address + site.bytes, (at / word_bytes + 1) * word_bytes);
        const auto mask = static_cast<std::uint8_t>(((1U << (end - at)) - 1U) << (at % word_bytes));
        Page& page = place(at / page_bytes);
        const std::size_t word = at % page_bytes / word_bytes;
        page.words[word / 64] |= std::uint64_t{1} << (word % 64);
        page.touched[word] |= mask;
        if (site.write != 0) {
            page.written[word] |= mask;
            page.writer[word] = &site;
        } else {
            page.read[word] |= mask;
            page.reader[word] = &site;
        }
        at = end;
    }
}

std::vector<PlainWords::Run> PlainWords::runs(bool write) {
    std::ranges::sort(used_, {}, &Page::key);
    std::vector<Run> found;
    const auto append = [&found](PlainSite* site, std::uint64_t byte, std::uint64_t bytes) {
        if (!found.empty() && found.back().site == site && found.back().end == byte) {
            found.back().end += bytes;
        } else {
            found.push_back({site, byte, byte + bytes});
        }
    };
    const auto add = [&](const Page& page, std::size_t word) {
        PlainSite* site = write ? page.writer[word] : page.reader[word];
        const std::uint8_t mask = write ? page.written[word] : page.read[word];
        const std::uint64_t begin = page.key * page_bytes + word * word_bytes;
        if (mask == whole_word) {
            return append(site, begin, word_bytes);
        }
        for (std::uint64_t i = 0; i < word_bytes; ++i) {
            if ((mask >> i & 1U) != 0) {
                append(site, begin + i, 1);
            }
        }
    };
    for (const Page* page : used_) {
        for (std::size_t i = 0; i < page->words.size(); ++i) {
            for (std::uint64_t bits = page->words[i]; bits != 0; bits &= bits - 1) {
                add(*page, i * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
            }
        }
    }
    return found;
}

void PlainWords::clear() {
    for (Page* page : used_) {
        for (std::size_t i = 0; i < page->words.size(); ++i) {
            for (std::uint64_t bits = std::exchange(page->words[i], 0); bits != 0; bits &= bits - 1) {
                const std::size_t word = i * 64 + static_cast<std::size_t>(std::countr_zero(bits));
                page->touched[word] = page->written[word] = page->read[word] = 0;
            }
        }
        page->used = false;
    }
    used_.clear();
    if (pages_.size() > most_pages_kept) {
        pages_.clear();
        recent_.fill(nullptr);
    }
}

}  // namespace ascendsim::isa
