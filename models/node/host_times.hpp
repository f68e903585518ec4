// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/node/host_timeline.hpp"
#include "models/node/occupation.hpp"

namespace ascendsim::node {

/// Where the time of one device went; the parts add up to the program's length.
struct DeviceTimes {
    std::uint32_t device = 0;
    Picoseconds computing = 0;
    Picoseconds communication = 0;  // collectives that no kernel hides, once all ranks have come
    Picoseconds copies = 0;         // that neither kernels nor collectives hide
    Picoseconds launching = 0;      // from a call's arrival to its work's start
    Picoseconds waiting = 0;        // for other ranks and for other devices' streams
    Picoseconds host = 0;           // the host makes calls for it, or goes on after it waited
    Picoseconds free = 0;           // none of these
    std::vector<Share> idle = {};   // the last four by cause and line, the largest first; they add up to them
};

/// Times of the work of one call, added up over the times it was made.
struct CallTimes {
    std::uint32_t call = 0;  // of HostTimeline::calls()
    std::uint64_t count = 0;
    SpanKind kind = SpanKind::call;
    Picoseconds device = 0;       // alone on the device
    Picoseconds contended = 0;    // as it ran, beside others
    Picoseconds with_launch = 0;  // from the start of the host's call
    Picoseconds critical = 0;     // on the critical path: call, launch and work
    Picoseconds waited = 0;       // device time in which the device did nothing and the host was at this call
};

/// How ranks came to the collectives of one call, over the times it was made.
struct CollectiveTimes {
    struct Rank {
        std::uint32_t device = 0;
        Picoseconds waited = 0;  // for the last rank to come
        std::uint64_t last = 0;  // times that the others waited for it
    };

    std::uint32_t call = 0;  // of HostTimeline::calls(); of the rank that stands first
    std::uint64_t count = 0;
    std::vector<Rank> ranks;  // by device
};

/// What came of a program.
struct HostTimes {
    Picoseconds length = 0;
    std::vector<CollectiveTimes> collectives = {};  // by call
    std::vector<DeviceTimes> devices;               // those with streams that worked
    std::vector<CallTimes> calls;                   // in the order in which the program came to them
};

/// The name of a call that is nobody else's: with its line where others have the same name.
[[nodiscard]] std::string label_of(const HostTimeline& timeline, std::uint32_t call);

/// Takes a timeline that is finished. The critical parts of all calls add up to the length.
[[nodiscard]] HostTimes times_of(const HostTimeline& timeline);

}  // namespace ascendsim::node
