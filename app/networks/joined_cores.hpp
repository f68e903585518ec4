// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/record/recorder.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::report {

/// The pipes of cores in a recording of several launches, copied from recordings of one launch each and moved
/// to their times. Every cycle of a pipe has a reason: where a core did not run, its pipes are unused.
class JoinedCores {
public:
    /// `to` must outlive it. Cores lie below their own device, or below `device`, if that is given.
    explicit JoinedCores(record::Recorder& to, record::TrackPath device = {})
        : to_{to}, device_{std::move(device)} {}

    /// A launch, from `start`, where the one before it ended, to `end`. What reaches beyond that is cut.
    void copy(const record::Recording& from, std::uint64_t start, std::uint64_t end);

    /// Up to here nothing runs.
    void wait(std::uint64_t until) { finish(until, {}); }

    /// A launch whose pipes are not known.
    void leave_out(std::uint64_t end) { finish(end, "not recorded"); }

    /// Cores that ran in any launch.
    [[nodiscard]] std::size_t count() const { return cores_.size(); }

private:
    using Lanes = std::vector<std::optional<std::uint32_t>>;

    struct Lane {
        std::uint32_t number = 0;
        std::uint64_t end = 0;  // of its last span
        bool used = false;      // in this launch
    };

    /// What a launch's spans are moved by, and where those that they name are now.
    struct Move {
        std::uint64_t start;
        std::uint64_t end;
        const Lanes& lanes;                       // by lane of the launch's recording
        const std::vector<std::uint64_t>& first;  // by lane of this one: the index of the launch's first span
    };

    [[nodiscard]] std::uint32_t lane_of(const record::TrackPath& own, std::uint64_t start);
    void fill(std::uint32_t lane, std::uint64_t until, record::Reason reason, std::string_view what);
    void copy_lane(const record::Recording& from, std::uint32_t number, std::uint32_t to, const Move& move);
    void copy_buffers(const record::Recording& from, const Move& move);
    void finish(std::uint64_t end, std::string_view what);
    [[nodiscard]] std::uint32_t site_of(const record::Recording& from, std::uint32_t site);

    [[nodiscard]] record::TrackPath placed(const record::TrackPath& path) const;

    record::Recorder& to_;
    record::TrackPath device_;
    std::map<std::string, Lane> lanes_;  // by path
    std::vector<Lane*> numbers_;         // by number
    std::set<std::string> files_;        // of places: the recorder keeps their addresses
    std::set<std::string> cores_;
};

}  // namespace ascendsim::report
