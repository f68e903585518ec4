// SPDX-License-Identifier: Apache-2.0
// What one request to a Matmul object says: plain data, so that a vector core can send it to its cube core.
#pragma once

#include "kernels/ascendc/matmul/types.h"

namespace AscendC::matmul_detail {

enum class Place : uint8_t { none, gm, l1, scalar };

/// One operand as set by SetTensorA, SetTensorB, SetBias or SetQuantVector.
struct Operand {
    Place place = Place::none;
    bool transpose = false;
    uint64_t value = 0;    // address in global memory, byte in L1, or the bits of a scalar
    int64_t pitch = 0;     // elements from row to row; 0: what the shape says
    uint64_t version = 0;  // changes with every SetTensor, so that what lies in L1 is not mistaken

    friend bool operator==(const Operand&, const Operand&) = default;
};

/// The state of a Matmul object: operands, shapes, quantisation.
struct Arguments {
    Operand a;
    Operand b;
    Operand bias;
    Operand scales;
    uint64_t scale = 0;
    bool scaled = false;  // SetQuantScalar was called
    bool hf32 = false;
    int8_t triangle = 0;  // 1: base blocks below the diagonal are left out; -1: those above
    int32_t org_m = 0;
    int32_t org_n = 0;
    int32_t org_ka = 0;
    int32_t org_kb = 0;
    int32_t org_kc = 0;
    int32_t single_m = 0;
    int32_t single_n = 0;
    int32_t single_k = 0;
    int32_t batch_a = 1;
    int32_t batch_b = 1;
    uint64_t user_tiling = 0;
    uint64_t user_data = 0;

    void Shape(const TCubeTiling& tiling) {
        org_m = tiling.M;
        org_n = tiling.N;
        org_ka = tiling.Ka;
        org_kb = tiling.Kb;
        org_kc = 0;
        single_m = tiling.singleCoreM;
        single_n = tiling.singleCoreN;
        single_k = tiling.singleCoreK;
    }
};

/// Columns of a block of C in NZ.
template <typename T>
constexpr int32_t ResultColumns(const MatmulConfig& config) {
    return config.isEnableChannelSplit ? 8 : sizeof(T) == 1 ? 32 : 16;
}

/// Where a result goes.
struct Destination {
    uint64_t address = 0;  // in global memory; of the single shape, or of the block if sequential
    int32_t l1 = -1;       // or a byte of L1
    uint8_t atomic = 0;
    bool sequential = false;
    int64_t pitch = 0;         // elements from row to row, of NZ rows of a column of blocks; 0: as the shape
    uint64_t block_bytes = 0;  // sequential and several blocks: from one to the next
};

enum class Verb : uint8_t { tiling, compute, compute_and_get, all, batch };

/// A message of a vector core to its cube core.
struct Request {
    Verb verb = Verb::all;
    uint8_t object = 0;
    bool partial = false;     // add to what lies in L0C
    bool notify = false;      // answer when done
    bool each_block = false;  // answer after each block
    bool fake = false;        // takes part without computing
    int32_t block = 0;
    int32_t batch_loops = 1;
    int64_t stride_a = 0;
    int64_t stride_b = 0;
    int64_t stride_c = 0;
    Destination to;
    Arguments arguments;
};

/// The tiling with what the compiler knows in the place of what the host said.
template <const auto& CFG>
TCubeTiling Merged(const TCubeTiling* tiling) {
    TCubeTiling result = tiling == nullptr ? TCubeTiling{} : *tiling;
    constexpr MatmulConfig config = ToMatmulConfig(CFG);
    if constexpr (IsStatic(CFG)) {
        const TCubeTiling& known = CFG;
#define ASCENDSIM_MERGE(name)     \
    if (known.name > 0) {         \
        result.name = known.name; \
    }
        ASCENDSIM_MERGE(singleCoreM)
        ASCENDSIM_MERGE(singleCoreN)
        ASCENDSIM_MERGE(singleCoreK)
        ASCENDSIM_MERGE(baseM)
        ASCENDSIM_MERGE(baseN)
        ASCENDSIM_MERGE(baseK)
        ASCENDSIM_MERGE(depthA1)
        ASCENDSIM_MERGE(depthB1)
        ASCENDSIM_MERGE(stepM)
        ASCENDSIM_MERGE(stepN)
        ASCENDSIM_MERGE(stepKa)
        ASCENDSIM_MERGE(stepKb)
        ASCENDSIM_MERGE(dbL0A)
        ASCENDSIM_MERGE(dbL0B)
        ASCENDSIM_MERGE(dbL0C)
        ASCENDSIM_MERGE(M)
        ASCENDSIM_MERGE(N) ASCENDSIM_MERGE(Ka) ASCENDSIM_MERGE(Kb) ASCENDSIM_MERGE(iterateOrder)
#undef ASCENDSIM_MERGE
    } else if constexpr (config.doBasicBlock || config.doSpecialBasicBlock) {
        result.baseM = config.basicM > 0 ? static_cast<int32_t>(config.basicM) : result.baseM;
        result.baseN = config.basicN > 0 ? static_cast<int32_t>(config.basicN) : result.baseN;
        result.baseK = config.basicK > 0 ? static_cast<int32_t>(config.basicK) : result.baseK;
    }
    if constexpr (config.iterateOrder != IterateOrder::UNDEF) {
        result.iterateOrder = config.iterateOrder == IterateOrder::ORDER_N ? 1 : 0;
    }
    const auto at_least_one = [](int32_t& value) { value = value < 1 ? 1 : value; };
    for (int32_t* value : {&result.depthA1,
                           &result.depthB1,
                           &result.stepM,
                           &result.stepN,
                           &result.stepKa,
                           &result.stepKb,
                           &result.dbL0A,
                           &result.dbL0B,
                           &result.dbL0C}) {
        at_least_one(*value);
    }
    return result;
}

}  // namespace AscendC::matmul_detail
