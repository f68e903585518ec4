// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "sim/record/occupancy.hpp"

namespace ascendsim::record {

/// What a lane did, in buckets of 64, 128, 256 … cycles: a picture of any width reads a few buckets, not all
/// spans, and still shows the true density. What is kept are sums up to each border of buckets, of the
/// reasons that occur on the lane, so that what lies between two moments takes two places, however many
/// buckets it has. Levels of more than a bucket for four spans are not kept: the part that is looked at is
/// made when it is asked for.
class Pyramid {
    struct Sums;
    struct Reasons;

public:
    static constexpr std::uint64_t finest_bucket = 64;  // cycles

    /// A moment between two borders of buckets.
    struct Moment {
        std::size_t border = 0;  ///< the last one not behind it
        std::size_t next = 0;
        double share = 0;  ///< of the bucket between them that lies before the moment
    };

    /// Buckets of one level.
    class Buckets {
    public:
        /// Cycles of `reason` in a bucket of those asked for; Reason::none is busy.
        [[nodiscard]] std::uint64_t cycles(std::size_t bucket, Reason reason) const;
        /// Adds buckets [first, last) of those asked for to `sum`.
        void add(std::size_t first, std::size_t last, Occupancy& sum) const;

        /// Where `cycle` lies, which is in or at the end of a bucket of those asked for.
        [[nodiscard]] Moment moment(double cycle) const;
        /// Cycles of `reason` from some cycle before all buckets asked for, the same for all moments, to
        /// `moment`. Within a bucket each cycle counts alike.
        [[nodiscard]] double before(const Moment& moment, Reason reason) const;

        /// What occurs on the lane, as indices of reasons.
        [[nodiscard]] std::span<const std::uint8_t> reasons() const;

    private:
        friend class Pyramid;

        Buckets(std::shared_ptr<const Sums> sums, const Reasons& reasons, std::size_t level, double end);
        /// The place of a border among the sums.
        [[nodiscard]] std::size_t border(std::size_t bucket) const;

        std::shared_ptr<const Sums> sums_;
        const Reasons* reasons_;
        std::size_t shift_;  // levels above that of the sums
        double size_;        // cycles of a bucket
        double end_;         // of the run
    };

    /// Reads a lane of `recording`, which has to outlive it and must not grow. Levels finer than two buckets
    /// a span are left out: there the spans themselves are as quick to read.
    Pyramid(const Recording& recording, std::uint32_t lane);

    [[nodiscard]] std::size_t levels() const { return levels_; }

    /// Cycles of one bucket of a level.
    [[nodiscard]] std::uint64_t bucket(std::size_t level) const { return finest_ << level; }

    /// Buckets of a level; the last may reach past the end of the run.
    [[nodiscard]] std::size_t buckets(std::size_t level) const;

    /// The coarsest level whose buckets are at most `cycles` long; levels() if even the finest are longer.
    [[nodiscard]] std::size_t level_for(std::uint64_t cycles) const;
    /// Buckets [first, last) of a level. Safe from several threads. They stay after the pyramid has made
    /// others, but not after its end.
    [[nodiscard]] Buckets read(std::size_t level, std::size_t first, std::size_t last) const;

    /// Whether read() has all that is asked for, and need not look at spans.
    [[nodiscard]] bool has(std::size_t level, std::size_t first, std::size_t last) const;

    /// The finest level that is always there.
    [[nodiscard]] std::size_t kept_level() const { return made_later_; }

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

    /// Sums up to the borders of buckets [first, first + buckets) of a level, from the first border on, one
    /// reason after the other; of 32 bits where no run of that length needs more.
    struct Sums {
        std::size_t level = 0;
        std::size_t first = 0;
        std::size_t buckets = 0;
        std::uint64_t bucket = 0;  // cycles
        std::vector<std::uint32_t> narrow;
        std::vector<std::uint64_t> wide;

        [[nodiscard]] std::uint64_t at(std::size_t reason, std::size_t border) const {
            const std::size_t place = reason * (buckets + 1) + border;
            return narrow.empty() ? wide[place] : narrow[place];
        }
    };

    void find_reasons();
    /// What was made later, if it is buckets [first, last) of a level; else null.
    [[nodiscard]] std::shared_ptr<const Sums> made(std::size_t level,
                                                   std::size_t first,
                                                   std::size_t last) const;
    [[nodiscard]] std::shared_ptr<const Sums> fill(std::size_t level,
                                                   std::size_t first,
                                                   std::size_t last,
                                                   const Sums* known) const;
    void fill_from_spans(std::size_t level,
                         std::size_t first,
                         std::size_t last,
                         std::size_t at,
                         std::size_t stride,
                         std::vector<std::uint64_t>& counts) const;

    const Recording& recording_;
    std::uint32_t lane_;
    std::uint64_t end_ = 0;
    std::uint64_t finest_ = finest_bucket;
    std::size_t levels_ = 0;
    std::size_t made_later_ = 0;  // levels finer than the one kept
    Reasons reasons_;
    std::shared_ptr<const Sums> kept_;  // of a whole level, which coarser ones are borders of
    mutable std::mutex mutex_;
    mutable std::shared_ptr<const Sums> looked_at_;  // of a level that is made later
};

inline std::size_t Pyramid::Buckets::border(std::size_t bucket) const {
    return std::min(bucket << shift_, sums_->first + sums_->buckets) - sums_->first;
}

inline Pyramid::Moment Pyramid::Buckets::moment(double cycle) const {
    const auto bucket = static_cast<std::size_t>(static_cast<std::int64_t>(cycle / size_));
    const double from = static_cast<double>(bucket) * size_;
    const double length = std::min(size_, end_ - from);
    return {.border = border(bucket),
            .next = border(bucket + 1),
            .share = length > 0 ? (cycle - from) / length : 0};
}

inline double Pyramid::Buckets::before(const Moment& moment, Reason reason) const {
    const std::uint8_t place = reasons_->place[static_cast<std::size_t>(reason)];
    if (place == absent) {
        return 0;
    }
    const std::uint64_t from = sums_->at(place, moment.border);
    const std::uint64_t to = sums_->at(place, moment.next);
    return static_cast<double>(from) + moment.share * static_cast<double>(to - from);
}

inline std::span<const std::uint8_t> Pyramid::Buckets::reasons() const {
    return std::span{reasons_->at}.first(reasons_->count);
}

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
