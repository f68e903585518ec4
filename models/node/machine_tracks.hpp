// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/record/recorder.hpp"

namespace ascendsim::node {

/// A span of a track before it is written.
struct MachineSpan {
    std::uint64_t start = 0;  // cycle
    std::uint64_t end = 0;
    std::string what;
    std::string place;  // file:line
    record::Reason reason = record::Reason::none;
    std::optional<std::uint64_t> task{};  // that it is of
    std::optional<std::uint64_t> gate{};  // the task whose end let it start
    bool gate_on_host = false;            // a call of the host
    std::uint64_t bytes = 0;
};

/// Tracks of the machine around the chips (threads of hosts, streams, copy engines, links) on their way into
/// a recording.
class MachineTracks {
public:
    /// `gate_of` tells what a task that has no span waited for, so that a wait on it finds a span to blame.
    using GateOf = std::function<std::optional<std::uint64_t>(std::uint64_t task)>;

    explicit MachineTracks(GateOf gate_of) : gate_of_{std::move(gate_of)} {}

    /// Adds a track and returns its number.
    std::size_t add(record::TrackPath path);

    [[nodiscard]] std::size_t size() const { return tracks_.size(); }

    /// Adds a span of some length, in any order; others are left out.
    void add(std::size_t track, MachineSpan span);
    /// Lets what lies between two spans of a track be a wait for what let the second one start.
    void fill_waits(std::size_t track);
    /// Adds the track of a link, which is busy while any of `flows` crosses it.
    void add_link(const std::string& name, std::vector<MachineSpan> flows);
    /// Writes all tracks that have spans.
    void write(record::Recorder& to);

private:
    using Place = std::pair<std::size_t, std::uint64_t>;  // track and index in it

    struct Track {
        record::TrackPath path;
        std::vector<MachineSpan> spans;
    };

    void number_spans();
    [[nodiscard]] std::optional<Place> culprit_of(const MachineSpan& span) const;

    GateOf gate_of_;
    std::vector<Track> tracks_;
    std::vector<std::optional<Place>> places_;  // of each task's span
};

/// "file:line" taken apart.
[[nodiscard]] std::pair<std::string, std::uint32_t> file_and_line(const std::string& place);

}  // namespace ascendsim::node
