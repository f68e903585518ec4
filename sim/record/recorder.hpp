// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sim/record/core_numbers.hpp"
#include "sim/record/lane_sums.hpp"
#include "sim/record/lane_totals.hpp"
#include "sim/record/span.hpp"
#include "sim/record/span_buffer.hpp"
#include "sim/record/track_path.hpp"

namespace ascendsim::record {

/// A buffer's life inside a core, for the buffer map.
struct BufferLife {
    std::uint32_t core_index = 0;  // Recorder::core_index() of the core's lanes
    std::uint8_t memory = 0;
    std::uint32_t offset = 0;  // B
    std::uint32_t bytes = 0;
    std::uint64_t from = 0;  // cycle
    std::uint64_t to = 0;    // cycle; 0 while alive
    std::uint32_t site = 0;
    std::string_view label;
};

/// Writes a run's recording: one stream of self-contained chunks, readable while it grows. Values reach the
/// file when a lane's chunk is full, at flush() and at the end.
class Recorder {
public:
    /// Creates or truncates `file`; throws UserError if it cannot. An empty path records nothing but keeps
    /// totals.
    explicit Recorder(const std::filesystem::path& file);
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;
    ~Recorder();

    /// From now on files below `root`, an absolute folder, are named by their path in it, so that the bytes
    /// do not depend on where it lies.
    void relative_to(const std::filesystem::path& root);
    /// Metadata known before the run: scenario, chip with resolved parameters, mode, command. May be called
    /// again.
    void metadata(const nlohmann::json& values);
    /// Adds a lane; its number is the count of lanes before it.
    std::uint32_t lane(const TrackPath& path);
    /// The number of an instruction's name; cheap when the same pointer comes again. Number 0 is the empty
    /// name.
    std::uint32_t op(std::string_view name);
    /// The number of a source place; cheap when the same pointer comes again, whose text must therefore stay.
    /// Number 0 is no place. `apart` gives a second number for the same place: for what is to be summed
    /// apart.
    std::uint32_t site(const char* file, std::uint32_t line, bool apart = false);
    /// The number of a place in a library that the call at place number `caller` reached.
    std::uint32_t called_site(std::string_view file, std::uint32_t line, std::uint32_t caller);

    /// Appends to a lane and returns the span's index in it.
    [[gnu::always_inline]] std::uint64_t span(std::uint32_t lane, const Span& span) {
        SpanBuffer& buffer = *lanes_[lane];
        const std::uint64_t index = buffer.append(span);
        if (buffer.full()) [[unlikely]] {
            make_room(buffer);
        }
        return index;
    }

    /// Number of spans appended to a lane so far.
    [[nodiscard]] std::uint64_t spans(std::uint32_t lane) const { return lanes_[lane]->count(); }

    /// Lanes added so far, and what one of them is.
    [[nodiscard]] std::uint32_t lane_count() const { return static_cast<std::uint32_t>(lanes_.size()); }

    [[nodiscard]] const TrackPath& path(std::uint32_t lane) const { return paths_[lane]; }

    /// The number of a lane's core: cores are numbered in the order of their first lanes. None outside of
    /// cores.
    [[nodiscard]] std::optional<std::uint32_t> core_index(std::uint32_t lane) const {
        return core_indices_[lane];
    }

    /// What a lane did up to the last flush(), which finish() calls.
    [[nodiscard]] const LaneTotals& totals(std::uint32_t lane) const;

    /// Notes a buffer's life. A life noted while it lasts may be noted again, with its end, when it is over.
    void buffer(const BufferLife& life);
    /// Lets the sums of all lanes begin at `cycle`, by which every span so far has ended.
    void sums_from(std::uint64_t cycle);
    /// What the spans of each lane added up to; once, after finish(). Empty sums if nothing is recorded.
    [[nodiscard]] std::vector<LaneSums> take_sums();
    /// A hazard, a failure, a note: kept in order, shown by reports.
    void event(const nlohmann::json& values);

    /// Sends what every lane has to the file, soon: without it, a lane's spans stay until they fill a chunk.
    void send();
    /// Makes everything so far readable to others. May be called from a signal handler after which the
    /// process ends: it neither allocates nor locks, and where it interrupts the recorder itself it keeps
    /// what was whole.
    void flush();
    /// Ends the recording with the run's totals; nothing may follow. Throws UserError if the file could not
    /// be written.
    void finish(const nlohmann::json& totals);

private:
    struct Impl;

    void make_room(SpanBuffer& buffer);

    std::vector<std::unique_ptr<SpanBuffer>> lanes_;
    std::vector<TrackPath> paths_;
    std::vector<std::optional<std::uint32_t>> core_indices_;
    CoreNumbers cores_;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ascendsim::record
