// SPDX-License-Identifier: Apache-2.0
#include "app/profile/gaps.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace ascendsim::profile {
namespace {

/// What the host did, and when it launched.
class HostSide {
public:
    explicit HostSide(const Profile& profile) : profile_{profile}, used_{profile.ranks.size() == 1} {}

    [[nodiscard]] bool known() const { return used_ && !profile_.flows.empty(); }

    /// When the host called for the task that starts at `at`; nothing if no arrow ends there.
    [[nodiscard]] std::optional<double> launched(double at) const {
        constexpr double near_us = 0.5;  // tables and trace round apart
        if (!known()) {
            return std::nullopt;
        }
        const auto flow = std::ranges::lower_bound(profile_.flows, at - near_us, {}, &LaunchFlow::device_us);
        if (flow == profile_.flows.end() || flow->device_us > at + near_us) {
            return std::nullopt;
        }
        return flow->host_us;
    }

    /// The shortest call that is under way at `at`; empty if there is none.
    [[nodiscard]] std::string busy_with(double at) const {
        const HostCall* best = nullptr;
        auto call = std::ranges::upper_bound(profile_.calls, at, {}, &HostCall::start_us);
        constexpr int most_looked_at = 2000;
        for (int i = 0; i < most_looked_at && call != profile_.calls.begin(); ++i) {
            --call;
            const double us = call->end_us - call->start_us;
            if (call->end_us >= at && (best == nullptr || us < best->end_us - best->start_us)) {
                best = &*call;
            }
        }
        return best == nullptr ? std::string{} : best->name;
    }

private:
    const Profile& profile_;
    bool used_;
};

std::string title(const ProfiledOperator& one) {
    return one.name.empty() || one.name == one.type ? one.type : fmt::format("{} ({})", one.type, one.name);
}

/// Walks the tasks of one device by their starts.
class DeviceWalk {
public:
    DeviceWalk(const HostSide& host, Starvation& to) : host_{host}, to_{to} {}

    void walk(const std::vector<const ProfiledOperator*>& tasks, std::size_t rank, const std::string& name) {
        DeviceTime time{.rank = name};
        const auto begins =
            std::ranges::find_if(tasks, [](const ProfiledOperator* one) { return !one->copies(); });
        if (begins == tasks.end()) {
            return;
        }
        double until = *(*begins)->start_us;
        double until_computed = until;
        double until_communicated = until;
        const double first = until;
        double computed = 0;
        double communicated = 0;
        for (const ProfiledOperator* task : tasks) {
            if (task->copies()) {
                copies_.push_back(task);
            }
        }
        for (const ProfiledOperator* task : tasks) {
            if (task->copies()) {
                continue;  // the device does nothing meanwhile
            }
            const double start = *task->start_us;
            const double end = start + task->us;
            if (start > until) {
                add(rank, until, start - until, *task);
            }
            double& reached = task->communicates() ? until_communicated : until_computed;
            (task->communicates() ? communicated : computed) += std::max(0.0, end - std::max(start, reached));
            reached = std::max(reached, end);
            until = std::max(until, end);
        }
        time.span_us = until - first;
        time.free_us = free_;
        time.computing_us = computed;
        time.communication_us = std::max(0.0, time.span_us - free_ - computed);
        time.overlapped_us = std::max(0.0, communicated - time.communication_us);
        to_.devices.push_back(std::move(time));
        free_ = 0;
        copies_.clear();
    }

private:
    void add(std::size_t rank, double start, double us, const ProfiledOperator& next) {
        free_ += us;
        Gap gap{.rank = rank, .start_us = start, .us = us, .next = title(next)};
        const std::optional<double> called = host_.launched(start + us);
        if (copied(start, start + us) > us / 2) {
            gap.cause = "a copy between host and device";
        } else if (called && *called > start) {
            gap.host_us = std::min(us, *called - start);
            gap.launch_us = us - gap.host_us;
            const std::string busy = host_.busy_with(start + gap.host_us / 2);
            gap.cause = busy.empty() ? "the host was not there" : "the host was busy with " + busy;
        } else if (next.communicates()) {
            gap.cause = "waits for other devices";
        } else if (called) {
            gap.cause = "called before, and not started: launch, or an event of another stream";
        } else {
            gap.cause = "not known: the profile does not tell when the host called";
        }
        to_.gaps.push_back(std::move(gap));
    }

    /// How long copies were under way in [start, end), at most all of it.
    [[nodiscard]] double copied(double start, double end) const {
        double sum = 0;
        for (const ProfiledOperator* copy : copies_) {
            sum +=
                std::max(0.0, std::min(end, *copy->start_us + copy->us) - std::max(start, *copy->start_us));
        }
        return std::min(sum, end - start);
    }

    const HostSide& host_;
    Starvation& to_;
    std::vector<const ProfiledOperator*> copies_;
    double free_ = 0;
};

void add_causes(Starvation& to) {
    std::map<std::string, GapCause> causes;
    for (const Gap& gap : to.gaps) {
        for (const auto& [cause, us] : {std::pair{gap.cause, gap.us - gap.launch_us},
                                        std::pair{std::string{"launch"}, gap.launch_us}}) {
            if (us > 0) {
                GapCause& of = causes[cause];
                of.cause = cause;
                ++of.count;
                of.us += us;
            }
        }
    }
    for (const auto& [cause, of] : causes) {
        to.causes.push_back(of);
    }
    std::ranges::stable_sort(to.causes, std::greater{}, &GapCause::us);
}

}  // namespace

Starvation starvation_of(const Profile& profile) {
    Starvation result;
    const HostSide host{profile};
    for (std::size_t rank = 0; rank < profile.ranks.size(); ++rank) {
        std::vector<const ProfiledOperator*> tasks;
        for (const ProfiledOperator& one : profile.operators) {
            if (one.rank == rank && one.start_us) {
                tasks.push_back(&one);
            }
        }
        std::ranges::stable_sort(tasks, {}, [](const ProfiledOperator* one) { return *one->start_us; });
        if (!tasks.empty()) {
            DeviceWalk{host, result}.walk(tasks, rank, profile.ranks[rank]);
        }
    }
    if (result.devices.empty()) {
        result.notes.emplace_back("No task states its start, so gaps are not known.");
    } else if (!host.known()) {
        result.notes.emplace_back(
            profile.ranks.size() > 1
                ? "Host calls are looked at where the profile is of one device: name its folder."
                : "There is no trace_view.json that links the host's calls to tasks, so who caused a gap is "
                  "not known.");
    }
    std::ranges::stable_sort(result.gaps, std::greater{}, &Gap::us);
    add_causes(result);
    return result;
}

}  // namespace ascendsim::profile
