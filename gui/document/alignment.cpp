// SPDX-License-Identifier: Apache-2.0
#include "gui/document/alignment.hpp"

#include <algorithm>

namespace ascendsim::gui {
namespace {

using record::Lane;
using record::Recording;

/// What makes an instruction the same in two runs, in the numbers of one of them.
struct Kind {
    std::uint32_t op = 0;
    std::uint32_t site = 0;
    record::Reason reason = record::Reason::none;

    [[nodiscard]] bool fits(const Lane& lane, std::size_t i) const {
        return lane.op[i] == op && lane.site[i] == site && lane.reason[i] == reason;
    }
};

std::string_view file_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

/// The numbers another recording has for a name and a source place.
std::optional<Kind> translate(const Recording& from, const Recording& to, const Kind& kind) {
    const auto name = std::ranges::find(to.names(), from.name(kind.op));
    const record::SourceLine& place = from.site(kind.site);
    const auto site = std::ranges::find_if(to.sites(), [&](const record::SourceLine& other) {
        return other.line == place.line && file_name(other.file) == file_name(place.file);
    });
    if (name == to.names().end() || site == to.sites().end()) {
        return std::nullopt;
    }
    return Kind{static_cast<std::uint32_t>(name - to.names().begin()),
                static_cast<std::uint32_t>(site - to.sites().begin()),
                kind.reason};
}

}  // namespace

std::optional<std::uint32_t> matching_lane(const Run& from, const Run& to, std::uint32_t lane) {
    return to.recording().find(from.recording().lane(lane).path);
}

std::optional<Pick> matching(const Run& from, const Run& to, const Pick& pick) {
    const std::optional<std::uint32_t> number = matching_lane(from, to, pick.lane);
    const Lane& lane = from.recording().lane(pick.lane);
    const std::size_t index = pick.stretch.index;
    if (!number || index >= lane.size()) {
        return std::nullopt;
    }
    const Kind kind{lane.op[index], lane.site[index], lane.reason[index]};
    const std::optional<Kind> wanted = translate(from.recording(), to.recording(), kind);
    if (!wanted) {
        return std::nullopt;
    }
    std::size_t before = 0;
    for (std::size_t i = 0; i < index; ++i) {
        before += kind.fits(lane, i) ? 1U : 0U;
    }
    const Lane& other = to.recording().lane(*number);
    for (std::size_t i = 0; i < other.size(); ++i) {
        if (wanted->fits(other, i) && before-- == 0) {
            const record::SpanId id{*number, i};
            return pick.stretch.between ? pick_gap(to, id) : pick_span(to, id);
        }
    }
    return std::nullopt;
}

Mapping mapping_of(const Run& a, const Run& b, const ViewState& view) {
    if (view.alignment == Alignment::length && a.cycles() > 0 && b.cycles() > 0) {
        return {b.cycles() / a.cycles(), 0};
    }
    if ((view.alignment == Alignment::start || view.alignment == Alignment::end) && view.aligned_at) {
        const std::optional<Pick> at = pick_span(a, *view.aligned_at);
        const std::optional<Pick> other = at ? matching(a, b, *at) : std::nullopt;
        if (other) {
            return view.alignment == Alignment::start ? Mapping{1, other->range().begin - at->range().begin}
                                                      : Mapping{1, other->range().end - at->range().end};
        }
    }
    return {};
}

}  // namespace ascendsim::gui
