// SPDX-License-Identifier: Apache-2.0
#include "app/networks/joined_cores.hpp"

#include <algorithm>
#include <filesystem>

namespace ascendsim::report {

namespace {

/// The cycles before a lane's first span, of which nobody speaks.
std::uint64_t before_first(const record::Recording& from, std::uint32_t lane) {
    return from.lane(lane).empty() ? 0 : std::min(from.launch_end(lane), from.lane(lane).start.front());
}

}  // namespace

void JoinedCores::copy(const record::Recording& from, std::uint64_t start, std::uint64_t end) {
    Lanes lanes;
    for (const record::Lane& lane : from.lanes()) {
        lanes.push_back(lane.path.on_core() ? std::optional{lane_of(lane.path, start)} : std::nullopt);
    }
    std::vector<std::uint64_t> first(to_.lane_count());
    for (std::uint32_t n = 0; n < lanes.size(); ++n) {
        if (lanes[n]) {
            fill(*lanes[n], std::min(end, start + before_first(from, n)), record::Reason::launch, {});
            first[*lanes[n]] = to_.spans(*lanes[n]);
        }
    }
    const Move move{.start = start, .end = end, .lanes = lanes, .first = first};
    for (std::uint32_t n = 0; n < lanes.size(); ++n) {
        if (lanes[n]) {
            copy_lane(from, n, *lanes[n], move);
        }
    }
    copy_buffers(from, move);
    finish(end, {});
}

/// A path below the device that cores lie on.
record::TrackPath JoinedCores::placed(const record::TrackPath& path) const {
    if (device_.empty()) {
        return path;
    }
    record::TrackPath moved = device_;
    for (const record::TrackSegment& segment : path.segments()) {
        if (segment.kind != record::TrackKind::node && segment.kind != record::TrackKind::device) {
            moved = moved / segment;
        }
    }
    return moved;
}

/// The lane of a path, which covers all up to `start`.
std::uint32_t JoinedCores::lane_of(const record::TrackPath& own, std::uint64_t start) {
    const record::TrackPath path = placed(own);
    const auto [known, is_new] = lanes_.try_emplace(path.text(), Lane{});
    if (is_new) {
        const std::uint32_t number = to_.lane(path);
        known->second.number = number;
        cores_.insert(path.core_path().text());
        numbers_.resize(std::max<std::size_t>(numbers_.size(), number + std::size_t{1}));
        numbers_[number] = &known->second;
        fill(number, start, record::Reason::unused, {});
    }
    return known->second.number;
}

void JoinedCores::fill(std::uint32_t lane,
                       std::uint64_t until,
                       record::Reason reason,
                       std::string_view what) {
    std::uint64_t& now = numbers_[lane]->end;
    if (until > now) {
        to_.span(lane,
                 {.issue = now,
                  .start = now,
                  .end = until,
                  .complete = until,
                  .op = to_.op(what),
                  .reason = reason});
        now = until;
    }
}

void JoinedCores::copy_lane(const record::Recording& from,
                            std::uint32_t number,
                            std::uint32_t to,
                            const Move& move) {
    const record::Lane& lane = from.lane(number);
    Lane& now = *numbers_[to];
    for (std::size_t i = 0; i < lane.size(); ++i) {
        record::Span span = lane.span(i);
        for (std::uint64_t* time : {&span.issue, &span.start, &span.end, &span.complete}) {
            *time = std::min(*time + move.start, move.end);
        }
        span.op = to_.op(from.name(span.op));
        span.site = site_of(from, span.site);
        if (from.contains(span.culprit) && move.lanes[span.culprit.lane]) {
            const std::uint32_t culprit = *move.lanes[span.culprit.lane];
            span.culprit = {culprit, move.first[culprit] + span.culprit.index};
        } else {
            span.culprit = {};
        }
        to_.span(to, span);
        now.end = span.end;
        now.used = now.used || !record::outside_program(span.reason);
    }
}

void JoinedCores::copy_buffers(const record::Recording& from, const Move& move) {
    std::map<std::uint32_t, std::uint32_t> cores;
    for (std::uint32_t n = 0; n < move.lanes.size(); ++n) {
        if (move.lanes[n]) {
            cores[from.lane(n).core_index.value()] = to_.core_index(*move.lanes[n]).value();
        }
    }
    for (const record::Buffer& buffer : from.buffers()) {
        if (const auto core = cores.find(buffer.core_index); core != cores.end()) {
            to_.buffer({.core_index = core->second,
                        .memory = buffer.memory,
                        .offset = buffer.offset,
                        .bytes = buffer.bytes,
                        .from = std::min(move.end, move.start + buffer.from),
                        .to = buffer.to == 0 ? move.end : std::min(move.end, move.start + buffer.to),
                        .site = site_of(from, buffer.site),
                        .label = from.name(buffer.label)});
        }
    }
}

/// All lanes reach to `end`: those that ran wait for others, those that did not are unused.
void JoinedCores::finish(std::uint64_t end, std::string_view what) {
    for (auto& [path, lane] : lanes_) {
        fill(lane.number, end, lane.used ? record::Reason::tail : record::Reason::unused, what);
        lane.used = false;
    }
}

/// A generated kernel is compiled in a cache: its name there is what its source is known by.
std::uint32_t JoinedCores::site_of(const record::Recording& from, std::uint32_t site) {
    const record::SourceLine& line = from.site(site);
    if (line.file.empty()) {
        return 0;
    }
    const std::filesystem::path file{line.file};
    const bool kept = file.parent_path().filename() == "generated";
    return to_.site(files_.insert(kept ? file.filename().string() : line.file).first->c_str(), line.line);
}

}  // namespace ascendsim::report
