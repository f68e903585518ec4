// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/port/core_port.hpp"

namespace ascendsim::isa {

/// Between two buffers of the core in 32-byte blocks: UB -> UB on the vector unit; of coupled cores UB -> L1
/// on MTE3 and L1 -> UB on MTE1, at the rates of `coupled`.
struct CopyLocal {
    static constexpr OpInfo info{"copy_ubuf", "Copies blocks between buffers of the core."};
    Local dst;
    Local src;
    std::uint32_t rows = 1;
    std::uint32_t row_bytes = 0;
    std::uint32_t dst_pitch = 0;  // B
    std::uint32_t src_pitch = 0;

    void accesses(Accesses& list) const;
    void time(const ChipSpec& chip, TimedOp& op) const;
    void execute(CorePort& core) const;
};

/// Issues the copy on the running core, after its alignment checks.
void copy_local(const CopyLocal& copy, Site site);

inline Instructions copy_local_instructions() {
    return {&CopyLocal::info};
}

}  // namespace ascendsim::isa
