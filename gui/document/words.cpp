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

record::Word cause_words(record::Reason reason, bool on_core) {
    using record::Reason;
    if (!on_core && reason == Reason::launch) {
        return {"launch", "before its first task, or from a call to the start on the device"};
    }
    if (!on_core && reason == Reason::issue) {
        return {"no task", "nothing to do: no task followed yet, or the host had not called for it"};
    }
    if (!on_core && reason == Reason::flag_data) {
        return {"waiting for another", "a task of another stream or rank had to end first"};
    }
    if (!on_core && reason == Reason::tail) {
        return {"done", "nothing follows"};
    }
    return {record::label(reason), record::meaning(reason)};
}

}  // namespace ascendsim::gui
