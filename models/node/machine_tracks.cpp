// SPDX-License-Identifier: Apache-2.0
#include "models/node/machine_tracks.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include <fmt/format.h>

namespace ascendsim::node {

using record::Reason;
using record::TrackKind;
using record::TrackPath;

std::pair<std::string, std::uint32_t> file_and_line(const std::string& place) {
    const std::size_t colon = place.rfind(':');
    std::uint32_t line = 0;
    if (colon != std::string::npos) {
        std::from_chars(place.data() + colon + 1, place.data() + place.size(), line);
    }
    return {place.substr(0, colon), line};
}

namespace {

/// "4.19 MB", or "12.6 MB in 3 flows"; units are decimal, as those of links' rates.
std::string flows_text(std::size_t flows, std::uint64_t bytes) {
    constexpr std::array units{"B", "kB", "MB", "GB", "TB"};
    auto amount = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (amount >= 999.5 && unit + 1 < units.size()) {
        amount /= 1000;
        ++unit;
    }
    const std::string text = fmt::format("{:.3g} {}", amount, units.at(unit));
    return flows == 1 ? text : fmt::format("{} in {} flows", text, flows);
}

}  // namespace

std::size_t MachineTracks::add(TrackPath path) {
    tracks_.push_back({std::move(path), {}});
    return tracks_.size() - 1;
}

void MachineTracks::add(std::size_t track, MachineSpan span) {
    if (span.start < span.end) {
        tracks_[track].spans.push_back(std::move(span));
    }
}

void MachineTracks::fill_waits(std::size_t track) {
    std::vector<MachineSpan>& spans = tracks_[track].spans;
    std::ranges::stable_sort(spans, {}, &MachineSpan::start);
    std::vector<MachineSpan> all;
    std::uint64_t now = 0;
    for (MachineSpan& span : spans) {
        if (span.start > now && span.gate) {
            all.push_back({.start = now,
                           .end = span.start,
                           .what = span.gate_on_host ? "waits for the host" : "waits for another stream",
                           .place = span.place,
                           .reason = span.gate_on_host ? Reason::issue : Reason::flag_data,
                           .gate = span.gate,
                           .gate_on_host = span.gate_on_host});
        }
        now = span.end;
        all.push_back(std::move(span));
    }
    spans = std::move(all);
}

void MachineTracks::add_link(const std::string& name, std::vector<MachineSpan> flows) {
    std::ranges::stable_sort(flows, {}, &MachineSpan::start);
    Track track{.path = TrackPath{{TrackKind::link, name.substr(0, TrackPath::longest_name)}}, .spans = {}};
    std::size_t together = 0;
    for (MachineSpan& flow : flows) {
        const bool follows = track.spans.empty() || flow.start >= track.spans.back().end;
        together = follows ? 1 : together + 1;
        if (follows) {
            track.spans.push_back(std::move(flow));
        } else {
            MachineSpan& last = track.spans.back();
            last.end = std::max(last.end, flow.end);
            last.bytes += flow.bytes;
        }
        track.spans.back().what = flows_text(together, track.spans.back().bytes);
    }
    tracks_.push_back(std::move(track));
}

void MachineTracks::number_spans() {
    places_.clear();
    for (std::size_t track = 0; track < tracks_.size(); ++track) {
        std::vector<MachineSpan>& spans = tracks_[track].spans;
        std::ranges::stable_sort(spans, {}, &MachineSpan::start);
        for (std::size_t i = 0; i < spans.size(); ++i) {
            if (spans[i].task) {
                places_.resize(std::max<std::size_t>(places_.size(), *spans[i].task + 1));
                places_[*spans[i].task] = {track, i};
            }
        }
    }
}

/// The span that a wait waited for: that of its gate, or of what let that one's task start.
std::optional<MachineTracks::Place> MachineTracks::culprit_of(const MachineSpan& span) const {
    if (span.reason != Reason::issue && span.reason != Reason::flag_data) {
        return std::nullopt;
    }
    const auto has_span = [this](std::uint64_t task) { return task < places_.size() && places_[task]; };
    std::optional<std::uint64_t> gate = span.gate;
    while (gate && !has_span(*gate)) {
        gate = gate_of_(*gate);
    }
    return gate ? places_[*gate] : std::nullopt;
}

void MachineTracks::write(record::Recorder& to) {
    number_spans();
    std::vector<std::uint32_t> lanes(tracks_.size());
    for (std::size_t i = 0; i < tracks_.size(); ++i) {
        if (!tracks_[i].spans.empty()) {
            lanes[i] = to.lane(tracks_[i].path);
        }
    }
    std::map<std::string, std::string> files;  // whose texts stay while the recorder looks at them
    for (std::size_t i = 0; i < tracks_.size(); ++i) {
        for (const MachineSpan& span : tracks_[i].spans) {
            const auto [file, line] = file_and_line(span.place);
            const char* const name = file.empty() ? "" : files.try_emplace(file, file).first->second.c_str();
            record::Span written{
                .issue = span.start,
                .start = span.start,
                .end = span.end,
                .complete = span.end,
                .op = to.op(span.what),
                .site = file.empty() ? 0 : to.site(name, line),
                .reason = span.reason,
                .bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(span.bytes, ~std::uint32_t{0}))};
            if (const auto culprit = culprit_of(span)) {
                written.culprit = {lanes[culprit->first], culprit->second};
            }
            to.span(lanes[i], written);
        }
    }
}

}  // namespace ascendsim::node
