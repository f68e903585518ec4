// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/profile/vendor_profile.hpp"

namespace ascendsim::profile {

/// A stretch in which a device neither computes nor communicates.
struct Gap {
    std::size_t rank = 0;
    double start_us = 0;
    double us = 0;
    double host_us = 0;    // of it, until the host made the call that ended it
    double launch_us = 0;  // of it, from that call to the task's start
    std::string cause{};   // "the host was busy with aten::add", "launch", "waits for other devices", …
    std::string next;      // the task that ends it
};

/// Time of gaps for one cause.
struct GapCause {
    std::string cause;
    std::size_t count = 0;
    double us = 0;
};

/// Where one device's time went, us. Computing, communication that nothing hides and free time add up to
/// `span_us`.
struct DeviceTime {
    std::string rank;
    double span_us = 0;  // from its first task's start to its last one's end
    double computing_us = 0;
    double communication_us = 0;  // not overlapped
    double overlapped_us = 0;
    double free_us = 0;
};

/// Where the devices of a profile starved.
struct Starvation {
    std::vector<DeviceTime> devices;
    std::vector<Gap> gaps;         // longest first
    std::vector<GapCause> causes;  // longest first; they add up to the gaps
    std::vector<std::string> notes;
};

/// Gaps between tasks whose starts are known. A gap's cause is known as far as the profile tells when the
/// host called what ended it.
[[nodiscard]] Starvation starvation_of(const Profile& profile);

}  // namespace ascendsim::profile
