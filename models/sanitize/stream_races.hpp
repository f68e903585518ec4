// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/port/access.hpp"
#include "models/port/global_memory.hpp"
#include "models/port/pipe.hpp"
#include "models/sanitize/finding.hpp"

namespace ascendsim::sanitize {

/// A vector clock over lanes, which are streams and host threads: of each, how many of its works come before.
using StreamClock = std::vector<std::uint64_t>;

/// Adds to `into` what `from` knows besides.
void join(StreamClock& into, const StreamClock& from);

/// A kernel launch, a copy, or what a host thread does itself.
struct StreamWork {
    std::string what;          // for people: "'add' (main.cpp:30, stream 1)"
    std::uint32_t lane = 0;    // whose work it is
    std::uint64_t number = 0;  // among those of its lane, from 1
    StreamClock clock;         // the works that come before it; its own lane's, too
};

/// Finds works of different streams that touch the same bytes of global memory, one of them to write, where
/// no event and no waiting of the host orders them. It does not matter in which order they came in this run.
class StreamRaces {
public:
    /// Opens a work under an id that its accesses name.
    void begin(std::uint64_t id, StreamWork work);

    /// Where an access comes from, and what makes it.
    struct Place {
        std::string_view op;
        const char* file = "";
        std::uint32_t line = 0;
        Pipe pipe = Pipe::scalar;

        friend bool operator==(const Place&, const Place&) = default;
    };

    /// An open work makes an access. Accesses that only cover what they touch are left out.
    void touch(std::uint64_t id, const isa::Access& access, const Place& place);
    /// Closes a work and compares it with all others.
    void end(std::uint64_t id, const isa::GlobalMemory& memory);
    /// The bytes [begin, end) become somebody else's memory.
    void forget(std::uint64_t begin, std::uint64_t end);

    [[nodiscard]] const std::vector<Finding>& findings() const { return findings_; }

private:
    /// Bytes that one work touches at one place of its source.
    struct Span {
        std::uint64_t end = 0;
        bool atomic = false;
        Place place;
    };

    using Spans = std::map<std::uint64_t, Span>;  // by first byte

    struct Open {
        std::shared_ptr<const StreamWork> work;
        Spans reads;
        Spans writes;
    };

    /// The latest access of a lane to a run of bytes.
    struct Latest {
        std::shared_ptr<const StreamWork> work;
        bool write = false;
        bool atomic = false;
        Place place;
    };

    struct Run {
        std::uint64_t end = 0;
        std::vector<Latest> latest;
    };

    static void add(Spans& spans, std::uint64_t begin, const Span& span);
    void split(std::uint64_t at);
    void compare(const Latest& access,
                 std::uint64_t begin,
                 std::uint64_t end,
                 const isa::GlobalMemory& memory);
    void remember(const Latest& access, Run& run);
    void report(const Latest& later,
                const Latest& earlier,
                std::uint64_t begin,
                std::uint64_t end,
                const isa::GlobalMemory& memory);

    std::map<std::uint64_t, Open> open_;
    std::map<std::uint64_t, Run> runs_;  // by first byte
    std::vector<Finding> findings_;
};

}  // namespace ascendsim::sanitize
