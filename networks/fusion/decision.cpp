// SPDX-License-Identifier: Apache-2.0
#include "networks/fusion/decision.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "networks/run/layouts.hpp"

namespace ascendsim::networks {

void add_simulated(const PlannedNode& node, std::vector<TaskResult>::const_iterator& result, Simulated& to) {
    to.error = to.error.empty() ? node.refusal : to.error;
    for (const Task& task : node.tasks) {
        if (!task.timed) {
            continue;
        }
        for (const Tensor& made : task.makes) {
            to.costs.memory_bytes += made.bytes();
        }
        to.error = to.error.empty() ? result->error : to.error;
        to.costs.time_us += result->time_us;
        to.costs.core_us += result->core_us;
        to.conversions_us += node.op == conversion_op ? result->time_us : 0;
        to.longest = result->time_us > to.longest.time_us ? *result : to.longest;
        ++result;
    }
}

void add_timed(const PlannedNode& node, std::vector<Task>& to) {
    std::ranges::copy_if(node.tasks, std::back_inserter(to), &Task::timed);
}

std::uint64_t traffic_of(const PlannedNode& node) {
    std::uint64_t bytes = 0;
    for (const Task& task : node.tasks) {
        for (const Read& read : task.reads) {
            bytes += task.timed ? read.tensor.bytes() : 0;
        }
        for (const Tensor& made : task.makes) {
            bytes += task.timed ? made.bytes() : 0;
        }
    }
    return bytes;
}

namespace {

/// Where joining asks for conversions of layouts, they are named.
std::string conversions_text(const Decision& decision) {
    if (decision.fused_conversions_us <= decision.apart_conversions_us) {
        return "";
    }
    return fmt::format("; {:.2f} us of them convert layouts around it, {:.2f} us apart",
                       decision.fused_conversions_us,
                       decision.apart_conversions_us);
}

}  // namespace

void decide(Decision& decision,
            const Simulated& apart,
            const Simulated& fused,
            const ScoreWeights& weights,
            bool ties) {
    decision.apart = apart.costs;
    decision.fused = fused.costs;
    decision.apart_conversions_us = apart.conversions_us;
    decision.fused_conversions_us = fused.conversions_us;
    if (!fused.error.empty() || (!apart.error.empty() && decision.pattern.empty())) {
        decision.code = "cannot_run";
        decision.text = fused.error.empty() ? apart.error : fused.error;
        return;
    }
    if (!apart.error.empty()) {  // what could not run now can
        decision.taken = true;
        return;
    }
    decision.score = score_of(fused.costs, apart.costs, weights);
    const double as_before = weights.all();
    const bool slower =
        fused.costs.time_us > apart.costs.time_us || (!ties && fused.costs.time_us == apart.costs.time_us);
    const bool better = decision.score < as_before || (ties && decision.score == as_before);
    decision.taken = better && (weights.stated || !slower);
    if (decision.taken) {
        return;
    }
    decision.code = slower ? "slower" : "score";
    decision.text = slower ? fmt::format(
                                 "joined they take {:.2f} us, {:.1f} % more than {:.2f} us apart; {} is busy "
                                 "for {:.0f} % of it",
                                 fused.costs.time_us,
                                 100 * (fused.costs.time_us / apart.costs.time_us - 1),
                                 apart.costs.time_us,
                                 fused.longest.busiest,
                                 100 * fused.longest.busy_share)
                           : fmt::format(
                                 "scores {:.3f}, and apart {:.3f}: {:.2f} us instead of {:.2f}, {} B written "
                                 "instead of {}",
                                 decision.score,
                                 as_before,
                                 fused.costs.time_us,
                                 apart.costs.time_us,
                                 fused.costs.memory_bytes,
                                 apart.costs.memory_bytes);
    decision.text += conversions_text(decision);
}

}  // namespace ascendsim::networks
