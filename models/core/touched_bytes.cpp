// SPDX-License-Identifier: Apache-2.0
#include "models/core/touched_bytes.hpp"

#include <algorithm>

namespace ascendsim {

void TouchedBytes::touch(std::uint64_t begin, std::uint64_t end, std::uint32_t number) {
    end = std::min(end, pages_.size() * page_bytes);
    while (begin < end) {
        const std::uint64_t page = begin / page_bytes;
        const std::uint64_t page_end = (page + 1) * page_bytes;
        const std::uint64_t stop = std::min(end, page_end);
        pages_[page].newest = number;
        if (stop - begin == page_bytes) {
            pages_[page].whole = number;
            begin = stop;
            continue;
        }
        while (begin < stop) {
            const std::uint64_t block_end = std::min(stop, (begin / block_bytes + 1) * block_bytes);
            Block& block = blocks_[begin / block_bytes];
            block.bytes |= bits(begin, block_end);
            block.number = number;
            begin = block_end;
        }
    }
}

bool TouchedBytes::touched_since(std::uint64_t begin, std::uint64_t end, std::uint32_t known) const {
    end = std::min(end, pages_.size() * page_bytes);
    while (begin < end) {
        const Page& page = pages_[begin / page_bytes];
        const std::uint64_t stop = std::min(end, (begin / page_bytes + 1) * page_bytes);
        if (page.newest <= known) {
            begin = stop;
            continue;
        }
        if (page.whole > known) {
            return true;
        }
        while (begin < stop) {
            const std::uint64_t block_end = std::min(stop, (begin / block_bytes + 1) * block_bytes);
            const Block& block = blocks_[begin / block_bytes];
            if (block.number > known && (block.bytes & bits(begin, block_end)) != 0) {
                return true;
            }
            begin = block_end;
        }
    }
    return false;
}

}  // namespace ascendsim
