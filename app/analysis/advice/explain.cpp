// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/advice/explain.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/analysis/blame/balance.hpp"
#include "app/analysis/faults.hpp"
#include "app/analysis/recorded_sums.hpp"
#include "sim/record/words.hpp"

namespace ascendsim::analysis {

namespace {

/// A component as a sentence names it; pipes and routes are called what they are.
std::string spoken(const std::string& component) {
    return component == "hbm"           ? "HBM bandwidth"
           : component == "l2"          ? "L2 bandwidth"
           : component == "l2_requests" ? "the rate of requests to L2"
                                        : component;
}

constexpr double near_roof = 0.75;  // of its peak: the component itself may be the limit
constexpr double at_roof = 0.95;    // is, whatever the path says
constexpr double on_path =
    0.1;  // of the critical path that a component near its roof must have to be the limit
constexpr double uneven = 0.25;  // of the run that a core stands idle at its end

struct Verdict {
    Bottleneck kind = Bottleneck::unknown;
    std::string component;
    std::string sentence;
};

Bottleneck kind_of(const Component& component) {
    if (component.pipe.empty()) {
        return Bottleneck::memory;
    }
    const bool unit = component.name == component.pipe;
    return unit ? Bottleneck::compute : Bottleneck::transfer;
}

Bottleneck kind_of(PathKind kind) {
    switch (kind) {
        case PathKind::compute:
            return Bottleneck::compute;
        case PathKind::transfer:
            return Bottleneck::transfer;
        case PathKind::latency:
            return Bottleneck::latency;
        case PathKind::scalar:
            return Bottleneck::scalar;
        case PathKind::sync:
            return Bottleneck::synchronisation;
        case PathKind::launch:
        case PathKind::block:
        case PathKind::tail:
            return Bottleneck::launch;
        case PathKind::unused:
        case PathKind::other:
            break;
    }
    return Bottleneck::unknown;
}

double done_early(const record::Recording& recording, const CriticalPath& path) {
    const Balance balance = balance_of(recording, path.from, path.to);
    return static_cast<double>(balance.done_cycles) /
           static_cast<double>(std::max<std::uint64_t>(1, path.cycles()));
}

// No component is near its roof: what the path spends its time on is the limit.
Verdict from_path(const Explanation& all) {
    std::array<std::uint64_t, bottleneck_names.size()> cycles{};
    for (std::size_t kind = 0; kind < path_kind_names.size(); ++kind) {
        cycles[static_cast<std::size_t>(kind_of(static_cast<PathKind>(kind)))] += all.path.by_kind[kind];
    }
    const auto most = std::ranges::max_element(cycles);
    const auto kind = static_cast<Bottleneck>(most - cycles.begin());
    const double share =
        static_cast<double>(*most) / static_cast<double>(std::max<std::uint64_t>(1, all.path.cycles()));
    std::string component;
    record::Limiter limiter = record::Limiter::none;
    for (const Root& root : all.path.roots) {
        if (kind_of(root.kind) == kind) {
            component = root.pipe;
            limiter = root.limiter;
            break;
        }
    }
    std::string sentence = fmt::format("Bound by {}: {:.0f} % of the critical path", name(kind), share * 100);
    if (!component.empty()) {
        sentence += fmt::format(", mostly on {}", component);
        sentence += limiter == record::Limiter::none ? "" : fmt::format(" ({})", record::label(limiter));
    }
    if (!all.components.empty()) {
        const Component& nearest = all.components.front();
        const double percent = nearest.utilization() * 100;
        sentence +=
            nearest.utilization() < near_roof
                ? fmt::format(", and nothing is near its roof (nearest {} at {:.0f} %)",
                              spoken(nearest.name),
                              percent)
                : fmt::format("; {}, at {:.0f} % of its peak, would be next", spoken(nearest.name), percent);
    }
    return {kind, component, sentence};
}

bool is_of(const Root& root, const Component& component) {
    if (component.pipe.empty()) {
        const record::Limiter limiter = component.name == "hbm"  ? record::Limiter::hbm_bandwidth
                                        : component.name == "l2" ? record::Limiter::l2_bandwidth
                                                                 : record::Limiter::request_rate;
        return root.kind == PathKind::transfer && root.limiter == limiter;
    }
    const PathKind kind = component.name == component.pipe ? PathKind::compute : PathKind::transfer;
    return root.kind == kind && root.pipe == component.pipe;
}

/// True if the component runs near its roof and the critical path goes through it: one that is busy beside
/// the path would make nothing faster.
bool limits(const Component& component, const CriticalPath& path) {
    std::uint64_t cycles = 0;
    for (const Root& root : path.roots) {
        cycles += is_of(root, component) ? root.cycles : 0;
    }
    const double share = static_cast<double>(cycles) / static_cast<double>(path.cycles());
    return component.utilization() >= at_roof || (component.utilization() >= near_roof && share >= on_path);
}

Verdict judge(const Explanation& all, const record::Recording& recording) {
    if (all.path.cycles() == 0) {
        return {Bottleneck::unknown, {}, "Nothing was recorded"};
    }
    if (const double idle = done_early(recording, all.path); idle > uneven) {
        return {Bottleneck::imbalance,
                {},
                fmt::format(
                    "Bound by imbalance: on average a core finishes {:.0f} % of the run before the last one",
                    idle * 100)};
    }
    const auto found = std::ranges::find_if(
        all.components, [&](const Component& component) { return limits(component, all.path); });
    if (found == all.components.end()) {
        return from_path(all);
    }
    const Component& top = *found;
    std::string sentence = fmt::format("Bound by {}: it runs at {:.0f} % of its peak over the whole time",
                                       spoken(top.name),
                                       top.utilization() * 100);
    return {kind_of(top), top.name, sentence};
}

}  // namespace

Explanation explain(const record::Recording& recording, Explained explained) {
    const Reported window = reported(recording);
    return explain(recording, sums_of(recording, window.from, window.to), explained);
}

Explanation explain(const record::Recording& recording,
                    const std::vector<record::LaneSums>& sums,
                    Explained explained) {
    Explanation all;
    all.summary = summarise(recording, sums);
    all.network = network_of(recording);
    if (all.network) {
        all.summary.time_us = all.network->time_us;  // cycles are rounded for each kernel
        all.verdict = verdict(*all.network);
        if (all.network->recorded < all.network->kernels) {
            all.summary.energy.reset();  // it follows from all of the pipes
        }
        return all;
    }
    all.step = step_of(recording);
    all.report = report_of(recording);
    if (!all.of_kernels()) {
        all.verdict = all.step ? verdict(*all.step) : all.report->verdict;
        return all;
    }
    all.components = components_of(all.summary, recording.metadata());
    if (explained == Explained::figures) {
        return all;
    }
    all.path = critical_path(recording, all.summary.from, all.summary.to);
    if (explained == Explained::whole) {
        all.blame = blame_of(recording, all.summary.from, all.summary.to);
    }
    if (failed(all.summary)) {
        all.verdict = "The run failed, so what limits it is unknown";
        return all;
    }
    if (!all.summary.complete) {
        all.verdict = "The recording does not hold the whole run, so what limits it is unknown";
        return all;
    }
    all.advice = advice_for(all.summary, all.path, recording);
    const Verdict verdict = judge(all, recording);
    all.bottleneck = verdict.kind;
    all.component = verdict.component;
    all.verdict = verdict.sentence;
    return all;
}

void onto_axis(const ProgramAxis& axis, Explanation& all) {
    all.summary.from = axis.map.begin(all.summary.from);
    all.summary.to = axis.map.end(all.summary.to);
    all.path.from = axis.map.begin(all.path.from);
    all.path.to = axis.map.end(all.path.to);
    for (PathSegment& segment : all.path.segments) {
        segment.start = axis.map.begin(segment.start);
        segment.end = std::max(segment.start, axis.map.end(segment.end));
    }
}

}  // namespace ascendsim::analysis
