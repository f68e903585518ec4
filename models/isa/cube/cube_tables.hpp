// SPDX-License-Identifier: Apache-2.0
// Small loads and fills of the cube core: bias table, fixpipe parameters, constants.
#pragma once

#include <cstdint>
#include <string>

#include "models/port/core_port.hpp"
#include "models/port/data_type.hpp"

namespace ascendsim::isa {

/// Copies rows from L1 to the bias table (MTE1; half widens to float there) or the fixpipe buffer (fixpipe).
struct LoadTable {
    static constexpr OpInfo info{"load_table",
                                 "Copies bias or quantisation parameters from L1 to their table."};

    Local destination{};       // bias table or fixpipe buffer
    std::uint32_t source = 0;  // B in L1
    std::uint32_t rows = 1;
    std::uint32_t row_bytes = 0;  // in the table
    std::uint32_t source_pitch = 0;
    std::uint32_t destination_pitch = 0;
    bool widen = false;  // half in L1, float in the bias table

    [[nodiscard]] bool legal() const { return destination.offset % 64 == 0 && source % 32 == 0; }

    [[nodiscard]] std::string fault() const;
    void accesses(Accesses& list) const;
    void time(const ChipSpec& chip, TimedOp& op) const;
    void execute(CorePort& core) const;
};

/// Fills runs of blocks of L1, L0A or L0B with one value.
struct FillConstant {
    static constexpr OpInfo info{"fill_constant", "Fills blocks of L1, L0A or L0B with one value."};

    Local destination{};
    std::uint32_t repeat = 0;
    std::uint32_t run_bytes = 0;
    std::uint32_t gap_bytes = 0;  // between runs
    std::uint32_t pattern = 0;    // the value, repeated to 32 bits

    [[nodiscard]] bool legal() const {
        return destination.offset % (destination.memory == Memory::l1 ? 32 : 512) == 0;
    }

    [[nodiscard]] std::string fault() const;
    void accesses(Accesses& list) const;
    void time(const ChipSpec& chip, TimedOp& op) const;
    void execute(CorePort& core) const;
};

inline Instructions cube_tables_instructions() {
    return {&LoadTable::info, &FillConstant::info};
}

}  // namespace ascendsim::isa
