// SPDX-License-Identifier: Apache-2.0
#include "gui/document/search.hpp"

#include <algorithm>
#include <tuple>

#include "sim/base/lower_case.hpp"

namespace ascendsim::gui {
namespace {

bool holds(std::string_view text, std::string_view part) {
    const auto same = [](char a, char b) { return lower(a) == lower(b); };
    return !part.empty() &&
           std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

using Moment = std::tuple<std::uint64_t, std::uint32_t, std::uint64_t>;  // start, lane, index

Moment moment(const Pick& pick) {
    return {pick.stretch.start, pick.lane, pick.stretch.index};
}

/// The first match of a lane after `from`.
std::optional<Pick> first_after(const Run& run,
                                const SpanFilter& filter,
                                std::uint32_t number,
                                const Moment& from) {
    const record::Lane& lane = run.recording().lane(number);
    for (std::size_t i = lane.first_starting_from(std::get<0>(from)); i < lane.size(); ++i) {
        if (filter.matches(lane, i) && Moment{lane.start[i], number, i} > from) {
            return pick_span(run, {number, i});
        }
    }
    return std::nullopt;
}

std::optional<Pick> last_before(const Run& run,
                                const SpanFilter& filter,
                                std::uint32_t number,
                                const Moment& from) {
    const record::Lane& lane = run.recording().lane(number);
    const std::uint64_t cycle = std::get<0>(from);
    const std::size_t behind = cycle == ~std::uint64_t{0} ? lane.size() : lane.first_starting_from(cycle + 1);
    for (std::size_t i = behind; i-- > 0;) {
        if (filter.matches(lane, i) && Moment{lane.start[i], number, i} < from) {
            return pick_span(run, {number, i});
        }
    }
    return std::nullopt;
}

}  // namespace

SpanFilter::SpanFilter(const record::Recording& recording, std::string_view text)
    : ops_(recording.names().size()), sites_(recording.sites().size()) {
    if (text.empty()) {
        return;
    }
    for (std::size_t n = 0; n < ops_.size(); ++n) {
        ops_[n] = holds(recording.names()[n], text);
        any_ = any_ || ops_[n];
    }
    for (std::size_t n = 1; n < sites_.size(); ++n) {
        sites_[n] = holds(place_text(recording.sites()[n]), text);
        any_ = any_ || sites_[n];
    }
}

std::optional<Pick> next_match(const Run& run,
                               std::string_view text,
                               const std::optional<Pick>& from,
                               bool forward) {
    const SpanFilter filter{run.recording(), text};
    if (!filter.any()) {
        return std::nullopt;
    }
    const Moment edge = forward ? Moment{0, 0, 0} : Moment{~std::uint64_t{0}, 0, 0};
    const Moment here = from ? moment(*from) : edge;
    std::optional<Pick> best;
    const auto look_in = [&](const std::vector<std::uint32_t>& lanes) {
        for (const std::uint32_t lane : lanes) {
            const std::optional<Pick> found =
                forward ? first_after(run, filter, lane, here) : last_before(run, filter, lane, here);
            if (found &&
                (!best || (forward ? moment(*found) < moment(*best) : moment(*found) > moment(*best)))) {
                best = found;
            }
        }
    };
    for (const CoreLanes& core : run.cores()) {
        look_in(core.lanes);
    }
    for (const TrackLanes& track : run.tracks()) {
        look_in(track.lanes);
    }
    return best;
}

}  // namespace ascendsim::gui
