// SPDX-License-Identifier: Apache-2.0
// Products with a weight matrix of which 2 in 4 elements are kept (4:2 structured sparsity), int8 to int32.
//
//    A (m, k), whole      B (k/2, n), what was kept      index (k/2, n), 2 bits each
//      L0A, Zz               L0B, Zn                        its own buffer, a quarter of L0B, laid out as B
//
// Of 4 neighbours in a row of A the two indices of a column of B choose one each: the first one of elements 0
// to 2, the second one of elements 1 to 3. Public documentation of LoadDataWithSparse and MmadWithSparse.
#pragma once

#include <cstdint>
#include <string>

#include "models/isa/cube/mmad.hpp"

namespace ascendsim::isa {

/// Copies `repeat` fractals of kept weights (512 B) from L1 to L0B, and their indices (128 B each) to the
/// index buffer, at a quarter of the offset.
struct LoadSparse {
    static constexpr OpInfo info{"load2d_sparse",
                                 "Copies fractals of sparse weights and their indices from L1 to L0B."};

    std::uint32_t destination = 0;  // B in L0B
    std::uint32_t source = 0;       // B in L1
    std::uint32_t index = 0;        // B in L1
    std::uint32_t start = 0;        // fractals, of weights and of indices
    std::uint32_t repeat = 0;

    [[nodiscard]] bool legal() const {
        return (destination % 512 | source % 32 | index % 32) == 0 && repeat <= 255;
    }

    [[nodiscard]] std::string fault() const;
    void accesses(Accesses& list) const;
    void time(const ChipSpec& chip, TimedOp& op) const;
    void execute(CorePort& core) const;
};

/// C[m,n] = initial value + A[m, chosen k] x B[k/2,n].
struct MmadSparse {
    static constexpr OpInfo info{
        "mmad_sparse", "Multiplies a tile of L0A by sparse weights of L0B into L0C on the cube unit."};

    Mmad product{};  // int8 x int8 -> int32; its k is that of A

    [[nodiscard]] bool legal() const { return fault().empty(); }

    [[nodiscard]] std::string fault() const;
    void accesses(Accesses& list) const;
    void time(const ChipSpec& chip, TimedOp& op) const;
    void execute(CorePort& core) const;
};

inline Instructions sparse_instructions() {
    return {&LoadSparse::info, &MmadSparse::info};
}

}  // namespace ascendsim::isa
