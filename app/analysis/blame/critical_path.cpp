// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/blame/critical_path.hpp"

#include <algorithm>
#include <tuple>

namespace ascendsim::analysis {

namespace {

constexpr unsigned limiter_shift = 8;
constexpr unsigned pipe_shift = 16;
constexpr std::uint32_t byte_mask = 0xffU;

}  // namespace

std::uint32_t RootSum::pipe_number(std::uint32_t lane) {
    constexpr std::uint32_t unknown = ~std::uint32_t{0};
    if (lane >= pipe_of_lane_.size()) {
        pipe_of_lane_.resize(lane + std::size_t{1}, unknown);
    }
    if (pipe_of_lane_[lane] == unknown) {
        const std::string pipe = recording_.lane(lane).path.leaf();
        const auto found = std::ranges::find(pipes_, pipe);
        pipe_of_lane_[lane] = static_cast<std::uint32_t>(found - pipes_.begin()) + 1;
        if (found == pipes_.end()) {
            pipes_.push_back(pipe);
        }
    }
    return pipe_of_lane_[lane];
}

record::Limiter RootSum::limiter(record::SpanId span) const {
    const record::Lane& lane = recording_.lane(span.lane);
    const std::size_t transfer = lane.first_transfer_from(span.index);
    return transfer < lane.transfers.size() && lane.transfers.row[transfer] == span.index
               ? lane.transfers.limiter[transfer]
               : record::Limiter::none;
}

RootSum::Count& RootSum::count_of(const Key& key) {
    constexpr unsigned top_bits = 56;
    const std::uint64_t mixed = (key.instruction ^ key.place * 0xff51afd7ed558ccdU) * 0x9e3779b97f4a7c15U;
    Recent& recent = recent_[mixed >> top_bits];
    if (recent.count == nullptr || !(recent.key == key)) {
        recent = {key, &counts_[key]};
    }
    return *recent.count;
}

void RootSum::add(const PathSegment& segment, std::uint64_t cycles) {
    Key key{.place = static_cast<std::uint32_t>(segment.kind)};
    if (segment.span.valid()) {
        const record::ChunkColumns& chunk =
            recording_.lane(segment.span.lane).spans->with(segment.span.index);
        const std::size_t k = segment.span.index - chunk.first;
        key.instruction = chunk.op[k] | std::uint64_t{chunk.site[k]} << 32U;
        key.place |= pipe_number(segment.span.lane) << pipe_shift;
        if (segment.kind == PathKind::transfer) {
            key.place |= static_cast<std::uint32_t>(limiter(segment.span)) << limiter_shift;
        }
    }
    Count& count = count_of(key);
    count.cycles += cycles;
    ++count.times;
    total_ += cycles;
}

std::vector<Root> RootSum::result() const {
    std::vector<Root> roots;
    for (const auto& [key, count] : counts_) {
        const std::uint32_t pipe = key.place >> pipe_shift;
        roots.push_back({.kind = static_cast<PathKind>(key.place & byte_mask),
                         .pipe = pipe == 0 ? std::string{} : pipes_[pipe - 1],
                         .op = static_cast<std::uint32_t>(key.instruction),
                         .site = static_cast<std::uint32_t>(key.instruction >> 32U),
                         .limiter = static_cast<record::Limiter>(key.place >> limiter_shift & byte_mask),
                         .cycles = count.cycles,
                         .times = count.times});
    }
    std::ranges::sort(roots, [](const Root& a, const Root& b) {
        return std::tuple{b.cycles, a.kind, a.site, a.op, a.pipe, a.limiter} <
               std::tuple{a.cycles, b.kind, b.site, b.op, b.pipe, b.limiter};
    });
    return roots;
}

CriticalPath critical_path(const record::Recording& recording, std::uint64_t from, std::uint64_t to) {
    CriticalPath path{.from = from, .to = to, .segments = {}, .roots = {}};
    RootSum sum{recording};
    PathWalker walker{recording};
    walker.from_end(to);
    while (walker.time() > from) {
        std::optional<PathSegment> segment = walker.next();
        segment->start = std::max(segment->start, from);
        path.by_kind[static_cast<std::size_t>(segment->kind)] += segment->cycles();
        sum.add(*segment, segment->cycles());
        path.segments.push_back(*segment);
    }
    std::ranges::reverse(path.segments);
    path.roots = sum.result();
    return path;
}

}  // namespace ascendsim::analysis
