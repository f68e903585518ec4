// SPDX-License-Identifier: Apache-2.0
#include "scenarios/analysis/explain.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/isa/pipe.hpp"

namespace ascendsim::analysis {

namespace {

/// A component as a sentence names it; pipes and routes are called what they are.
std::string spoken(const std::string& component) {
    return component == "hbm"           ? "HBM bandwidth"
           : component == "l2"          ? "L2 bandwidth"
           : component == "l2_requests" ? "the rate of requests to L2"
                                        : component;
}

constexpr double near_roof = 0.75;  // of its peak: the component itself is the limit
constexpr double uneven = 0.25;     // of the run that a core stands idle at its end

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
        case PathKind::other:
            break;
    }
    return Bottleneck::unknown;
}

double idle_at_end(const RunSummary& summary) {
    const PipeUse* const scalar = summary.find(name(Pipe::scalar));
    return scalar == nullptr || scalar->lanes < 2 || scalar->cycles.total() == 0
               ? 0
               : static_cast<double>(scalar->cycles[record::Reason::tail]) /
                     static_cast<double>(scalar->cycles.total());
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
        sentence += limiter == record::Limiter::none ? "" : fmt::format(" ({})", record::name(limiter));
    }
    if (!all.components.empty()) {
        sentence += fmt::format(", and nothing is near its roof (nearest {} at {:.0f} %)",
                                spoken(all.components.front().name),
                                all.components.front().utilization() * 100);
    }
    return {kind, component, sentence};
}

Verdict judge(const Explanation& all) {
    if (all.path.cycles() == 0) {
        return {Bottleneck::unknown, {}, "Nothing was recorded"};
    }
    if (const double idle = idle_at_end(all.summary); idle > uneven) {
        return {Bottleneck::imbalance,
                {},
                fmt::format("Bound by imbalance: on average a core is done {:.0f} % before the last one",
                            idle * 100)};
    }
    if (all.components.empty() || all.components.front().utilization() < near_roof) {
        return from_path(all);
    }
    const Component& top = all.components.front();
    std::string sentence = fmt::format("Bound by {}: it runs at {:.0f} % of its peak over the whole time",
                                       spoken(top.name),
                                       top.utilization() * 100);
    return {kind_of(top), top.name, sentence};
}

}  // namespace

Explanation explain(const record::Recording& recording) {
    Explanation all;
    all.summary = summarise(recording);
    all.components = components_of(all.summary, recording.metadata());
    all.path = critical_path(recording, all.summary.from, all.summary.to);
    all.blame = blame_of(recording, all.summary.from, all.summary.to);
    all.advice = advice_for(all.summary, all.path, recording);
    const Verdict verdict = judge(all);
    all.bottleneck = verdict.kind;
    all.component = verdict.component;
    all.verdict = verdict.sentence;
    return all;
}

}  // namespace ascendsim::analysis
