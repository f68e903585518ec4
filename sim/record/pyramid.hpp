// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "sim/record/occupancy.hpp"

namespace ascendsim::record {

/// What a lane did, in buckets of 64, 128, 256 … cycles: a picture of any width reads a few buckets, not all
/// spans, and still shows the true density. Levels hold only reasons that occur on the lane. Those of more
/// than a bucket for four spans are not kept: the part that is looked at is made when it is asked for.
class Pyramid {
    struct Counts;
    struct Reasons;

public:
    static constexpr std::uint64_t finest_bucket = 64;  // cycles

    /// Buckets of one level.
    class Buckets {
    public:
        /// Cycles of `reason` in a bucket of those asked for; Reason::none is busy.
        [[nodiscard]] std::uint64_t cycles(std::size_t bucket, Reason reason) const;
        /// Adds buckets [first, last) of those asked for to `sum`.
        void add(std::size_t first, std::size_t last, Occupancy& sum) const;

    private:
        friend class Pyramid;

        Buckets(std::shared_ptr<const Counts> counts, const Reasons& reasons)
            : counts_{std::move(counts)}, reasons_{&reasons} {}

        std::shared_ptr<const Counts> counts_;
        const Reasons* reasons_;
    };

    /// Reads a lane of `recording`, which has to outlive it and must not grow. Levels finer than two buckets
    /// a span are left out: there the spans themselves are as quick to read.
    Pyramid(const Recording& recording, std::uint32_t lane);

    [[nodiscard]] std::size_t levels() const { return made_later_ + kept_.size(); }

    /// Cycles of one bucket of a level.
    [[nodiscard]] std::uint64_t bucket(std::size_t level) const { return finest_ << level; }

    /// Buckets of a level; the last may reach past the end of the run.
    [[nodiscard]] std::size_t buckets(std::size_t level) const;

    /// The coarsest level whose buckets are at most `cycles` long; levels() if even the finest are longer.
    [[nodiscard]] std::size_t level_for(std::uint64_t cycles) const;
    /// Buckets [first, last) of a level. Safe from several threads. They stay after the pyramid has made
    /// others, but not after its end.
    [[nodiscard]] Buckets read(std::size_t level, std::size_t first, std::size_t last) const;

    /// Cycles of `reason` in one bucket.
    [[nodiscard]] std::uint64_t cycles(std::size_t level, std::size_t bucket, Reason reason) const {
        return read(level, bucket, bucket + 1).cycles(bucket, reason);
    }

    [[nodiscard]] Occupancy at(std::size_t level, std::size_t bucket) const;

    /// The run time it was built for.
    [[nodiscard]] std::uint64_t end() const { return end_; }

    /// What it takes in memory, about, without what is made later.
    [[nodiscard]] std::size_t kept_bytes() const;

private:
    static constexpr std::uint8_t absent = 0xff;

    /// Where the counts of each reason stand in a bucket.
    struct Reasons {
        std::size_t count = 0;
        std::array<std::uint8_t, reason_count> place{};
        std::array<std::uint8_t, reason_count> at{};  // the reverse of place
    };

    /// Buckets [first, first + buckets) of a level; bucket b has its counts from (b - first) * reasons on, of
    /// 16 bits where the bucket is that short.
    struct Counts {
        std::size_t level = 0;
        std::size_t first = 0;
        std::size_t buckets = 0;
        std::vector<std::uint16_t> few;
        std::vector<std::uint32_t> many;

        [[nodiscard]] std::uint32_t operator[](std::size_t place) const {
            return few.empty() ? many[place] : few[place];
        }
    };

    void find_reasons();
    [[nodiscard]] std::shared_ptr<const Counts> fill(std::size_t level,
                                                     std::size_t first,
                                                     std::size_t last,
                                                     const Counts* known) const;
    void fill_from_spans(std::size_t level,
                         std::size_t first,
                         std::size_t last,
                         std::size_t at,
                         std::vector<std::uint32_t>& counts) const;
    [[nodiscard]] std::shared_ptr<const Counts> halve(const Counts& fine) const;
    [[nodiscard]] std::shared_ptr<const Counts> packed(std::size_t level,
                                                       std::size_t first,
                                                       std::vector<std::uint32_t> counts) const;

    const Recording& recording_;
    std::uint32_t lane_;
    std::uint64_t end_ = 0;
    std::uint64_t finest_ = finest_bucket;
    std::size_t made_later_ = 0;  // levels finer than those kept
    Reasons reasons_;
    std::vector<std::shared_ptr<const Counts>> kept_;  // of whole levels
    mutable std::mutex mutex_;
    mutable std::shared_ptr<const Counts> looked_at_;  // of a level that is made later
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
