// SPDX-License-Identifier: Apache-2.0
// Copies from global memory that only the cube core has: MTE2. Time on the way is the memory system's.
//
//   GM --mte2--> L1 as fractals or turned from ND to NZ, L0A, L0B
#pragma once

#include <cstdint>
#include <string>

#include "models/port/core_port.hpp"

namespace ascendsim::isa {

/// Copies runs of 32 B blocks, such as fractals, from global memory to L1, L0A or L0B.
struct CopyGmFractals {
    static constexpr OpInfo info{"load2d_gm", "Copies fractals from global memory to L1, L0A or L0B."};

    Local destination{};
    std::uint64_t source = 0;  // B in global memory
    std::uint32_t rows = 1;
    std::uint32_t row_bytes = 0;
    std::uint64_t source_pitch = 0;       // B
    std::uint64_t destination_pitch = 0;  // B

    [[nodiscard]] bool legal() const {
        return (destination.offset | row_bytes | destination_pitch) % 32 == 0;
    }

    [[nodiscard]] std::string fault() const;
    void accesses(Accesses& list) const;
    void time(const ChipSpec& chip, TimedOp& op) const;
    void execute(CorePort& core) const;
    [[nodiscard]] Transfer transfer(const CorePort& core) const;
};

/// Copies `count` row-major matrices of rows x columns from global memory to L1 as NZ: columns of 32-byte
/// blocks.
struct CopyNdToNz {
    static constexpr OpInfo info{"copy_gm_to_l1_nd2nz",
                                 "Copies row-major matrices from global memory to L1 as NZ fractals."};

    std::uint32_t destination = 0;  // B in L1
    std::uint64_t source = 0;       // B in global memory
    std::uint32_t element_bytes = 2;
    std::uint32_t count = 1;
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;              // elements
    std::uint64_t source_matrix_pitch = 0;  // elements
    std::uint64_t source_row_pitch = 0;     // elements
    std::uint32_t block_column_pitch = 0;   // 32 B, from one column of blocks to the next
    std::uint32_t block_row_pitch = 0;      // 32 B, from one row to the next
    std::uint64_t matrix_pitch = 0;         // elements
    bool bypass_l2 = false;

    [[nodiscard]] bool legal() const { return destination % 32 == 0; }

    [[nodiscard]] std::string fault() const;
    void accesses(Accesses& list) const;
    void time(const ChipSpec& chip, TimedOp& op) const;
    void execute(CorePort& core) const;
    [[nodiscard]] Transfer transfer(const CorePort& core) const;
};

inline Instructions cube_copy_instructions() {
    return {&CopyGmFractals::info, &CopyNdToNz::info};
}

}  // namespace ascendsim::isa
