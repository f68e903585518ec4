// SPDX-License-Identifier: Apache-2.0
#include "models/timeline/conflict_places.hpp"

#include <algorithm>
#include <tuple>

namespace ascendsim {

namespace {

constexpr std::uint32_t conflict_block_bytes = 32;

}  // namespace

void ConflictPlaces::add(const isa::TimedOp& op) {
    const auto [entry, fresh] =
        sums_.try_emplace({.info = op.info, .file = op.site.file, .line = op.site.line, .collision = op.a},
                          Sum{.number = sums_.size(), .dst = op.offset, .sources = op.id});
    ++entry->second.count;
    entry->second.cycles += op.conflict;
}

void ConflictPlaces::add(const ConflictPlaces& other) {
    for (const auto* one : other.in_order()) {
        const Sum& from = one->second;
        const std::size_t number = sums_.size();
        const auto [entry, fresh] = sums_.try_emplace(one->first, from);
        if (fresh) {
            entry->second.number = number;
        } else {
            entry->second.count += from.count;
            entry->second.cycles += from.cycles;
        }
    }
}

// Several places may be one in list(), which shows the operands of the first: not of the lowest address.
std::vector<const std::pair<const ConflictPlaces::Place, ConflictPlaces::Sum>*> ConflictPlaces::in_order()
    const {
    std::vector<const std::pair<const Place, Sum>*> result;
    for (const auto& one : sums_) {
        result.push_back(&one);
    }
    std::ranges::sort(result, {}, [](const auto* one) { return one->second.number; });
    return result;
}

std::vector<ConflictAt> ConflictPlaces::list() const {
    using Key = std::tuple<std::string_view, std::string, std::uint32_t, std::uint8_t>;
    std::map<Key, ConflictAt> places;
    for (const auto* one : in_order()) {
        const auto& [place, sum] = *one;
        const auto [entry, fresh] =
            places.try_emplace(Key{place.info->name, place.file, place.line, place.collision},
                               ConflictAt{.instruction = place.info->name,
                                          .file = place.file,
                                          .line = place.line,
                                          .collision = place.collision,
                                          .dst = sum.dst,
                                          .source0 = (sum.sources & 0xffffU) * conflict_block_bytes,
                                          .source1 = (sum.sources >> 16U) * conflict_block_bytes});
        entry->second.count += sum.count;
        entry->second.cycles += sum.cycles;
    }
    std::vector<ConflictAt> result;
    for (auto& [key, conflict] : places) {
        result.push_back(std::move(conflict));
    }
    std::ranges::stable_sort(result, std::ranges::greater{}, &ConflictAt::cycles);
    return result;
}

}  // namespace ascendsim
