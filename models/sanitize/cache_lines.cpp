// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/cache_lines.hpp"

#include <algorithm>

namespace ascendsim::sanitize {

std::vector<CacheLines::Store> CacheLines::store(const Touch& touch) {
    std::vector<Store> others;
    const std::uint64_t last = (touch.offset + std::max<std::uint64_t>(touch.extent, 1) - 1) / line_bytes_;
    for (std::uint64_t line = touch.offset / line_bytes_; line <= last; ++line) {
        Store* own = nullptr;
        auto& stores = lines_[line];
        for (Store& store : stores) {
            if (store.touch.core == touch.core) {
                own = &store;
            } else {
                others.push_back(store);
            }
        }
        if (own == nullptr) {
            stores.push_back({touch, false});
            own = &stores.back();
        }
        if (!own->dirty) {
            dirty_of_[touch.core].push_back(line);
        }
        *own = {touch, true};
    }
    return others;
}

std::vector<std::uint64_t> CacheLines::clean(std::uint16_t core, std::uint64_t offset, bool whole) {
    const auto found = dirty_of_.find(core);
    std::vector<std::uint64_t> left;
    if (found == dirty_of_.end()) {
        return left;
    }
    std::erase_if(found->second, [&](std::uint64_t line) {
        if (!whole && line != offset / line_bytes_) {
            return false;
        }
        for (Store& store : lines_[line]) {
            store.dirty = store.dirty && store.touch.core != core;
        }
        left.push_back(line * line_bytes_);
        return true;
    });
    return left;
}

bool CacheLines::dirty(std::uint16_t core, std::uint64_t offset) const {
    const auto line = lines_.find(offset / line_bytes_);
    return line != lines_.end() && std::ranges::any_of(line->second, [&](const Store& store) {
               return store.dirty && store.touch.core == core;
           });
}

void CacheLines::clear() {
    lines_.clear();
    dirty_of_.clear();
}

}  // namespace ascendsim::sanitize
