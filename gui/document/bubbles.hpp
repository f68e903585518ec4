// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gui/document/selection.hpp"

namespace ascendsim::gui {

/// What a bubble waited for: an instruction at a source line of a kind of pipe.
struct Culprit {
    std::uint32_t op = 0;  ///< 0 if nobody could be named
    std::uint32_t site = 0;
    std::string pipe;  ///< outside of cores the track's name
    std::uint64_t cycles = 0;
};

/// All waits of one kind of pipe for one cause.
struct CauseTotal {
    std::string pipe;
    std::string
        core;  ///< "aic" or "aiv" where cores of both kinds have such a pipe: a mean of both is of neither
    record::Reason reason = record::Reason::none;
    std::uint64_t cycles = 0;  ///< of all cores
    std::uint64_t path = 0;    ///< of these, where the critical path went on elsewhere meanwhile
    std::uint64_t count = 0;
    Culprit top;
    std::vector<Pick> largest;  ///< largest first, at most most_instances
};

/// One kind of pipe over all cores that used it, of one kind where there are two.
struct PipeTotal {
    std::string pipe;
    std::string core;  ///< as of CauseTotal
    std::uint32_t lanes = 0;
    record::Occupancy cycles;
};

/// Where the cycles of a stretch of the run went.
struct BubbleReport {
    TimeRange range;
    std::vector<PipeTotal> pipes;  ///< in the order of pipe_names
    std::vector<CauseTotal>
        causes;  ///< within programs first; more of the critical path, then larger for a core first
    bool of_tracks = false;  ///< of streams, by their names: of a step, or where no core ran

    /// The pipe that a cause is of.
    [[nodiscard]] const PipeTotal& pipe_of(const CauseTotal& cause) const;
};

inline constexpr std::size_t most_instances = 500;

/// Whether there is anything that bubbles_of() adds up: a core, or a stream of a device.
[[nodiscard]] bool has_bubbles(const Run& run);

/// Adds up all stretches in a range; reads every span there. Streams of devices stand for pipes of a step,
/// and where no core ran anything.
[[nodiscard]] BubbleReport bubbles_of(const Run& run, TimeRange range);

/// The cause to look at first, of a report that has any: the largest that is a bubble. The scalar unit's
/// waits are those of whom it feeds, and nobody is to blame for what lies outside of the program.
[[nodiscard]] const CauseTotal& first_to_look_at(const BubbleReport& report);

}  // namespace ascendsim::gui
