// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/isa/move/atomic.hpp"
#include "models/port/core_port.hpp"

namespace ascendsim::isa {

/// Rows of a copy between global memory and a buffer of the core.
struct CopyShape {
    std::uint32_t rows = 1;
    std::uint32_t row_bytes = 0;
    std::uint64_t gm_pitch = 0;     // B, from row to row in global memory
    std::uint32_t local_pitch = 0;  // B, from row to row in the buffer
    bool bypass_l2 = false;
};

/// What DataCopyPad puts around each row in the buffer.
struct CopyPadding {
    std::uint32_t left_bytes = 0;
    std::uint32_t right_bytes = 0;
    std::uint32_t element_bytes = 1;
    bool pads = false;  // the row's ends get `value`; else the dummy tail repeats the row's first element
    std::uint64_t value = 0;  // bits
};

/// GM -> UB or L1 in 32-byte blocks (DataCopy) or bytes (DataCopyPad); MTE2.
struct CopyIn {
    const OpInfo& info;
    Local dst;
    std::uint64_t src = 0;  // B, offset in global memory
    CopyShape shape;
    CopyPadding padding;

    void accesses(Accesses& list) const;
    void time(const ChipSpec& chip, TimedOp& op) const;
    [[nodiscard]] Transfer transfer(const CorePort& core) const;
    void execute(CorePort& core) const;
    [[nodiscard]] std::uint32_t local_row_bytes() const;
};

/// UB or L1 -> GM, with the atomic operation that the core's registers ask for; MTE3.
struct CopyOut {
    const OpInfo& info;
    Local src;
    std::uint64_t dst = 0;  // B, offset in global memory
    CopyShape shape;
    AtomicWrite how{};

    void accesses(Accesses& list) const;
    void time(const ChipSpec& chip, TimedOp& op) const;
    [[nodiscard]] Transfer transfer(const CorePort& core) const;
    void execute(CorePort& core) const;
};

/// Issue the copies on the running core, after their alignment checks. `gm` is an address in global memory.
void copy_in(Local dst, const void* gm, const CopyShape& shape, Site site);
void copy_in_padded(Local dst, const void* gm, const CopyShape& shape, const CopyPadding& padding, Site site);
void copy_out(const void* gm, Local src, const CopyShape& shape, Site site);
void copy_out_bytes(const void* gm, Local src, const CopyShape& shape, Site site);

}  // namespace ascendsim::isa
