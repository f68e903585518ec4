// SPDX-License-Identifier: Apache-2.0
// Template arguments of a Matmul object: operands' types, callbacks, policies, tiling known to the compiler.
#pragma once

#include "kernels/ascendc/ascendc/queue.h"
#include "kernels/ascendc/kernel_tiling/kernel_tiling.h"
#include "kernels/ascendc/matmul/config.h"
#include "kernels/ascendc/matmul/policy.h"

/// A tiling known to the compiler, each value -1 where it is not; and the configuration it was made from.
struct MatmulApiStaticTiling : TCubeTiling {
    MatmulConfig cfg{};
};

namespace AscendC {

using ::BatchMode;
using ::BatchOutMode;
using ::CFG_IBSHARE_NORM;
using ::CFG_MDL;
using ::CFG_NORM;
using ::CubeFormat;
using ::GetBasicConfig;
using ::GetIBShareNormConfig;
using ::GetMDLConfig;
using ::GetMMConfig;
using ::GetNormalConfig;
using ::GetSpecialBasicConfig;
using ::GetSpecialMDLConfig;
using ::IterateMode;
using ::IterateOrder;
using ::LayoutMode;
using ::MatmulApiStaticTiling;
using ::MatmulBatchParams;
using ::MatmulBiasParams;
using ::MatmulConfig;
using ::MatmulConfigMode;
using ::MatmulFuncParams;
using ::MatmulQuantParams;
using ::MatmulShapeParams;
using ::MM_CFG_BB;
using ::ScheduleType;

/// One operand: where it lies, how it is laid out, its element type, whether it may be transposed.
template <TPosition POSITION,
          CubeFormat FORMAT,
          typename TYPE,
          bool ISTRANS = false,
          LayoutMode LAYOUT = LayoutMode::NONE,
          bool IBSHARE = false,
          TPosition SRCPOS = TPosition::GM>
struct MatmulType {
    static constexpr TPosition pos = POSITION;
    static constexpr CubeFormat format = FORMAT;
    using T = TYPE;
    static constexpr bool isTrans = ISTRANS;
    static constexpr LayoutMode layout = LAYOUT;
    static constexpr bool ibShare = IBSHARE;
    static constexpr TPosition srcPos = SRCPOS;
};

/// A sparse B: an index says which of its values are there.
template <TPosition POSITION,
          TPosition INDEX_POSITION,
          CubeFormat FORMAT,
          typename TYPE,
          bool ISTRANS = false,
          LayoutMode LAYOUT = LayoutMode::NONE,
          bool IBSHARE = false>
struct SparseMatmulType : MatmulType<POSITION, FORMAT, TYPE, ISTRANS, LAYOUT, IBSHARE> {
    static constexpr TPosition indexPosition = INDEX_POSITION;
};

/// An operand of a later chip, with scales for runs of k.
template <TPosition POSITION,
          TPosition SCALE_POSITION,
          CubeFormat FORMAT,
          typename TYPE,
          bool ISTRANS = false,
          TPosition SRCPOS = TPosition::GM,
          CubeFormat SCALE_FORMAT = FORMAT,
          bool SCALE_ISTRANS = ISTRANS,
          TPosition SCALE_SRCPOS = SRCPOS>
struct MatmulTypeWithScale : MatmulType<POSITION, FORMAT, TYPE, ISTRANS, LayoutMode::NONE, false, SRCPOS> {
    static constexpr TPosition scalePosition = SCALE_POSITION;
    static constexpr CubeFormat scaleFormat = SCALE_FORMAT;
    static constexpr bool isScaleTrans = SCALE_ISTRANS;
};

/// The element type of L0C for operands of T.
template <typename T>
struct GetMmDstType {
    using Type = std::conditional_t<std::is_same_v<T, int8_t> || std::is_same_v<T, int4b_t>, int32_t, float>;
};

/// What a callback that writes C learns about the block in L0C.
struct DataCopyOutParams {
    uint16_t cBurstNum = 0;
    uint16_t burstLen = 0;
    uint16_t srcStride = 0;
    uint32_t dstStride = 0;
    uint16_t oriNSize = 0;
    bool enUnitFlag = false;
    uint64_t quantScalar = 0;
    uint64_t cbufWorkspaceAddr = 0;
};

/// Functions of the kernel's own that replace the copies of C, A and B; null keeps the framework's.
template <
    void (*DataCopyOut)(
        const __gm__ void*, const LocalTensor<int8_t>&, const void*, const uint64_t, const uint64_t) =
        nullptr,
    void (*CopyA1)(
        const LocalTensor<int8_t>&, const __gm__ void*, int, int, int, int, const uint64_t, const uint64_t) =
        nullptr,
    void (*CopyB1)(
        const LocalTensor<int8_t>&, const __gm__ void*, int, int, int, int, const uint64_t, const uint64_t) =
        nullptr>
struct MatmulCallBackFunc {
    static constexpr auto data_copy_out = DataCopyOut;
    static constexpr auto copy_a1 = CopyA1;
    static constexpr auto copy_b1 = CopyB1;
};

/// Where a block of C lies in the single shape, in elements.
struct MatrixOffset {
    int32_t offset = 0;
    int32_t row = 0;
    int32_t col = 0;
    int32_t height = 0;
    int32_t width = 0;
};

namespace Impl {
using Detail::L1_SIZE;
inline constexpr int32_t QUEUE_DEPTH = 1;  // of the Matmul object's own queues
}  // namespace Impl

/// The configuration of a template argument that may be a tiling too.
constexpr MatmulConfig ToMatmulConfig(const MatmulConfig& config) {
    return config;
}

constexpr MatmulConfig ToMatmulConfig(const MatmulApiStaticTiling& tiling) {
    return tiling.cfg;
}

namespace matmul_detail {

constexpr int32_t CeilDiv(int32_t value, int32_t unit) {
    return unit == 0 ? 0 : (value + unit - 1) / unit;
}

constexpr int32_t CeilTo(int32_t value, int32_t unit) {
    return CeilDiv(value, unit) * unit;
}

/// Elements of T in a block of 32 bytes.
template <typename T>
inline constexpr int32_t block_elements = static_cast<int32_t>(ElementsIn<T>(32));

constexpr bool IsStatic(const MatmulConfig&) {
    return false;
}

constexpr bool IsStatic(const MatmulApiStaticTiling&) {
    return true;
}

}  // namespace matmul_detail

/// The parts of a tiling that follow from a configuration which names base and single shapes: as many base
/// blocks in L1 as fit twice, along k first.
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE>
constexpr MatmulApiStaticTiling GetMatmulApiTiling(const MatmulConfig& mmCFG,
                                                   int32_t l1Size = Impl::L1_SIZE) {
    using matmul_detail::CeilDiv;
    MatmulApiStaticTiling tiling;
    tiling.cfg = mmCFG;
    const auto value = [](uint32_t known) { return known == 0 ? -1 : static_cast<int32_t>(known); };
    tiling.usedCoreNum = tiling.M = tiling.N = tiling.Ka = tiling.Kb = -1;
    tiling.singleCoreM = value(mmCFG.singleCoreM);
    tiling.singleCoreN = value(mmCFG.singleCoreN);
    tiling.singleCoreK = value(mmCFG.singleCoreK);
    tiling.baseM = value(mmCFG.basicM);
    tiling.baseN = value(mmCFG.basicN);
    tiling.baseK = value(mmCFG.basicK);
    tiling.depthA1 = tiling.depthB1 = tiling.stepM = tiling.stepN = tiling.stepKa = tiling.stepKb = -1;
    tiling.dbL0A = tiling.dbL0B = tiling.dbL0C = -1;
    tiling.isBias = tiling.iterateOrder = tiling.transLength = -1;
    tiling.shareMode = tiling.shareL1Size = tiling.shareL0CSize = tiling.shareUbSize = -1;
    tiling.batchM = tiling.batchN = tiling.singleBatchM = tiling.singleBatchN = -1;
    if (mmCFG.basicM == 0 || mmCFG.basicN == 0 || mmCFG.basicK == 0) {
        return tiling;
    }
    const auto a_block =
        static_cast<int32_t>(BytesOf<typename A_TYPE::T>(uint64_t{mmCFG.basicM} * mmCFG.basicK));
    const auto b_block =
        static_cast<int32_t>(BytesOf<typename B_TYPE::T>(uint64_t{mmCFG.basicN} * mmCFG.basicK));
    const auto c_block = static_cast<int32_t>(mmCFG.basicM * mmCFG.basicN * 4);
    const int32_t bias = static_cast<int32_t>(mmCFG.basicN * 4);
    const int32_t blocks_k = tiling.singleCoreK > 0 ? CeilDiv(tiling.singleCoreK, tiling.baseK) : 8;
    int32_t step = 1;
    while (step < blocks_k && step < 8 && (step * 2) * 2 * (a_block + b_block) + bias <= l1Size) {
        step *= 2;
    }
    tiling.stepM = tiling.stepN = 1;
    tiling.stepKa = tiling.stepKb = step;
    const int32_t twice = 2 * step * (a_block + b_block) + bias <= l1Size ? 2 : 1;
    tiling.depthA1 = tiling.depthB1 = step * twice;
    tiling.dbL0A = a_block <= 32 * 1024 ? 2 : 1;
    tiling.dbL0B = b_block <= 32 * 1024 ? 2 : 1;
    tiling.dbL0C = c_block <= 64 * 1024 ? 2 : 1;
    return tiling;
}

}  // namespace AscendC
