// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/record/axis_shift.hpp"
#include "sim/record/lanes/lane.hpp"
#include "sim/record/recorder.hpp"
#include "sim/record/span.hpp"

namespace ascendsim::record {

/// A source place of a span; `file` is empty where there is none.
struct SourceLine {
    std::string file;
    std::uint32_t line = 0;
    std::uint32_t caller =
        0;  // number of the kernel's line whose call led here; 0 if it is one of the kernel's own

    friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

/// A buffer's life, with its own label.
struct Buffer {
    std::uint32_t core_index = 0;
    std::uint8_t memory = 0;
    std::uint32_t offset = 0;  // B
    std::uint32_t bytes = 0;
    std::uint64_t from = 0;  // cycle
    std::uint64_t to = 0;    // cycle; 0 while alive
    std::uint32_t site = 0;
    std::uint32_t label = 0;  // a name, see Recording::name()
};

/// How much of a recording to read.
enum class Extent : std::uint8_t {
    everything,
    heads,  // all but spans and buffers: lanes, names, places, metadata, events, totals
};

/// A recording, read as far as it goes. A tail that is still being written is left for refresh().
class Recording {
public:
    /// Reads `file`; throws UserError if it is not a recording, of another version, or damaged.
    explicit Recording(const std::filesystem::path& file, Extent extent = Extent::everything);
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;
    Recording(Recording&&) noexcept;
    Recording& operator=(Recording&&) noexcept;
    ~Recording();

    /// Reads what has been added since; true if there was anything. Throws as the constructor does.
    bool refresh();

    /// Puts what happened on cores onto another axis, and the totals' and events' cycles with it; the run
    /// then has at least `length` cycles. For a recording that is complete; it is not refreshed any more.
    void put_cores_on(const AxisMap& axis, std::uint64_t length);

    [[nodiscard]] const std::filesystem::path& path() const;

    [[nodiscard]] const std::vector<Lane>& lanes() const { return lanes_; }

    [[nodiscard]] const Lane& lane(std::uint32_t number) const { return lanes_[number]; }

    /// The number of the lane that is the same track, see same_track().
    [[nodiscard]] std::optional<std::uint32_t> find(const TrackPath& path) const;

    /// The span, or one without culprit and of no length if the recording does not reach it yet.
    [[nodiscard]] Span span(SpanId id) const;

    [[nodiscard]] bool contains(SpanId id) const {
        return id.lane < lanes_.size() && id.index < lanes_[id.lane].size();
    }

    [[nodiscard]] std::uint64_t span_count() const;

    /// The text of Span::op or Buffer::label.
    [[nodiscard]] std::string_view name(std::uint32_t number) const;
    [[nodiscard]] const SourceLine& site(std::uint32_t number) const;

    /// The kernel's own line: the caller's of a place in a library, else the place itself.
    [[nodiscard]] const SourceLine& kernel_line(std::uint32_t number) const {
        return site(kernel_site(number));
    }

    /// Its number.
    [[nodiscard]] std::uint32_t kernel_site(std::uint32_t number) const {
        const std::uint32_t caller = site(number).caller;
        return caller == 0 ? number : caller;
    }

    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

    [[nodiscard]] const std::vector<SourceLine>& sites() const { return sites_; }

    [[nodiscard]] const std::vector<Buffer>& buffers() const { return buffers_; }

    [[nodiscard]] const nlohmann::json& metadata() const { return metadata_; }

    [[nodiscard]] const nlohmann::json& events() const { return events_; }

    [[nodiscard]] const nlohmann::json& totals() const { return totals_; }

    /// True once the run has ended and its totals are here.
    [[nodiscard]] bool complete() const { return !totals_.is_null(); }

    /// The run time in cycles: as in the totals, before these the last cycle anything happened in.
    [[nodiscard]] std::uint64_t cycles() const;
    /// First cycle of any span of a lane's core, of a lane outside of cores its own; cycles() if there is
    /// none.
    [[nodiscard]] std::uint64_t launch_end(std::uint32_t lane) const;

private:
    class Source;
    friend class FrameReader;

    std::unique_ptr<Source> source_;
    std::vector<Lane> lanes_;
    CoreNumbers cores_;
    std::vector<std::uint64_t> core_starts_;
    std::uint64_t last_cycle_ = 0;
    std::vector<std::string> names_{""};
    std::vector<SourceLine> sites_{SourceLine{}};
    std::vector<Buffer> buffers_;
    nlohmann::json metadata_ = nlohmann::json::object();
    nlohmann::json events_ = nlohmann::json::array();
    nlohmann::json totals_;
};

}  // namespace ascendsim::record
