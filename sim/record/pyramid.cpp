// SPDX-License-Identifier: Apache-2.0
#include "sim/record/pyramid.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

namespace ascendsim::record {

namespace {

constexpr std::uint64_t fewest_buckets = 1024;  // of the finest level that is kept
constexpr std::uint64_t spans_of_bucket = 4;    // of levels that are kept, at least

}  // namespace

Pyramid::Buckets::Buckets(std::shared_ptr<const Sums> sums,
                          const Reasons& reasons,
                          std::size_t level,
                          double end)
    : sums_{std::move(sums)},
      reasons_{&reasons},
      shift_{level - sums_->level},
      size_{static_cast<double>(sums_->bucket << shift_)},
      end_{end} {}

std::uint64_t Pyramid::Buckets::cycles(std::size_t bucket, Reason reason) const {
    const std::uint8_t place = reasons_->place[static_cast<std::size_t>(reason)];
    return place == absent ? 0 : sums_->at(place, border(bucket + 1)) - sums_->at(place, border(bucket));
}

void Pyramid::Buckets::add(std::size_t first, std::size_t last, Occupancy& sum) const {
    const std::size_t from = border(first);
    const std::size_t to = border(last);
    for (std::size_t place = 0; place < reasons_->count; ++place) {
        sum.cycles[reasons_->at[place]] += sums_->at(place, to) - sums_->at(place, from);
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
    levels_ = made_later_ + 1;
    while (buckets(levels_ - 1) > 1) {
        ++levels_;
    }
    find_reasons();
    kept_ = fill(made_later_, 0, buckets(made_later_), nullptr);
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

// What is in bucket b goes to the border behind it, place b + 1 - at.
void Pyramid::fill_from_spans(std::size_t level,
                              std::size_t first,
                              std::size_t last,
                              std::size_t at,
                              std::size_t stride,
                              std::vector<std::uint64_t>& counts) const {
    const std::uint64_t size = bucket(level);
    for_each_stretch(recording_, lane_, first * size, last * size, [&](const Stretch& stretch) {
        const std::size_t place = reasons_.place[static_cast<std::size_t>(stretch.reason)];
        for (std::uint64_t now = stretch.start; now < stretch.end;) {
            const std::uint64_t in = now / size;
            const std::uint64_t until = std::min(stretch.end, (in + 1) * size);
            counts[place * stride + in + 1 - at] += until - now;
            now = until;
        }
    });
}

// Reads only what is not in `known`, which may be of another level.
std::shared_ptr<const Pyramid::Sums> Pyramid::fill(std::size_t level,
                                                   std::size_t first,
                                                   std::size_t last,
                                                   const Sums* known) const {
    const std::size_t stride = last - first + 1;
    std::vector<std::uint64_t> counts(stride * reasons_.count);
    const bool of_level = known != nullptr && known->level == level;
    const std::size_t from = of_level ? std::clamp(known->first, first, last) : last;
    const std::size_t to = of_level ? std::clamp(known->first + known->buckets, from, last) : last;
    if (first < from) {
        fill_from_spans(level, first, from, first, stride, counts);
    }
    for (std::size_t place = 0; place < reasons_.count; ++place) {
        for (std::size_t bucket = from; bucket < to; ++bucket) {
            const std::size_t border = bucket - known->first;
            counts[place * stride + bucket + 1 - first] =
                known->at(place, border + 1) - known->at(place, border);
        }
    }
    if (to < last) {
        fill_from_spans(level, to, last, first, stride, counts);
    }
    for (auto line = counts.begin(); line != counts.end(); line += static_cast<std::ptrdiff_t>(stride)) {
        std::partial_sum(line, line + static_cast<std::ptrdiff_t>(stride), line);
    }
    auto result = std::make_shared<Sums>();
    result->level = level;
    result->first = first;
    result->buckets = last - first;
    result->bucket = bucket(level);
    if (end_ <= std::numeric_limits<std::uint32_t>::max()) {
        result->narrow.assign(counts.begin(), counts.end());
    } else {
        result->wide = std::move(counts);
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

std::shared_ptr<const Pyramid::Sums> Pyramid::made(std::size_t level,
                                                   std::size_t first,
                                                   std::size_t last) const {
    const std::lock_guard lock{mutex_};
    const bool known = looked_at_ != nullptr && looked_at_->level == level && looked_at_->first <= first &&
                       last <= looked_at_->first + looked_at_->buckets;
    return known ? looked_at_ : nullptr;
}

bool Pyramid::has(std::size_t level, std::size_t first, std::size_t last) const {
    return level >= made_later_ || made(level, first, std::min(last, buckets(level))) != nullptr;
}

// Nobody waits while spans are read, so two threads may read the same.
Pyramid::Buckets Pyramid::read(std::size_t level, std::size_t first, std::size_t last) const {
    const auto end = static_cast<double>(end_);
    if (level >= made_later_) {
        return {kept_, reasons_, level, end};
    }
    last = std::min(last, buckets(level));
    if (const std::shared_ptr<const Sums> known = made(level, first, last)) {
        return {known, reasons_, level, end};
    }
    std::shared_ptr<const Sums> known;
    {
        const std::lock_guard lock{mutex_};
        known = looked_at_;
    }
    // Some more on both sides, so that moving on does not read at every step.
    const std::size_t margin = (last - first) / 4 + 16;
    const std::shared_ptr<const Sums> filled = fill(
        level, first > margin ? first - margin : 0, std::min(last + margin, buckets(level)), known.get());
    const std::lock_guard lock{mutex_};
    looked_at_ = filled;
    return {filled, reasons_, level, end};
}

Occupancy Pyramid::at(std::size_t level, std::size_t bucket) const {
    Occupancy result;
    read(level, bucket, bucket + 1).add(bucket, bucket + 1, result);
    return result;
}

std::size_t Pyramid::kept_bytes() const {
    return kept_->narrow.capacity() * sizeof(std::uint32_t) + kept_->wide.capacity() * sizeof(std::uint64_t);
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
