// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/analysis/traffic.hpp"
#include "gui/canvas/theme.hpp"
#include "gui/document/run.hpp"
#include "gui/document/selection.hpp"
#include "models/port/pipe.hpp"

namespace ascendsim::gui {

/// One pipe of a core at one cycle.
struct UnitMoment {
    bool present = false;  ///< the core ran something on it
    std::uint32_t lane = 0;
    std::optional<Pick> pick;  ///< what it does, busy or waiting
    double progress = 0;       ///< of what it does, 0 to 1
    std::string sentence;
};

/// A part of a buffer that a unit has written or read lately.
struct Touch {
    std::uint32_t offset = 0;  ///< B
    std::uint32_t bytes = 0;
    Pipe pipe = Pipe::scalar;
    bool now = false;  ///< at this very cycle
};

/// What lives in one buffer memory of a core at one cycle, and what was touched in the window before it.
struct MemoryMoment {
    std::uint64_t capacity = 0;  ///< B; 0 if the chip does not say
    std::uint64_t used = 0;      ///< B
    std::vector<const record::Buffer*> buffers;
    std::vector<Touch> touches;  ///< oldest first
};

/// A core at one cycle: what every unit does, what every buffer holds, and how fast every route flows.
struct ChipMoment {
    std::array<UnitMoment, pipe_count> units;
    std::array<MemoryMoment, memory_count> memories;
    /// Bytes per cycle over the window, by route as in analysis::route_names.
    std::array<double, analysis::route_names.size()> rates{};

    [[nodiscard]] const UnitMoment& unit(Pipe pipe) const { return units[index(pipe)]; }

    [[nodiscard]] const MemoryMoment& memory(Memory memory) const { return memories[index(memory)]; }
};

/// Buffers of a run by core, so that a moment need not look at all of them.
class BufferIndex {
public:
    /// Sorts the buffers of `run` unless they are sorted already.
    void follow(const Run& run);
    [[nodiscard]] const std::vector<const record::Buffer*>& of_core(std::uint32_t core_index) const;

private:
    std::shared_ptr<const RunData> data_;
    std::vector<std::vector<const record::Buffer*>> by_core_;
};

/// What core and chip do at `cycle`; rates and shares are those of the `window` cycles around it.
[[nodiscard]] ChipMoment moment_of(const Run& run,
                                   const BufferIndex& buffers,
                                   const CoreLanes& core,
                                   double cycle,
                                   double window,
                                   const Theme& theme);

/// The share of the window that the busiest pipe of a core (the scalar unit only if alone) was busy.
[[nodiscard]] double core_heat(const Run& run, const CoreLanes& core, double cycle, double window);

/// The next cycle at which any pipe of a core begins or ends something; nothing at the run's end.
[[nodiscard]] std::optional<double> next_event(const Run& run,
                                               const CoreLanes& core,
                                               double cycle,
                                               bool forward);

}  // namespace ascendsim::gui
