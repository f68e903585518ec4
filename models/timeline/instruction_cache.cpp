// SPDX-License-Identifier: Apache-2.0
#include "models/timeline/instruction_cache.hpp"

#include <algorithm>
#include <bit>

namespace ascendsim {
namespace {

constexpr std::size_t odd = 0x9e3779b97f4a7c15ULL;

std::uint32_t code_bytes(const InstructionCacheSpec& spec, isa::OpKind kind) {
    return kind == isa::OpKind::compute || kind == isa::OpKind::transfer ? spec.call_bytes : spec.flag_bytes;
}

}  // namespace

std::size_t CodeLayout::Hash::operator()(const Place& place) const {
    return (std::bit_cast<std::size_t>(place.info) * odd ^ std::bit_cast<std::size_t>(place.file)) * odd ^
           place.line * odd;
}

std::uint32_t CodeLayout::unit_of(const isa::TimedOp& op) {
    const auto [entry, fresh] = units_.try_emplace({op.info, op.site.file, op.site.line}, 0);
    if (fresh) {
        end_ += code_bytes(spec_, op.kind);
        entry->second = static_cast<std::uint32_t>((end_ - 1) / spec_.fill_bytes);
    }
    return entry->second;
}

InstructionCache::InstructionCache(const InstructionCacheSpec& spec, CodeLayout& layout)
    : layout_{layout}, capacity_{std::max<std::size_t>(1, spec.bytes / spec.fill_bytes)} {}

bool InstructionCache::find(std::uint32_t unit) {
    if (unit >= used_.size() || used_[unit] == 0) {
        missing_ = unit;
        return false;
    }
    used_[unit] = ++uses_;
    latest_ = unit;
    return true;
}

void InstructionCache::fill() {
    if (held_ == capacity_) {
        const auto age = [](std::uint64_t use) { return use == 0 ? ~std::uint64_t{0} : use; };
        *std::ranges::min_element(used_, {}, age) = 0;
        --held_;
    }
    if (missing_ >= used_.size()) {
        used_.resize(std::size_t{missing_} + 1);
    }
    used_[missing_] = ++uses_;
    latest_ = missing_;
    ++held_;
}

}  // namespace ascendsim
