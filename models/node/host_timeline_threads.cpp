// SPDX-License-Identifier: Apache-2.0
// Several threads of a host on one time axis. Each has a lane and a clock. The schedule never goes beyond the
// clock of a thread that can go on, so that whatever it adds starts in time.
#include <algorithm>

#include "models/node/host_timeline.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::node {

ThreadId HostTimeline::add_thread() {
    check(runs(), "a thread on a timeline that does not run");
    if (!has_threads()) {
        clocks_.assign(1, now());
    }
    const Host& creator = host_now();
    const std::optional<TaskId> last = creator.last;
    clocks_.push_back(clocks_[index(thread_)]);
    const auto added = static_cast<ThreadId>(clocks_.size() - 1);
    epoch_->hosts.resize(std::max(epoch_->hosts.size(), clocks_.size()));
    if (last) {
        epoch_->hosts[index(added)].after.push_back(*last);
    }
    return added;
}

void HostTimeline::hand_over(ThreadId from, ThreadId to) {
    epoch_->hosts.resize(std::max(epoch_->hosts.size(), clocks_.size()));
    if (const std::optional<TaskId>& last = epoch_->hosts[index(from)].last) {
        epoch_->hosts[index(to)].after.push_back(*last);
    }
    clocks_[index(to)] = std::max(clocks_[index(to)], clocks_[index(from)]);
}

void HostTimeline::come_to(ThreadId thread, Picoseconds time) {
    clocks_[index(thread)] = std::max(clocks_[index(thread)], time);
}

void HostTimeline::wake_behind(const std::vector<Point>& points, const HostCall& call) {
    std::vector<TaskId> after;
    for (const Point& point : points) {
        come_to(thread_, time(point));
        if (point.task && point.epoch == past_.size()) {
            after.push_back(*point.task);
        }
    }
    synchronise_after(after, call, false);
}

HostTimeline::Point HostTimeline::done_by_thread() const {
    const std::vector<Host>& hosts = epoch_->hosts;
    Point point;
    point.epoch = static_cast<std::uint32_t>(past_.size());
    if (index(thread_) < hosts.size() && hosts[index(thread_)].last) {
        point.task = hosts[index(thread_)].last;
    } else {
        point.epoch = 0;  // nothing: the beginning
    }
    return point;
}

bool HostTimeline::step(std::optional<Picoseconds> until) {
    if (until && *until < base_) {
        return false;
    }
    return epoch_->live.step(until ? std::optional{*until - base_} : std::nullopt);
}

}  // namespace ascendsim::node
