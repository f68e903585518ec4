// SPDX-License-Identifier: Apache-2.0
// Mmad: L0A (Zz) x L0B (Zn) -> L0C (Nz), all in 16-row fractals.
//
//        k ->             n ->             n ->
//      +----+----+      +----+----+      +----+----+
//    m | A00| A01|    k | B00| B01|    m | C00| C01|     stored A00 A01 A10 A11, B00 B01 B10 B11,
//      +----+----+  x   +----+----+  =   +----+----+     C00 C10 C01 C11
//      | A10| A11|      | B10| B11|      | C10| C11|
//      +----+----+      +----+----+      +----+----+
//
// Steps of 16 x k0 x 16 a cycle; the start-up of an isolated Mmad is its latency (hardware.md 6.1).
#pragma once

#include <cstdint>
#include <string>

#include "models/port/core_port.hpp"
#include "models/port/data_type.hpp"

namespace ascendsim::isa {

/// C[m,n] = initial value + A[m,k] x B[k,n].
struct Mmad {
    static constexpr OpInfo info{"mmad", "Multiplies a tile of L0A by one of L0B into L0C on the cube unit."};

    /// What the sum starts from.
    enum class Start : std::uint8_t { zero, l0c, bias_table };

    std::uint32_t c = 0;     // B in L0C
    std::uint32_t a = 0;     // B in L0A
    std::uint32_t b = 0;     // B in L0B
    std::uint32_t bias = 0;  // B in the bias table
    std::uint32_t m = 0;
    std::uint32_t n = 0;
    std::uint32_t k = 0;
    DataType a_type = DataType::half;
    DataType b_type = DataType::half;
    DataType c_type = DataType::float32;
    Start start = Start::zero;
    bool hf32 = false;           // fp32 operands are rounded to HF32 first
    bool k_align16 = false;      // fp32 operands padded to 16 in k
    std::uint8_t unit_flag = 0;  // 2: L0C is handed over block by block, 3: and released after this one

    [[nodiscard]] bool legal() const {
        return ((a | b) % 512 | c % 1024 | (start == Start::bias_table ? bias % 64 : 0)) == 0 &&
               (m | n | k) <= 4095 && unit_flag <= 3;
    }

    [[nodiscard]] std::string fault() const;
    void accesses(Accesses& list) const;
    void time(const ChipSpec& chip, TimedOp& op) const;
    void execute(CorePort& core) const;

    /// Fractals of A and B along k.
    [[nodiscard]] std::uint32_t depth_fractals() const;

private:
    [[nodiscard]] bool empty() const { return m == 0 || n == 0 || k == 0; }

    void load_panels(CorePort& core) const;
    void start_values(CorePort& core, float* sums) const;
    void execute_integer(CorePort& core) const;
};

inline Instructions mmad_instructions() {
    return {&Mmad::info};
}

}  // namespace ascendsim::isa
