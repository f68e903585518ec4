// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gui/document/selection.hpp"

namespace ascendsim::gui {

/// All instructions of one name at one source place on one kind of pipe.
struct InstructionTotal {
    std::uint32_t op = 0;
    std::uint32_t site = 0;
    std::string pipe;
    std::uint64_t count = 0;
    std::uint64_t cycles = 0;
    std::uint64_t least = 0;  ///< cycles
    std::uint64_t most = 0;   ///< cycles
    std::uint64_t bytes = 0;
    std::uint64_t conflicts = 0;              ///< cycles lost to bank conflicts
    std::array<std::uint64_t, 16> lengths{};  ///< by the power of two of the length: [1], [2, 3], [4, 7] …
    Pick longest;

    [[nodiscard]] double mean() const { return static_cast<double>(cycles) / static_cast<double>(count); }
};

/// Adds up the instructions in a stretch of the run whose name or place holds `text`, most cycles first.
[[nodiscard]] std::vector<InstructionTotal> statistics_of(const Run& run,
                                                          TimeRange range,
                                                          std::string_view text);

}  // namespace ascendsim::gui
