// SPDX-License-Identifier: Apache-2.0
// What the three matrix tiling classes of the host share: the description of a product, call by call.
#pragma once

#include "kernels/ascendc/tiling/matmul_tiling_choice.h"
#if __has_include("tiling/platform/platform_ascendc.h")
#include "tiling/platform/platform_ascendc.h"
#define ASCENDSIM_HAS_PLATFORM
#endif

namespace matmul_tiling {

struct PlatformInfo {
#ifdef ASCENDSIM_HAS_PLATFORM
    platform_ascendc::SocVersion socVersion{};
#else
    int32_t socVersion = 0;
#endif
    uint64_t l1Size = 0;
    uint64_t l0CSize = 0;
    uint64_t ubSize = 0;
    uint64_t l0ASize = 0;
    uint64_t l0BSize = 0;
};

/// A matrix as the caller describes it.
struct MatTilingType {
    TPosition pos = TPosition::GM;
    CubeFormat type = CubeFormat::ND;
    DataType dataType = DataType::DT_FLOAT16;
    bool isTrans = false;
};

/// Axes of a batch layout.
struct LayoutInfo {
    int32_t b = 0;
    int32_t s = 0;
    int32_t n = 0;
    int32_t g = 0;
    int32_t d = 0;
};

class MatmulApiTilingBase {
public:
    MatmulApiTilingBase() = default;
    virtual ~MatmulApiTilingBase() = default;

    explicit MatmulApiTilingBase(const PlatformInfo& platform) {
        const auto take = [](int64_t& to, uint64_t from) {
            to = from != 0 ? static_cast<int64_t>(from) : to;
        };
        take(memory_.l1, platform.l1Size);
        take(memory_.l0c, platform.l0CSize);
        take(memory_.ub, platform.ubSize);
        take(memory_.l0a, platform.l0ASize);
        take(memory_.l0b, platform.l0BSize);
    }

    /// Reads the chip's memories; any type with GetCoreMemSize will do.
    template <class Platform>
    explicit MatmulApiTilingBase(const Platform& platform) {
#ifdef ASCENDSIM_HAS_PLATFORM
        using Memory = platform_ascendc::CoreMemType;
        const auto take = [&](int64_t& to, Memory memory) {
            uint64_t bytes = 0;
            const_cast<Platform&>(platform).GetCoreMemSize(memory, bytes);
            to = bytes != 0 ? static_cast<int64_t>(bytes) : to;
        };
        take(memory_.l1, Memory::L1);
        take(memory_.l0a, Memory::L0_A);
        take(memory_.l0b, Memory::L0_B);
        take(memory_.l0c, Memory::L0_C);
        take(memory_.ub, Memory::UB);
#else
        static_cast<void>(platform);
#endif
    }

    int32_t SetAType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false) {
        a_ = {pos, type, dataType, isTrans};
        return 0;
    }

    int32_t SetBType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false) {
        b_ = {pos, type, dataType, isTrans};
        return 0;
    }

    int32_t SetCType(TPosition pos, CubeFormat type, DataType dataType) {
        c_ = {pos, type, dataType, false};
        return 0;
    }

    int32_t SetBiasType(TPosition pos, CubeFormat type, DataType dataType) {
        bias_type_ = {pos, type, dataType, false};
        return 0;
    }

    int32_t SetScaleAType(TPosition, CubeFormat, bool = false) {
        return 0;
    }

    int32_t SetScaleBType(TPosition, CubeFormat, bool = true) {
        return 0;
    }

    int32_t SetDequantType(DequantType) {
        return 0;
    }

    virtual int32_t SetShape(int32_t m, int32_t n, int32_t k) {
        m_ = m;
        n_ = n;
        k_ = k;
        return m > 0 && n > 0 && k > 0 ? 0 : -1;
    }

    int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKIn) {
        return SetOrgShape(orgMIn, orgNIn, orgKIn, orgKIn);
    }

    int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKaIn, int32_t orgKbIn) {
        org_m_ = orgMIn;
        org_n_ = orgNIn;
        org_ka_ = orgKaIn;
        org_kb_ = orgKbIn;
        return orgMIn > 0 && orgNIn > 0 && orgKaIn > 0 && orgKbIn > 0 ? 0 : -1;
    }

    int32_t EnableBias(bool isBiasIn = false) {
        return SetBias(isBiasIn);
    }

    int32_t SetBias(bool isBiasIn = false) {
        bias_ = isBiasIn;
        return 0;
    }

    int32_t SetSparse(bool = false) {
        return 0;
    }

    int32_t SetFixSplit(int32_t baseMIn = -1, int32_t baseNIn = -1, int32_t baseKIn = -1) {
        base_m_ = baseMIn;
        base_n_ = baseNIn;
        base_k_ = baseKIn;
        return 0;
    }

    int32_t SetSplitRange(int32_t maxBaseM = -1,
                          int32_t maxBaseN = -1,
                          int32_t maxBaseK = -1,
                          int32_t = -1,
                          int32_t = -1,
                          int32_t = -1) {
        most_m_ = maxBaseM;
        most_n_ = maxBaseN;
        most_k_ = maxBaseK;
        return 0;
    }

    int32_t SetBufferSpace(int32_t l1Size = -1,
                           int32_t l0CSize = -1,
                           int32_t ubSize = -1,
                           int32_t btSize = -1) {
        const auto take = [](int64_t& to, int32_t from) { to = from >= 0 ? from : to; };
        take(memory_.l1, l1Size);
        take(memory_.l0c, l0CSize);
        take(memory_.ub, ubSize);
        take(memory_.bias_table, btSize);
        return 0;
    }

    int32_t SetTraverse(MatrixTraverse traverse) {
        traverse_ = traverse;
        return 0;
    }

    int32_t SetMadType(MatrixMadType) {
        return 0;
    }

    int32_t SetDoubleBuffer(bool a, bool b, bool c, bool, bool = true, bool = true) {
        double_a_ = a;
        double_b_ = b;
        double_c_ = c;
        return 0;
    }

    void SetMatmulConfigParams(int32_t mmConfigTypeIn = 1,
                               bool enableL1CacheUBIn = false,
                               ScheduleType scheduleTypeIn = ScheduleType::INNER_PRODUCT,
                               MatrixTraverse traverseIn = MatrixTraverse::NOSET,
                               bool enVecND2NZIn = false) {
        SetMatmulConfigParams(
            MatmulConfigParams(mmConfigTypeIn, enableL1CacheUBIn, scheduleTypeIn, traverseIn, enVecND2NZIn));
    }

    void SetMatmulConfigParams(const MatmulConfigParams& configParams) {
        if (configParams.traverse != MatrixTraverse::NOSET) {
            traverse_ = configParams.traverse;
        }
        schedule_ = configParams.scheduleType;
    }

    int32_t SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m, int32_t n, int32_t k) {
        batch_a_ = batchA;
        batch_b_ = batchB;
        SetShape(m, n, k);
        return 0;
    }

    int32_t SetBatchNum(int32_t batch) {
        batch_num_ = batch;
        return 0;
    }

    int32_t SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
        layout_a_ = {b, s, n, g, d};
        return 0;
    }

    int32_t SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
        layout_b_ = {b, s, n, g, d};
        return 0;
    }

    int32_t SetCLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
        layout_c_ = {b, s, n, g, d};
        return 0;
    }

    [[nodiscard]] bool EnableL1BankConflictOptimise() const {
        return false;
    }

    [[nodiscard]] int32_t GetBaseM() const {
        return chosen_.baseM;
    }

    [[nodiscard]] int32_t GetBaseN() const {
        return chosen_.baseN;
    }

    [[nodiscard]] int32_t GetBaseK() const {
        return chosen_.baseK;
    }

    int32_t GetSingleShape(int32_t& shapeM, int32_t& shapeN, int32_t& shapeK) const {
        shapeM = chosen_.singleCoreM;
        shapeN = chosen_.singleCoreN;
        shapeK = chosen_.singleCoreK;
        return 0;
    }

    /// Fills `tiling`; -1 if nothing fits the chip.
    virtual int64_t GetTiling(TCubeTiling& tiling) = 0;

protected:
    [[nodiscard]] CoreProblem ProblemOf(int64_t m, int64_t n, int64_t k) const {
        return {.m = m,
                .n = n,
                .k = k,
                .a_bits = BitsOf(a_.dataType),
                .b_bits = BitsOf(b_.dataType),
                .c_bits = BitsOf(c_.dataType),
                .transpose_a = a_.isTrans,
                .transpose_b = b_.isTrans,
                .bias = bias_,
                .c_in_ub = c_.pos == TPosition::VECIN || c_.pos == TPosition::VECCALC,
                .base_m = base_m_,
                .base_n = base_n_,
                .base_k = base_k_,
                .most_m = most_m_,
                .most_n = most_n_,
                .most_k = most_k_};
    }

    int64_t Fill(TCubeTiling& tiling, int64_t single_m, int64_t single_n, int64_t single_k, int64_t cores) {
        CoreChoice choice;
        if (single_m <= 0 || single_n <= 0 || single_k <= 0 ||
            !CoreTiling(memory_, ProblemOf(single_m, single_n, single_k)).Best(choice)) {
            return -1;
        }
        const auto whole = [](int64_t value) { return static_cast<int32_t>(value); };
        chosen_ = {};
        chosen_.usedCoreNum = whole(cores);
        chosen_.M = org_m_ > 0 ? org_m_ : m_;
        chosen_.N = org_n_ > 0 ? org_n_ : n_;
        chosen_.Ka = org_ka_ > 0 ? org_ka_ : k_;
        chosen_.Kb = org_kb_ > 0 ? org_kb_ : k_;
        chosen_.singleCoreM = whole(single_m);
        chosen_.singleCoreN = whole(single_n);
        chosen_.singleCoreK = whole(single_k);
        chosen_.baseM = whole(choice.base_m);
        chosen_.baseN = whole(choice.base_n);
        chosen_.baseK = whole(choice.base_k);
        chosen_.depthA1 = whole(double_a_ ? choice.depth_a : choice.step_ka);
        chosen_.depthB1 = whole(double_b_ ? choice.depth_b : choice.step_kb);
        chosen_.stepM = chosen_.stepN = 1;
        chosen_.stepKa = whole(choice.step_ka);
        chosen_.stepKb = whole(choice.step_kb);
        chosen_.isBias = bias_ ? 1 : 0;
        chosen_.iterateOrder = traverse_ == MatrixTraverse::FIRSTN ? 1 : 0;
        chosen_.dbL0A = whole(choice.db_l0a);
        chosen_.dbL0B = whole(choice.db_l0b);
        chosen_.dbL0C = whole(double_c_ ? choice.db_l0c : 1);
        chosen_.shareL1Size = whole(choice.base_m * choice.base_k * choice.depth_a * BitsOf(a_.dataType) / 8 +
                                    choice.base_n * choice.base_k * choice.depth_b * BitsOf(b_.dataType) / 8 +
                                    (bias_ ? choice.base_n * 4 : 0));
        chosen_.shareL0CSize = whole(choice.base_m * choice.base_n * 4 * chosen_.dbL0C);
        FillBatches();
        tiling = chosen_;
        return 0;
    }

    void FillBatches() {
        const auto put =
            [](const LayoutInfo& from, int32_t& b, int32_t& s, int32_t& n, int32_t& g, int32_t& d) {
                b = from.b;
                s = from.s;
                n = from.n;
                g = from.g;
                d = from.d;
            };
        put(layout_a_,
            chosen_.ALayoutInfoB,
            chosen_.ALayoutInfoS,
            chosen_.ALayoutInfoN,
            chosen_.ALayoutInfoG,
            chosen_.ALayoutInfoD);
        put(layout_b_,
            chosen_.BLayoutInfoB,
            chosen_.BLayoutInfoS,
            chosen_.BLayoutInfoN,
            chosen_.BLayoutInfoG,
            chosen_.BLayoutInfoD);
        put(layout_c_,
            chosen_.CLayoutInfoB,
            chosen_.CLayoutInfoS1,
            chosen_.CLayoutInfoN,
            chosen_.CLayoutInfoG,
            chosen_.CLayoutInfoS2);
        chosen_.BatchNum = batch_num_;
        chosen_.batchM = batch_a_;
        chosen_.batchN = batch_b_;
        chosen_.singleBatchM = batch_a_;
        chosen_.singleBatchN = batch_b_;
    }

    CoreMemory memory_;
    MatTilingType a_;
    MatTilingType b_;
    MatTilingType c_;
    MatTilingType bias_type_;
    LayoutInfo layout_a_;
    LayoutInfo layout_b_;
    LayoutInfo layout_c_;
    TCubeTiling chosen_;
    ScheduleType schedule_ = ScheduleType::INNER_PRODUCT;
    MatrixTraverse traverse_ = MatrixTraverse::NOSET;
    int32_t m_ = 0;
    int32_t n_ = 0;
    int32_t k_ = 0;
    int32_t org_m_ = 0;
    int32_t org_n_ = 0;
    int32_t org_ka_ = 0;
    int32_t org_kb_ = 0;
    int32_t base_m_ = -1;
    int32_t base_n_ = -1;
    int32_t base_k_ = -1;
    int32_t most_m_ = -1;
    int32_t most_n_ = -1;
    int32_t most_k_ = -1;
    int32_t batch_num_ = 0;
    int32_t batch_a_ = 0;
    int32_t batch_b_ = 0;
    bool bias_ = false;
    bool double_a_ = true;
    bool double_b_ = true;
    bool double_c_ = true;
};

}  // namespace matmul_tiling
