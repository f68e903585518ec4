// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gui/document/run.hpp"
#include "gui/shell/view_state.hpp"
#include "sim/record/occupancy.hpp"

namespace ascendsim::gui {

/// A stretch of a lane: an instruction, a wait with a span of its own, or a wait between spans.
struct Pick {
    std::uint32_t lane = 0;
    record::Stretch stretch;

    [[nodiscard]] bool waits() const { return stretch.reason != record::Reason::none; }

    [[nodiscard]] record::SpanId span() const { return {lane, stretch.index}; }

    [[nodiscard]] TimeRange range() const {
        return {static_cast<double>(stretch.start), static_cast<double>(stretch.end)};
    }

    [[nodiscard]] std::uint64_t cycles() const { return stretch.end - stretch.start; }
};

/// The stretch of a span; nothing if the recording does not hold it.
[[nodiscard]] std::optional<Pick> pick_span(const Run& run, record::SpanId span);
/// The wait before a span (or after the last one), if no span stands for it.
[[nodiscard]] std::optional<Pick> pick_gap(const Run& run, record::SpanId before);
/// What lies at a cycle of a lane.
[[nodiscard]] std::optional<Pick> pick_at(const Run& run, std::uint32_t lane, double cycle);
/// What the user has selected last.
[[nodiscard]] std::optional<Pick> selected(const Run& run, const ViewState& view);
void select(ViewState& view, const Pick& pick);
/// Selects and scrolls there: if it is not visible, or too small to be seen, the window moves.
void select_and_show(ViewState& view, const Pick& pick);

/// The next (or previous) instruction of the lane, or the next bubble within a program.
[[nodiscard]] std::optional<Pick> neighbour(const Run& run, const Pick& from, bool forward, bool bubble);
/// What a stretch waited for, or what let it start.
[[nodiscard]] std::optional<Pick> producer_of(const Run& run, const Pick& pick);
/// The first wait that ended because of this.
[[nodiscard]] std::optional<Pick> consumer_of(const Run& run, const Pick& pick);

/// "aiv3 MTE2".
[[nodiscard]] std::string lane_label(const Run& run, std::uint32_t lane, const Theme& theme);
/// "MTE2", or outside of cores the last part of the path, "thread0".
[[nodiscard]] std::string track_label(const record::TrackPath& path, const Theme& theme);
/// "copy_gm_to_ubuf at add.cpp:29" or "waiting for a buffer".
[[nodiscard]] std::string pick_label(const Run& run, const Pick& pick, const Theme& theme);
/// What a wait is called: outside of cores as its span says, else its cause.
[[nodiscard]] std::string wait_label(const Run& run, const Pick& pick);
/// "add.cpp:29"; empty for no place.
[[nodiscard]] std::string place_text(const record::SourceLine& line);
/// The same with the kernel's line that called, of a place in the kernel framework.
[[nodiscard]] std::string place_text(const record::Recording& recording, std::uint32_t site);

}  // namespace ascendsim::gui
