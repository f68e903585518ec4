// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ascendsim::record {

/// What a segment of a track's path stands for. The order is that of lists of tracks.
enum class TrackKind : std::uint8_t {
    node,    // a machine of a cluster
    device,  // a chip, with its memory
    group,   // cores of a device that belong together
    core,
    pipe,  // a unit of a core
    host,  // a machine's processors
    thread,
    stream,  // a queue of a device's work
    link,    // a connection between devices, or between host and device
    power,
    other,  // a kind that a later program writes
};

inline constexpr std::array<std::string_view, 11> track_kind_words{
    "node", "device", "group", "core", "pipe", "host", "thread", "stream", "link", "power", "other"};

/// One step of a track's path: a kind with a number ("device0"), a name ("mte2") or neither ("host").
struct TrackSegment {
    // NOLINTNEXTLINE(google-explicit-constructor): a kind alone is a whole segment
    TrackSegment(TrackKind of) : kind{of} {}

    TrackSegment(TrackKind of, std::uint32_t at) : kind{of}, number{at} {}

    TrackSegment(TrackKind of, std::string_view called) : kind{of}, name{called} {}

    TrackKind kind;
    std::optional<std::uint32_t> number;
    std::string name;  // of kind `other`: the whole segment, "word:name"

    friend bool operator==(const TrackSegment&, const TrackSegment&) = default;
    /// By kind, number and name; names with numbers in them by these, so "aiv2" comes before "aiv10".
    friend std::strong_ordering operator<=>(const TrackSegment& a, const TrackSegment& b);
};

/// Where in the simulated system a lane lies: "device0/group1/aiv3/mte2", "host/thread0", "link:pcie0". Names
/// of cores and pipes are the models' own.
///
/// As text, segments stand between slashes: a kind's word ("host"), a word and its number ("node0"), a word,
/// a colon and a name ("link:pcie0"). A name alone is a core, or below a core its pipe. A word that is no
/// kind's ("rack:4") makes a segment of kind `other`.
class TrackPath {
public:
    static constexpr std::size_t most_segments = 8;
    static constexpr std::size_t longest_name = 255;

    TrackPath() = default;
    /// A pipe is the last segment and has a core above it; no path has two cores.
    TrackPath(std::initializer_list<TrackSegment> segments);
    /// Reads what text() writes; throws UserError if it is no path.
    [[nodiscard]] static TrackPath parse(std::string_view text);
    /// The path of something below.
    [[nodiscard]] TrackPath operator/(const TrackSegment& below) const;

    [[nodiscard]] std::string text() const;

    [[nodiscard]] std::span<const TrackSegment> segments() const { return segments_; }

    [[nodiscard]] bool empty() const { return segments_.empty(); }

    /// The kind of the last segment: what the track is of. `other` for an empty path.
    [[nodiscard]] TrackKind kind() const { return empty() ? TrackKind::other : segments_.back().kind; }

    /// The number of the segment of a kind, if there is one and it has a number.
    [[nodiscard]] std::optional<std::uint32_t> number(TrackKind kind) const;

    /// True if a segment is of the kind: everything on a device has(TrackKind::device).
    [[nodiscard]] bool has(TrackKind kind) const { return find(kind) != nullptr; }

    /// True for lanes of a core.
    [[nodiscard]] bool on_core() const { return has(TrackKind::core); }

    /// The core's name, "aiv3"; empty outside of cores.
    [[nodiscard]] std::string_view core() const;
    /// The pipe's name, "mte2"; empty if the track is of none.
    [[nodiscard]] std::string_view pipe() const;
    /// The path up to the core; empty outside of cores.
    [[nodiscard]] TrackPath core_path() const;
    /// The last segment as a person calls it: "mte2", "thread0", "power".
    [[nodiscard]] std::string leaf() const;
    /// What a list shows the track under: the core's name, "aiv3", or the path above the last segment,
    /// "host"; the whole of a path of one segment.
    [[nodiscard]] std::string place() const;
    /// What a person calls the track: "aiv3 mte2", or the path as text outside of cores.
    [[nodiscard]] std::string title() const;

    friend bool operator==(const TrackPath&, const TrackPath&) = default;
    /// Segment by segment; cores thus in the order in which a machine has them. Pipes of a core have no order
    /// but that of the recording.
    friend std::strong_ordering operator<=>(const TrackPath& a, const TrackPath& b);

private:
    [[nodiscard]] const TrackSegment* find(TrackKind kind) const;

    std::vector<TrackSegment> segments_;
};

/// True if two runs mean the same by these paths: all segments are equal but groups, in which chips differ.
[[nodiscard]] bool same_track(const TrackPath& a, const TrackPath& b);

}  // namespace ascendsim::record
