// SPDX-License-Identifier: Apache-2.0
#include "sim/record/pyramid.hpp"

#include <algorithm>
#include <utility>

namespace ascendsim::record {

namespace {

constexpr std::uint64_t fewest_buckets = 1024;  // of the finest level that is kept
constexpr std::uint64_t spans_of_bucket = 4;    // of levels that are kept, at least

}  // namespace

std::uint64_t Pyramid::Buckets::cycles(std::size_t bucket, Reason reason) const {
    const std::uint8_t place = reasons_->place[static_cast<std::size_t>(reason)];
    return place == absent ? 0 : (*counts_)[(bucket - counts_->first) * reasons_->count + place];
}

void Pyramid::Buckets::add(std::size_t first, std::size_t last, Occupancy& sum) const {
    std::size_t at = (first - counts_->first) * reasons_->count;
    for (std::size_t bucket = first; bucket < last; ++bucket) {
        for (std::size_t place = 0; place < reasons_->count; ++place) {
            sum.cycles[reasons_->at[place]] += (*counts_)[at++];
        }
    }
}

Pyramid::Pyramid(const Recording& recording, std::uint32_t lane)
    : recording_{recording}, lane_{lane}, end_{recording.cycles()} {
    const std::uint64_t spans = recording.lane(lane).size();
    while (end_ / finest_ > std::max(fewest_buckets, spans * 2)) {
        finest_ *= 2;
    }
    while (end_ / bucket(made_later_) > std::max(fewest_buckets, spans / spans_of_bucket)) {
        ++made_later_;
    }
    find_reasons();
    kept_.push_back(fill(made_later_, 0, buckets(made_later_), nullptr));
    while (kept_.back()->buckets > 1) {
        kept_.push_back(halve(*kept_.back()));
    }
}

std::size_t Pyramid::buckets(std::size_t level) const {
    return std::max<std::size_t>(1, (end_ + bucket(level) - 1) / bucket(level));
}

void Pyramid::find_reasons() {
    const Occupancy all = occupancy(recording_, lane_, 0, end_);
    for (std::size_t reason = 0; reason < reason_count; ++reason) {
        const bool occurs = all.cycles[reason] != 0;
        reasons_.place[reason] = occurs ? static_cast<std::uint8_t>(reasons_.count) : absent;
        if (occurs) {
            reasons_.at[reasons_.count++] = static_cast<std::uint8_t>(reason);
        }
    }
}

void Pyramid::fill_from_spans(std::size_t level,
                              std::size_t first,
                              std::size_t last,
                              std::size_t at,
                              std::vector<std::uint32_t>& counts) const {
    const std::uint64_t size = bucket(level);
    for_each_stretch(recording_, lane_, first * size, last * size, [&](const Stretch& stretch) {
        const std::size_t place = reasons_.place[static_cast<std::size_t>(stretch.reason)];
        for (std::uint64_t now = stretch.start; now < stretch.end;) {
            const std::uint64_t in = now / size;
            const std::uint64_t until = std::min(stretch.end, (in + 1) * size);
            counts[(in - at) * reasons_.count + place] += static_cast<std::uint32_t>(until - now);
            now = until;
        }
    });
}

// Reads only what is not in `known`, which may be of another level.
std::shared_ptr<const Pyramid::Counts> Pyramid::fill(std::size_t level,
                                                     std::size_t first,
                                                     std::size_t last,
                                                     const Counts* known) const {
    std::vector<std::uint32_t> counts((last - first) * reasons_.count);
    const bool of_level = known != nullptr && known->level == level;
    const std::size_t from = of_level ? std::clamp(known->first, first, last) : last;
    const std::size_t to = of_level ? std::clamp(known->first + known->buckets, from, last) : last;
    if (first < from) {
        fill_from_spans(level, first, from, first, counts);
    }
    for (std::size_t i = from * reasons_.count; i < to * reasons_.count; ++i) {
        counts[i - first * reasons_.count] = (*known)[i - known->first * reasons_.count];
    }
    if (to < last) {
        fill_from_spans(level, to, last, first, counts);
    }
    return packed(level, first, std::move(counts));
}

std::shared_ptr<const Pyramid::Counts> Pyramid::halve(const Counts& fine) const {
    std::vector<std::uint32_t> counts((fine.buckets + 1) / 2 * reasons_.count);
    for (std::size_t bucket = 0; bucket < fine.buckets; ++bucket) {
        for (std::size_t place = 0; place < reasons_.count; ++place) {
            counts[bucket / 2 * reasons_.count + place] += fine[bucket * reasons_.count + place];
        }
    }
    return packed(fine.level + 1, 0, std::move(counts));
}

std::shared_ptr<const Pyramid::Counts> Pyramid::packed(std::size_t level,
                                                       std::size_t first,
                                                       std::vector<std::uint32_t> counts) const {
    auto result = std::make_shared<Counts>();
    result->level = level;
    result->first = first;
    result->buckets = reasons_.count == 0 ? buckets(level) - first : counts.size() / reasons_.count;
    if (bucket(level) <= 0xffffU) {
        result->few.assign(counts.begin(), counts.end());
    } else {
        result->many = std::move(counts);
    }
    return result;
}

std::size_t Pyramid::level_for(std::uint64_t cycles) const {
    if (cycles < finest_) {
        return levels();
    }
    std::size_t level = 0;
    while (level + 1 < levels() && bucket(level + 1) <= cycles) {
        ++level;
    }
    return level;
}

Pyramid::Buckets Pyramid::read(std::size_t level, std::size_t first, std::size_t last) const {
    if (level >= made_later_) {
        return {kept_[level - made_later_], reasons_};
    }
    last = std::min(last, buckets(level));
    const std::lock_guard lock{mutex_};
    const bool known = looked_at_ != nullptr && looked_at_->level == level && looked_at_->first <= first &&
                       last <= looked_at_->first + looked_at_->buckets;
    if (!known) {
        // Some more on both sides, so that moving on does not read at every step.
        const std::size_t margin = (last - first) / 4 + 16;
        looked_at_ = fill(level,
                          first > margin ? first - margin : 0,
                          std::min(last + margin, buckets(level)),
                          looked_at_.get());
    }
    return {looked_at_, reasons_};
}

Occupancy Pyramid::at(std::size_t level, std::size_t bucket) const {
    Occupancy result;
    read(level, bucket, bucket + 1).add(bucket, bucket + 1, result);
    return result;
}

std::size_t Pyramid::kept_bytes() const {
    std::size_t bytes = 0;
    for (const auto& level : kept_) {
        bytes +=
            level->few.capacity() * sizeof(std::uint16_t) + level->many.capacity() * sizeof(std::uint32_t);
    }
    return bytes;
}

const Pyramid& Pyramids::lane(std::uint32_t number) {
    if (number >= built_.size()) {
        built_.resize(recording_.lanes().size());
    }
    Built& built = built_[number];
    const std::size_t spans = recording_.lane(number).size();
    if (built.pyramid == nullptr || built.spans != spans || built.pyramid->end() != recording_.cycles()) {
        built = {std::make_unique<Pyramid>(recording_, number), spans};
    }
    return *built.pyramid;
}

}  // namespace ascendsim::record
