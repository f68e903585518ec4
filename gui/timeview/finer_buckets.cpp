// SPDX-License-Identifier: Apache-2.0
#include "gui/timeview/finer_buckets.hpp"

#include <chrono>
#include <utility>

namespace ascendsim::gui {

void FinerBuckets::begin_frame(bool at_once) {
    at_once_ = at_once;
    wishes_.clear();
}

bool FinerBuckets::has(const record::Pyramid& pyramid,
                       std::size_t level,
                       std::size_t first,
                       std::size_t last) {
    if (at_once_ || pyramid.has(level, first, last)) {
        return true;
    }
    wishes_.push_back({&pyramid, level, first, last});
    return false;
}

bool FinerBuckets::end_frame(std::vector<std::shared_ptr<const void>> owners) {
    if (work_.valid() && work_.wait_for(std::chrono::seconds{0}) == std::future_status::ready) {
        work_.get();
    }
    if (!work_.valid() && !wishes_.empty()) {
        work_ =
            std::async(std::launch::async, [kept = std::move(owners), wishes = std::exchange(wishes_, {})] {
                for (const Wish& wish : wishes) {
                    static_cast<void>(wish.pyramid->read(wish.level, wish.first, wish.last));
                }
            });
    }
    return work_.valid() || !wishes_.empty();
}

}  // namespace ascendsim::gui
