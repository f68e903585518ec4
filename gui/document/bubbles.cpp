// SPDX-License-Identifier: Apache-2.0
#include "gui/document/bubbles.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>

#include "app/analysis/lane_use.hpp"
#include "app/analysis/machine/recorded_step.hpp"
#include "models/port/pipe.hpp"

namespace ascendsim::gui {
namespace {

using record::Lane;
using record::Reason;
using record::Stretch;

bool larger(const Pick& a, const Pick& b) {
    return std::tuple{b.cycles(), a.stretch.start, a.lane} < std::tuple{a.cycles(), b.stretch.start, b.lane};
}

using StreamLanes = std::vector<std::pair<std::string, std::vector<std::uint32_t>>>;

/// "main" of "node0/device3/stream:main"; streams without a name by their number.
std::string stream_name(const record::TrackPath& path) {
    const std::string& name = path.segments().back().name;
    return name.empty() ? path.leaf() : name;
}

/// "aic" of "aic12".
std::string core_kind(const record::TrackPath& path) {
    const std::string core{path.core()};
    return core.substr(0, core.find_first_of("0123456789"));
}

/// Lanes of streams of devices by their names, in the order of the recording.
StreamLanes streams_by_name(const Run& run) {
    StreamLanes streams;
    for (const TrackLanes& track : run.tracks()) {
        for (const std::uint32_t lane : track.lanes) {
            const record::TrackPath& path = run.recording().lane(lane).path;
            if (!path.has(record::TrackKind::device)) {
                continue;
            }
            const std::string name = stream_name(path);
            auto same = std::ranges::find(streams, name, &StreamLanes::value_type::first);
            if (same == streams.end()) {
                same = streams.insert(same, {name, {}});
            }
            same->second.push_back(lane);
        }
    }
    return streams;
}

using ReasonCycles = std::array<std::uint64_t, record::reason_count>;

/// By lane: cycles of its waits that the critical path spent elsewhere, by their reason.
using PathWaits = std::unordered_map<std::uint32_t, ReasonCycles>;

/// Before each instruction of the path the waits of its own pipe: so long was it held up by what the path did
/// then.
PathWaits path_waits(const Run& run, std::uint64_t from, std::uint64_t to) {
    PathWaits waits;
    const RunAnalysis* const analysis = run.analysis();
    for (std::size_t i = 0; analysis != nullptr && i < analysis->path.segments.size(); ++i) {
        const analysis::PathSegment& segment = analysis->path.segments[i];
        const bool goes_on = i > 0 && analysis->path.segments[i - 1].span.lane == segment.span.lane;
        if (goes_on || !run.recording().contains(segment.span)) {
            continue;
        }
        const Lane& lane = run.recording().lane(segment.span.lane);
        ReasonCycles& sums = waits[segment.span.lane];
        // The path comes back to a lane in the wait itself where its flag takes a moment to arrive.
        const bool in_wait = lane.reason[segment.span.index] != Reason::none;
        std::uint64_t end = in_wait ? segment.start : lane.start[segment.span.index];
        for (std::size_t n = segment.span.index + (in_wait ? 1 : 0); n-- > 0;) {
            const auto add = [&](Reason reason, std::uint64_t begin) {
                const std::uint64_t first = std::max(begin, from);
                const std::uint64_t last = std::min(end, to);
                sums[static_cast<std::size_t>(reason)] += last > first ? last - first : 0;
                end = begin;
            };
            if (lane.end[n] < end) {
                add(Reason::issue, lane.end[n]);
            }
            if (lane.reason[n] == Reason::none || analysis::outside_program(lane.reason[n])) {
                break;
            }
            add(lane.reason[n], lane.start[n]);
        }
    }
    return waits;
}

/// Adds up one kind of pipe.
class PipeSum {
public:
    PipeSum(const Run& run, std::string pipe, std::string core, const PathWaits& path)
        : run_{run}, path_{path}, total_{.pipe = std::move(pipe), .core = std::move(core), .cycles = {}} {}

    void add_lane(std::uint32_t number, std::uint64_t from, std::uint64_t to) {
        ++total_.lanes;
        if (const auto found = path_.find(number); found != path_.end()) {
            for (std::size_t reason = 0; reason < record::reason_count; ++reason) {
                on_path_[reason] += found->second[reason];
            }
        }
        record::for_each_stretch(run_.recording(), number, from, to, [&](const Stretch& stretch) {
            const std::uint64_t cycles = stretch.end - stretch.start;
            total_.cycles.add(stretch.reason, cycles);
            if (stretch.reason != Reason::none) {
                add_wait({number, stretch}, cycles);
            }
        });
    }

    void finish(BubbleReport& report) {
        for (std::size_t reason = 1; reason < record::reason_count; ++reason) {
            Sum& sum = sums_[reason];
            if (sum.count == 0) {
                continue;
            }
            std::ranges::sort(sum.largest, larger);
            sum.largest.resize(std::min(sum.largest.size(), most_instances));
            report.causes.push_back({.pipe = total_.pipe,
                                     .core = total_.core,
                                     .reason = static_cast<Reason>(reason),
                                     .cycles = total_.cycles.cycles[reason],
                                     .path = on_path_[reason],
                                     .count = sum.count,
                                     .top = top(sum),
                                     .largest = std::move(sum.largest)});
        }
        report.pipes.push_back(std::move(total_));
    }

private:
    struct Sum {
        std::uint64_t count = 0;
        std::unordered_map<std::uint64_t, std::uint64_t> by_instruction;
        std::unordered_map<std::uint64_t, std::uint32_t> lane_of;
        std::vector<Pick> largest;
    };

    void add_wait(const Pick& pick, std::uint64_t cycles) {
        Sum& sum = sums_[static_cast<std::size_t>(pick.stretch.reason)];
        ++sum.count;
        sum.largest.push_back(pick);
        if (sum.largest.size() == 2 * most_instances) {
            std::ranges::nth_element(sum.largest, sum.largest.begin() + most_instances, larger);
            sum.largest.resize(most_instances);
        }
        if (pick.stretch.between) {
            return;
        }
        const record::SpanId culprit = run_.recording().lane(pick.lane).culprit(pick.stretch.index);
        if (run_.recording().contains(culprit)) {
            const Lane& lane = run_.recording().lane(culprit.lane);
            const std::uint64_t key = std::uint64_t{lane.op[culprit.index]} << 32U | lane.site[culprit.index];
            sum.by_instruction[key] += cycles;
            sum.lane_of.try_emplace(key, culprit.lane);
        }
    }

    [[nodiscard]] Culprit top(const Sum& sum) const {
        Culprit best;
        std::uint64_t best_key = 0;
        for (const auto& [key, cycles] : sum.by_instruction) {
            if (cycles > best.cycles || (cycles == best.cycles && key < best_key)) {
                best_key = key;
                best = {static_cast<std::uint32_t>(key >> 32U),
                        static_cast<std::uint32_t>(key),
                        culprit_name(sum.lane_of.at(key)),
                        cycles};
            }
        }
        return best;
    }

    [[nodiscard]] std::string culprit_name(std::uint32_t lane) const {
        const record::TrackPath& path = run_.recording().lane(lane).path;
        return path.on_core() ? path.leaf() : stream_name(path);
    }

    const Run& run_;
    const PathWaits& path_;
    ReasonCycles on_path_{};
    PipeTotal total_;
    std::array<Sum, record::reason_count> sums_;
};

}  // namespace

const PipeTotal& BubbleReport::pipe_of(const CauseTotal& cause) const {
    return *std::ranges::find_if(pipes, [&cause](const PipeTotal& pipe) {
        return pipe.pipe == cause.pipe && pipe.core == cause.core;
    });
}

bool has_bubbles(const Run& run) {
    return !run.cores().empty() || !streams_by_name(run).empty();
}

BubbleReport bubbles_of(const Run& run, TimeRange range) {
    const bool step = analysis::is_step(run.recording()) && !analysis::is_program(run.recording());
    BubbleReport report{.range = range, .of_tracks = run.cores().empty() || step};
    const auto from = static_cast<std::uint64_t>(std::max(0.0, std::floor(range.begin)));
    const auto to = static_cast<std::uint64_t>(std::max(0.0, std::ceil(range.end)));
    const PathWaits path = path_waits(run, from, to);
    for (const std::string_view pipe : report.of_tracks ? std::span<const std::string_view>{} : pipe_names) {
        std::map<std::string, std::vector<std::uint32_t>> lanes;  // by kind of core
        for (const CoreLanes& core : run.cores()) {
            for (const std::uint32_t lane : core.lanes) {
                if (run.recording().lane(lane).path.pipe() == pipe) {
                    lanes[core_kind(run.recording().lane(lane).path)].push_back(lane);
                }
            }
        }
        for (const auto& [kind, of_kind] : lanes) {
            PipeSum sum{run, std::string{pipe}, lanes.size() > 1 ? kind : std::string{}, path};
            for (const std::uint32_t lane : of_kind) {
                sum.add_lane(lane, from, to);
            }
            sum.finish(report);
        }
    }
    for (const auto& [name, lanes] : report.of_tracks ? streams_by_name(run) : StreamLanes{}) {
        PipeSum sum{run, name, {}, path};
        for (const std::uint32_t lane : lanes) {
            sum.add_lane(lane, from, to);
        }
        sum.finish(report);
    }
    const auto per_core = [&](const CauseTotal& cause) {
        return static_cast<double>(cause.cycles) / report.pipe_of(cause).lanes;
    };
    std::ranges::stable_sort(report.causes, [&](const CauseTotal& a, const CauseTotal& b) {
        const bool outside_a = analysis::outside_program(a.reason);
        const bool outside_b = analysis::outside_program(b.reason);
        return std::tuple{outside_a, b.path, per_core(b)} < std::tuple{outside_b, a.path, per_core(a)};
    });
    return report;
}

const CauseTotal& first_to_look_at(const BubbleReport& report) {
    const auto found = std::ranges::find_if(report.causes, [](const CauseTotal& cause) {
        return cause.pipe != "scalar" && !analysis::outside_program(cause.reason);
    });
    return found == report.causes.end() ? report.causes.front() : *found;
}

}  // namespace ascendsim::gui
