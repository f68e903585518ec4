// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/compare/compare_cache.hpp"

#include <chrono>

namespace ascendsim::gui {

void CompareCache::publish(analysis::Comparison comparison) {
    shown_ = std::make_shared<const analysis::Comparison>(std::move(comparison));
    ++version_;
}

std::shared_ptr<const analysis::Comparison> CompareCache::get(const Run& a, const Run& b, double threshold) {
    if (job_.valid() && job_.wait_for(std::chrono::seconds{0}) == std::future_status::ready) {
        publish(job_.get());
    }
    const Key wanted{a.data(), b.data(), threshold};
    if (job_.valid() || wanted == made_) {
        return shown_;
    }
    made_ = wanted;
    // The run under study is the newer one: what it changed is told against the other.
    const auto work = [key = made_] {
        return analysis::compare(*key.b->recording, *key.a->recording, key.threshold);
    };
    if (a.at_once() || b.at_once()) {
        publish(work());
    } else {
        job_ = std::async(std::launch::async, work);
    }
    return shown_;
}

}  // namespace ascendsim::gui
