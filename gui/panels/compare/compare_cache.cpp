// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/compare/compare_cache.hpp"

#include <chrono>
#include <optional>
#include <utility>

namespace ascendsim::gui {
namespace {

/// Whether all that can be known of a run already is: a worker adds up what was read of a complete recording.
bool is_added_up(const Run& run) {
    return run.figures() != nullptr || run.at_once() || !run.recording().complete();
}

/// The summary that was made of a run; none where it may be of less than the recording is now, or of another
/// axis, as those of networks and programs are.
std::optional<analysis::RunSummary> summary_of(const Run& run) {
    const RunAnalysis* const known = run.figures();
    const bool whole = known != nullptr && run.recording().complete() && known->summary.complete;
    return whole && !known->network && !known->step && !known->report ? std::optional{known->summary}
                                                                      : std::nullopt;
}

}  // namespace

void CompareCache::publish(analysis::Comparison comparison) {
    shown_ = std::make_shared<const analysis::Comparison>(std::move(comparison));
    ++version_;
}

std::shared_ptr<const analysis::Comparison> CompareCache::get(const Run& a, const Run& b, double threshold) {
    if (job_.valid() && job_.wait_for(std::chrono::seconds{0}) == std::future_status::ready) {
        publish(job_.get());
    }
    const Key wanted{a.data(), b.data(), threshold};
    // What the comparison adds up is most of its time, and is there soon.
    waits_ = wanted != made_ && !(is_added_up(a) && is_added_up(b));
    if (job_.valid() || waits_ || wanted == made_) {
        return shown_;
    }
    made_ = wanted;
    // The run under study is the newer one: what it changed is told against the other.
    const auto work = [key = made_, before = summary_of(b), now = summary_of(a)] {
        return before && now
                   ? analysis::compare(*key.b->recording, *key.a->recording, *before, *now, key.threshold)
                   : analysis::compare(*key.b->recording, *key.a->recording, key.threshold);
    };
    if (a.at_once() || b.at_once()) {
        publish(work());
    } else {
        job_ = std::async(std::launch::async, work);
    }
    return shown_;
}

}  // namespace ascendsim::gui
