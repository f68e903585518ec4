// SPDX-License-Identifier: Apache-2.0
// Fixpipe: a result in L0C leaves through quantisation and ReLU, as rows (ND) or columns of blocks (NZ).
//
//   L0C (fp32 or int32, NZ) -> x scale -> ReLU -> + offset, round, saturate -> GM (ND or NZ) or L1 (NZ)
//
// Coupled chips have the same conversion on the way from L0C to UB, as an instruction of the vector unit.
//
// Rates, start-up and atomic efficiency: hardware.md 4.5 and 6.3.
#pragma once

#include <cstdint>
#include <string>

#include "models/isa/move/atomic.hpp"
#include "models/port/core_port.hpp"
#include "models/port/data_type.hpp"

namespace ascendsim::isa {

/// What happens to a value on its way; the destination's type says what it is rounded to.
enum class Quantise : std::uint8_t {
    none,    // a change of type at most
    scalar,  // one scale and offset
    vector,  // a scale and offset for each column
};

/// A scale, with its offset for 8-bit results, as kernels pack it: bits 13..31 of an fp32, offset in
/// bits 37..45. int32 becomes int16 by a shift to the right instead, one less in bits 32..35 (tests of
/// PTO-ISA, tmov_acc2mat).
struct QuantiseScale {
    float scale = 1.0F;
    std::int32_t offset = 0;
    std::uint32_t shift = 1;  // 1 to 16

    [[nodiscard]] static QuantiseScale unpack(std::uint64_t bits);
};

/// The operands common to all directions. The source is a matrix of m x n; fractal columns lie `source_pitch`
/// rows of 16 values apart.
struct FixpipeOperands {
    std::uint32_t source = 0;  // B in L0C
    DataType source_type = DataType::float32;
    DataType destination_type = DataType::float32;
    std::uint32_t n = 0;
    std::uint32_t m = 0;
    std::uint32_t source_pitch = 0;       // rows
    std::uint64_t destination_pitch = 0;  // ND: elements from row to row; NZ: 32 B from column to column
    bool to_nd = true;
    bool channel_split = false;  // NZ of fp32: blocks of 8 columns instead of 16
    bool relu = false;
    std::uint8_t unit_flag = 0;
    Quantise quantise = Quantise::none;
    std::uint64_t scale = 0;                     // packed, for Quantise::scalar
    Local scales{};                              // packed, for Quantise::vector: one for each column
    std::uint32_t count = 1;                     // matrices, ND only
    std::uint64_t source_matrix_pitch = 0;       // fractals of 16 x 16
    std::uint64_t destination_matrix_pitch = 0;  // elements

    [[nodiscard]] bool legal() const { return source % 64 == 0 && n <= 4095 && m <= 65535 && converts(); }

    [[nodiscard]] std::string fault() const;
    /// True if the pair of types exists for this mode.
    [[nodiscard]] bool converts() const;
    /// Columns of a block of the destination.
    [[nodiscard]] std::uint32_t block_columns() const;
    /// Bytes of a row of a block of the destination.
    [[nodiscard]] std::uint32_t block_bytes() const;
    void read(Accesses& list) const;
    [[nodiscard]] Access destination_runs() const;  // offset relative to the destination
};

/// L0C to global memory.
struct FixpipeToGm {
    static constexpr OpInfo info{"fixpipe_gm",
                                 "Writes a result from L0C to global memory, converted and reshaped."};

    FixpipeOperands operands{};
    std::uint64_t destination = 0;  // B in global memory
    AtomicWrite atomic{};

    [[nodiscard]] bool legal() const { return operands.legal(); }

    [[nodiscard]] std::string fault() const { return operands.fault(); }

    void accesses(Accesses& list) const;
    void time(const ChipSpec& chip, TimedOp& op) const;
    void execute(CorePort& core) const;
    [[nodiscard]] Transfer transfer(const CorePort& core) const;
};

/// L0C to L1, as NZ.
struct FixpipeToL1 {
    static constexpr OpInfo info{"fixpipe_l1", "Writes a result from L0C to L1, converted, as NZ."};

    FixpipeOperands operands{};
    std::uint32_t destination = 0;  // B in L1

    [[nodiscard]] bool legal() const { return operands.legal() && destination % 32 == 0 && !operands.to_nd; }

    [[nodiscard]] std::string fault() const;
    void accesses(Accesses& list) const;
    void time(const ChipSpec& chip, TimedOp& op) const;
    void execute(CorePort& core) const;
};

/// L0C to UB, as NZ: the way results take on coupled chips, which have no Fixpipe. The vector unit carries it
/// out, at `coupled.l0c_ub_bytes_per_cycle` of L0C read.
struct CopyResultToUb {
    static constexpr OpInfo info{"copy_matrix_cc_to_ubuf",
                                 "Copies a result from L0C to the unified buffer, converted, as NZ."};

    FixpipeOperands operands{};
    std::uint32_t destination = 0;  // B in UB

    [[nodiscard]] bool legal() const { return operands.legal() && destination % 32 == 0 && !operands.to_nd; }

    [[nodiscard]] std::string fault() const;
    void accesses(Accesses& list) const;
    void time(const ChipSpec& chip, TimedOp& op) const;
    void execute(CorePort& core) const;
};

inline Instructions fixpipe_instructions() {
    return {&FixpipeToGm::info, &FixpipeToL1::info, &CopyResultToUb::info};
}

}  // namespace ascendsim::isa
