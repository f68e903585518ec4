// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/timeline/timeline_pair.hpp"

namespace ascendsim::gui {
namespace {

std::uint64_t number_of(const std::optional<record::SpanId>& span) {
    return span ? (std::uint64_t{span->lane} << 40U) + span->index + 1 : 0;
}

}  // namespace

void TimelinePair::follow(const Run& a, const Run* b, const ViewState& view) {
    b_ = b == nullptr ? nullptr : b->shared_from_this();
    if (b == nullptr) {
        seen_ = {};
        mapping_ = {};
        match_.reset();
        divergence_.reset();
        return;
    }
    find_divergence(a);
    const std::optional<Pick> pick = selected(a, view);
    const Choice now{a.data().get(),
                     b->data().get(),
                     view.alignment,
                     number_of(view.aligned_at),
                     pick ? number_of(pick->span()) : 0,
                     pick && pick->stretch.between};
    if (now == seen_) {
        return;
    }
    seen_ = now;
    mapping_ = mapping_of(a, *b, view);
    match_ = pick ? matching(a, *b, *pick) : std::nullopt;
}

void TimelinePair::find_divergence(const Run& a) {
    divergence_.reset();
    const auto* found =
        search_.get({a.data().get(), b_->data().get()},
                    a.at_once() || b_->at_once(),
                    [now = a.data(), before = b_->data()] {
                        return analysis::first_divergence(*before->recording, *now->recording);
                    });
    if (found == nullptr || search_.busy() || !*found) {
        return;
    }
    divergence_ = *found;
    divergence_a_ = static_cast<double>(divergence_->cycle_b + analysis::reported(a.recording()).from);
    divergence_b_ = static_cast<double>(divergence_->cycle_a + analysis::reported(b_->recording()).from);
}

}  // namespace ascendsim::gui
