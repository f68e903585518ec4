// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/record/recording.hpp"

namespace ascendsim::analysis {

/// What was inserted before one source line.
struct InsertedAt {
    std::string file;
    std::uint32_t line = 0;
    std::string from;  // pipe
    std::string to;    // the same: a barrier
    std::uint64_t count = 0;
    std::uint64_t spare = 0;
    std::uint64_t cycles = 0;

    [[nodiscard]] bool is_barrier() const { return from == to; }
};

/// The synchronisation that the vendor's compiler inserts by itself, in a run of a kernel of one's own.
struct AutoSyncFigures {
    bool on = false;
    bool stated = false;  // by the user or the project; false: nothing says, so it is off
    std::string origin;   // who says so
    std::uint64_t barriers = 0;
    std::uint64_t flags = 0;         // pairs of set and wait
    std::uint64_t spare = 0;         // of both, where the chip keeps the order by itself
    std::uint64_t cycles = 0;        // in which pipes stood at them, over all cores
    std::uint64_t repeated = 0;      // of the kernel's own, what stands where the compiler inserts, too
    std::vector<InsertedAt> places;  // the most expensive first

    [[nodiscard]] std::uint64_t count() const { return barriers + flags; }
};

/// Nothing for kernels that come with the simulator, and recordings of earlier versions.
[[nodiscard]] std::optional<AutoSyncFigures> auto_sync_of(const record::Recording& recording);

/// True for the name of an instruction that the compiler inserted.
[[nodiscard]] constexpr bool is_inserted(std::string_view op) {
    return op == "auto_barrier" || op == "auto_set_flag" || op == "auto_wait_flag";
}

/// How many of the hazards automatic synchronisation would order: those between vector instructions, and
/// between the scalar unit and the vector unit, MTE2 or MTE3, in the unified buffer.
[[nodiscard]] std::size_t covered_by_auto_sync(const nlohmann::json& hazards);

/// As `auto_sync` of --json.
[[nodiscard]] nlohmann::ordered_json to_json(const AutoSyncFigures& figures);

}  // namespace ascendsim::analysis
