// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/record/occupancy.hpp"

namespace ascendsim::record {

/// What a lane did, in buckets of 64, 128, 256 … cycles: a picture of any width reads a few buckets, not all
/// spans, and still shows the true density. Levels hold only reasons that occur on the lane.
class Pyramid {
public:
    static constexpr std::uint64_t finest_bucket = 64;  // cycles

    /// Reads a lane of `recording` as it is now. Levels finer than two buckets a span are left out: there the
    /// spans themselves are as quick to read.
    Pyramid(const Recording& recording, std::uint32_t lane);

    [[nodiscard]] std::size_t levels() const { return levels_.size(); }

    /// Cycles of one bucket of a level.
    [[nodiscard]] std::uint64_t bucket(std::size_t level) const { return finest_ << level; }

    /// Buckets of a level; the last may reach past the end of the run.
    [[nodiscard]] std::size_t buckets(std::size_t level) const { return levels_[level].buckets; }

    /// The coarsest level whose buckets are at most `cycles` long; levels() if even the finest are longer.
    [[nodiscard]] std::size_t level_for(std::uint64_t cycles) const;
    /// Cycles of `reason` in a bucket; Reason::none is busy.
    [[nodiscard]] std::uint64_t cycles(std::size_t level, std::size_t bucket, Reason reason) const;
    [[nodiscard]] Occupancy at(std::size_t level, std::size_t bucket) const;

    /// Adds buckets [first, last) of a level to `sum`.
    void add(std::size_t level, std::size_t first, std::size_t last, Occupancy& sum) const;

    /// The run time it was built for.
    [[nodiscard]] std::uint64_t end() const { return end_; }

private:
    static constexpr std::uint8_t absent = 0xff;

    // Bucket b has its `reasons` counts from b * reasons on.
    struct Level {
        std::size_t buckets = 0;
        std::vector<std::uint32_t> counts;
    };

    void find_reasons(const Recording& recording, std::uint32_t lane);
    void fill_finest(const Recording& recording, std::uint32_t lane);
    void halve();

    std::uint64_t end_ = 0;
    std::uint64_t finest_ = finest_bucket;
    std::size_t reasons_ = 0;
    std::array<std::uint8_t, reason_count> place_{};
    std::array<std::uint8_t, reason_count> reason_at_{};  // the reverse of place_
    std::vector<Level> levels_;
};

/// The pyramids of a recording, each built when it is first asked for and again after the recording has
/// grown.
class Pyramids {
public:
    explicit Pyramids(const Recording& recording) : recording_{recording} {}

    [[nodiscard]] const Pyramid& lane(std::uint32_t number);

private:
    struct Built {
        std::unique_ptr<Pyramid> pyramid;
        std::size_t spans = 0;
    };

    const Recording& recording_;
    std::vector<Built> built_;
};

}  // namespace ascendsim::record
