// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/data_caches.hpp"

#include <algorithm>

namespace ascendsim::sanitize {

void DataCaches::store(const CoreState& core, const Touch& touch) {
    for (const Store& other : remember(touch)) {
        const Touch& store = other.touch;
        const bool same_bytes =
            store.offset < touch.offset + touch.extent && touch.offset < store.offset + store.extent;
        const bool ordered = core.clocks[index(Pipe::scalar)].knows_of(store.core, store.strand, store.issue);
        if (!same_bytes && (other.dirty || !ordered)) {
            reporter_.report(Kind::cache_line_shared,
                             Memory::gm,
                             touch,
                             &store,
                             touch.offset,
                             touch.offset + touch.extent);
        }
    }
}

void DataCaches::check_read(const Touch& reader,
                            const Touch& writer,
                            std::uint64_t begin,
                            std::uint64_t end) {
    const bool through_same_cache = reader.core == writer.core && is_scalar(reader.strand);
    if (!through_same_cache && dirty(writer.core, begin)) {
        reporter_.report(Kind::cache_not_cleaned, Memory::gm, reader, &writer, begin, end);
    }
}

std::vector<DataCaches::Store> DataCaches::remember(const Touch& touch) {
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

std::vector<std::uint64_t> DataCaches::clean(std::uint16_t core, std::uint64_t offset, bool whole) {
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

bool DataCaches::dirty(std::uint16_t core, std::uint64_t offset) const {
    const auto line = lines_.find(offset / line_bytes_);
    return line != lines_.end() && std::ranges::any_of(line->second, [&](const Store& store) {
               return store.dirty && store.touch.core == core;
           });
}

void DataCaches::clear() {
    lines_.clear();
    dirty_of_.clear();
}

}  // namespace ascendsim::sanitize
