// SPDX-License-Identifier: Apache-2.0
#include "gui/document/words.hpp"

#include <array>

#include "models/port/pipe.hpp"

namespace ascendsim::gui {

std::string_view memory_words(std::size_t memory) {
    constexpr std::array<std::string_view, memory_count> texts{
        "GM", "UB", "L1", "L0A", "L0B", "L0C", "bias table", "FixPipe buffer"};
    return memory < texts.size() ? texts.at(memory) : std::string_view{"?"};
}

}  // namespace ascendsim::gui
