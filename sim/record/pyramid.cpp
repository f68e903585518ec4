// SPDX-License-Identifier: Apache-2.0
#include "sim/record/pyramid.hpp"

namespace ascendsim::record {

Pyramid::Pyramid(const Recording& recording, std::uint32_t lane) : end_{recording.cycles()} {
    const std::uint64_t most = std::max<std::uint64_t>(1024, recording.lane(lane).size() * std::uint64_t{2});
    while (end_ / finest_ > most) {
        finest_ *= 2;
    }
    find_reasons(recording, lane);
    fill_finest(recording, lane);
    while (levels_.back().buckets > 1) {
        halve();
    }
}

void Pyramid::find_reasons(const Recording& recording, std::uint32_t lane) {
    std::array<bool, reason_count> occurs{};
    for_each_stretch(recording, lane, 0, end_, [&](const Stretch& stretch) {
        occurs[static_cast<std::size_t>(stretch.reason)] = true;
    });
    for (std::size_t reason = 0; reason < reason_count; ++reason) {
        place_[reason] = occurs[reason] ? static_cast<std::uint8_t>(reasons_) : absent;
        if (occurs[reason]) {
            reason_at_[reasons_++] = static_cast<std::uint8_t>(reason);
        }
    }
}

void Pyramid::fill_finest(const Recording& recording, std::uint32_t lane) {
    Level level{.buckets = std::max<std::size_t>(1, (end_ + finest_ - 1) / finest_), .counts = {}};
    level.counts.resize(level.buckets * reasons_);
    for_each_stretch(recording, lane, 0, end_, [&](const Stretch& stretch) {
        const std::size_t place = place_[static_cast<std::size_t>(stretch.reason)];
        for (std::uint64_t now = stretch.start; now < stretch.end;) {
            const std::uint64_t bucket = now / finest_;
            const std::uint64_t until = std::min(stretch.end, (bucket + 1) * finest_);
            level.counts[bucket * reasons_ + place] += static_cast<std::uint32_t>(until - now);
            now = until;
        }
    });
    levels_.push_back(std::move(level));
}

void Pyramid::halve() {
    const Level& fine = levels_.back();
    Level coarse{.buckets = (fine.buckets + 1) / 2, .counts = {}};
    coarse.counts.resize(coarse.buckets * reasons_);
    for (std::size_t bucket = 0; bucket < fine.buckets; ++bucket) {
        for (std::size_t place = 0; place < reasons_; ++place) {
            coarse.counts[bucket / 2 * reasons_ + place] += fine.counts[bucket * reasons_ + place];
        }
    }
    levels_.push_back(std::move(coarse));
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

std::uint64_t Pyramid::cycles(std::size_t level, std::size_t bucket, Reason reason) const {
    const std::uint8_t place = place_[static_cast<std::size_t>(reason)];
    return place == absent ? 0 : levels_[level].counts[bucket * reasons_ + place];
}

Occupancy Pyramid::at(std::size_t level, std::size_t bucket) const {
    Occupancy result;
    for (std::size_t reason = 0; reason < reason_count; ++reason) {
        result.cycles[reason] = cycles(level, bucket, static_cast<Reason>(reason));
    }
    return result;
}

void Pyramid::add(std::size_t level, std::size_t first, std::size_t last, Occupancy& sum) const {
    const std::uint32_t* count = levels_[level].counts.data() + first * reasons_;
    for (std::size_t bucket = first; bucket < last; ++bucket) {
        for (std::size_t place = 0; place < reasons_; ++place) {
            sum.cycles[reason_at_[place]] += *count++;
        }
    }
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
