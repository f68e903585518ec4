// SPDX-License-Identifier: Apache-2.0
// The host's matrix tiling classes: for one core, for many, for batches. Our own choice of cuts within the
// chip's memories; what the caller fixes stays.
#pragma once

#include "kernels/ascendc/tiling/matmul_tiling_base.h"

namespace matmul_tiling {

/// One core.
class MatmulApiTiling : public MatmulApiTilingBase {
public:
    using MatmulApiTilingBase::MatmulApiTilingBase;

    int64_t GetTiling(TCubeTiling& tiling) override { return Fill(tiling, m_, n_, k_, 1); }
};

/// Many cores, which share m and n.
class MultiCoreMatmulTiling : public MatmulApiTilingBase {
public:
    using MatmulApiTilingBase::MatmulApiTilingBase;

    int32_t SetDim(int32_t dim) {
        dim_ = dim;
        return dim > 0 ? 0 : -1;
    }

    int32_t SetShape(int32_t m, int32_t n, int32_t k) override {
        return MatmulApiTilingBase::SetShape(m, n, k);
    }

    int32_t SetSingleShape(int32_t singleMIn = -1, int32_t singleNIn = -1, int32_t singleKIn = -1) {
        single_m_ = singleMIn;
        single_n_ = singleNIn;
        single_k_ = singleKIn;
        return 0;
    }

    int32_t SetSingleRange(
        int32_t maxM = -1, int32_t maxN = -1, int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1) {
        most_single_m_ = maxM;
        most_single_n_ = maxN;
        return 0;
    }

    int32_t SetAlignSplit(int32_t alignM, int32_t alignN, int32_t alignK) {
        align_m_ = alignM;
        align_n_ = alignN;
        static_cast<void>(alignK);
        return 0;
    }

    void SetSplitK(bool flag) { split_k_ = flag; }

    void EnableMultiCoreSplitK(bool flag) { split_k_ = flag; }

    int32_t GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim) const {
        dim = chosen_.usedCoreNum;
        mDim = m_dim_;
        nDim = n_dim_;
        return 0;
    }

    int64_t GetTiling(TCubeTiling& tiling) override {
        const int64_t single_k = single_k_ > 0 ? single_k_ : k_;
        if (single_m_ > 0 || single_n_ > 0) {
            return Use(tiling, single_m_ > 0 ? single_m_ : m_, single_n_ > 0 ? single_n_ : n_, single_k);
        }
        int64_t best_m = 0;
        int64_t best_n = 0;
        double least = 0;
        const bool small = MBytes() + NBytes() <= memory_.l1;
        for (int64_t m_dim = 1; m_dim <= dim_; ++m_dim) {
            for (int64_t n_dim = 1; m_dim * n_dim <= dim_; ++n_dim) {
                const int64_t m = Share(m_, m_dim, align_m_, most_single_m_);
                const int64_t n = Share(n_, n_dim, align_n_, most_single_n_);
                if (CeilDiv(m_, m) * CeilDiv(n_, n) > dim_) {
                    continue;
                }
                CoreChoice choice;
                if (!CoreTiling(memory_, ProblemOf(m, n, single_k)).Best(choice) ||
                    (schedule_ == ScheduleType::N_BUFFER_33 &&
                     !HoldsNineBlocks(m, m_dim, n_dim, single_k, choice))) {
                    continue;
                }
                // A product that L1 holds whole has its operands read once either way: split along n first,
                // a square one along m, for public programs place their cores so (512 x 512 on two cores).
                const auto side = static_cast<double>(m_ == n_ ? m : n);
                const double cost = small ? Blocks(m, n, choice) * 1024.0 + side : choice.cost;
                if (best_m == 0 || cost < least) {
                    least = cost;
                    best_m = m;
                    best_n = n;
                }
            }
        }
        return best_m == 0 ? -1 : Use(tiling, best_m, best_n, single_k);
    }

protected:
    int32_t dim_ = 1;
    int32_t m_dim_ = 1;
    int32_t n_dim_ = 1;

private:
    static int64_t Share(int64_t size, int64_t parts, int64_t align, int64_t most) {
        const int64_t share = std::min<int64_t>(size, CeilTo(CeilDiv(size, parts), align > 0 ? align : 16));
        return most > 0 ? std::min(share, most) : share;
    }

    // A core's part of A is no more than three base blocks by three, which L1 keeps (NBuffer33MatmulPolicy of
    // the documentation): along M as much as fits, and N is shared by whole blocks, for its published sample
    // leaves no core a rest.
    [[nodiscard]] bool HoldsNineBlocks(
        int64_t m, int64_t m_dim, int64_t n_dim, int64_t k, const CoreChoice& choice) const {
        const int64_t held = 3 * choice.base_m;
        return m <= held && m_dim <= CeilDiv(m_, held) && k <= 3 * choice.base_k &&
               n_dim * choice.base_n <= n_;
    }

    // Work of a core in base blocks, and in fractals where blocks are its own choice.
    static double Blocks(int64_t m, int64_t n, const CoreChoice& choice) {
        return static_cast<double>(CeilDiv(m, choice.base_m) * CeilDiv(n, choice.base_n)) * 4096 +
               static_cast<double>(CeilDiv(m, 16) * CeilDiv(n, 16));
    }

    [[nodiscard]] int64_t MBytes() const { return int64_t{m_} * k_ * BitsOf(a_.dataType) / 8; }

    [[nodiscard]] int64_t NBytes() const { return int64_t{n_} * k_ * BitsOf(b_.dataType) / 8; }

    int64_t Use(TCubeTiling& tiling, int64_t m, int64_t n, int64_t k) {
        m_dim_ = static_cast<int32_t>(CeilDiv(m_, m));
        n_dim_ = static_cast<int32_t>(CeilDiv(n_, n));
        const int64_t k_dim = split_k_ ? CeilDiv(k_, k) : 1;
        return Fill(tiling, m, n, k, int64_t{m_dim_} * n_dim_ * k_dim);
    }

    int32_t single_m_ = -1;
    int32_t single_n_ = -1;
    int32_t single_k_ = -1;
    int32_t most_single_m_ = -1;
    int32_t most_single_n_ = -1;
    int32_t align_m_ = -1;
    int32_t align_n_ = -1;
    bool split_k_ = false;
};

/// Batches: each core does whole products.
class BatchMatmulTiling : public MultiCoreMatmulTiling {
public:
    using MultiCoreMatmulTiling::MultiCoreMatmulTiling;

    using MultiCoreMatmulTiling::GetCoreNum;

    int32_t GetCoreNum(
        int32_t& dim, int32_t& mDim, int32_t& nDim, int32_t& batchCoreM, int32_t& batchCoreN) const {
        batchCoreM = batchCoreN = 1;
        return GetCoreNum(dim, mDim, nDim);
    }

    int64_t GetTiling(TCubeTiling& tiling) override { return Fill(tiling, m_, n_, k_, dim_); }
};

inline int32_t TempBufferOf(const TCubeTiling& tiling, SysTilingTempBufSize& size) {
    size.l1Size = tiling.shareL1Size;
    size.l0cSize = tiling.shareL0CSize;
    size.ubSize = tiling.shareUbSize;
    return 0;
}

}  // namespace matmul_tiling

/// Memory that a Matmul object with this tiling takes.
inline int32_t MatmulGetTmpBufSize(TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize) {
    return matmul_tiling::TempBufferOf(tiling, bufSize);
}

inline int32_t MultiCoreMatmulGetTmpBufSize(TCubeTiling& tiling,
                                            matmul_tiling::SysTilingTempBufSize& bufSize) {
    return matmul_tiling::TempBufferOf(tiling, bufSize);
}

inline int32_t BatchMatmulGetTmpBufSize(TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize) {
    return matmul_tiling::TempBufferOf(tiling, bufSize);
}

inline int32_t MatmulGetTmpBufSizeV2(TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize) {
    return matmul_tiling::TempBufferOf(tiling, bufSize);
}

inline int32_t MultiCoreMatmulGetTmpBufSizeV2(TCubeTiling& tiling,
                                              matmul_tiling::SysTilingTempBufSize& bufSize) {
    return matmul_tiling::TempBufferOf(tiling, bufSize);
}

inline int32_t BatchMatmulGetTmpBufSizeV2(TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize) {
    return matmul_tiling::TempBufferOf(tiling, bufSize);
}
