// SPDX-License-Identifier: Apache-2.0
// Reduction of everything to one value.
#pragma once

#include "kernels/ops/reduce/reduce/reduce_base.h"
#include "kernels/shared/order.h"

/// Everything to one value: cores fold their shares, the first one folds what they found.
template <typename T, typename Fold>
class ReduceAllKernel : private Reduction<T, Fold> {
public:
    __aicore__ inline ReduceAllKernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, const ReduceTiling& tiling)
        : Reduction<T, Fold>(tiling) {
        first = tiling.share * AscendC::GetBlockIdx();
        count = first >= tiling.length                 ? 0
                : tiling.length - first < tiling.share ? tiling.length - first
                                                       : tiling.share;
        xGm.SetGlobalBuffer((__gm__ T*)x);
        yGm.SetGlobalBuffer((__gm__ T*)y);
        partGm.SetGlobalBuffer((__gm__ float*)workspace);
        pipe.InitBuffer(inX, tiling.buffers, tiling.tile * sizeof(T));
        if (tiling.piece == 0) {
            pipe.InitBuffer(wideX, tiling.tile * sizeof(float));
            pipe.InitBuffer(beforeSum, 256);  // what is added lies in other banks than what it is added to
            pipe.InitBuffer(sum, tiling.tile * sizeof(float));
        } else {
            pipe.InitBuffer(wideX, (std::is_same_v<T, float> ? 64 : tiling.piece) * sizeof(float));
            pipe.InitBuffer(sum, 512 * sizeof(float));
        }
        pipe.InitBuffer(part, 64 * 8 * sizeof(float));
    }

    __aicore__ inline void Process() {
        const AscendC::LocalTensor<float> mine = part.template Get<float>();
        if (this->t.piece != 0) {
            ByPieces(mine);
        } else {
            Together(mine);
        }
        Publish(mine);
        AscendC::SyncAll();
        if (AscendC::GetBlockIdx() == 0) {
            Collect(mine);
        }
    }

private:
    /// Tiles are folded element by element, and the last one into a value.
    __aicore__ inline void Together(const AscendC::LocalTensor<float>& mine) {
        const AscendC::LocalTensor<float> all = sum.template Get<float>();
        const uint32_t used = count < this->t.tile ? (count + 63) / 64 * 64 : this->t.tile;
        AscendC::Duplicate(all, fold_start<Fold>, used < 64 ? 64 : used);
        AscendC::PipeBarrier<PIPE_V>();
        for (uint64_t at = 0; at < count; at += this->t.tile) {
            const uint32_t n = count - at < this->t.tile ? count - at : this->t.tile;
            AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
            CopyElementsIn(x, xGm[first + at], n);  // (n) GM -> UB
            inX.EnQue(x);
            x = inX.template DeQue<T>();
            const AscendC::LocalTensor<float> in = this->Prepared(wideX.template Get<float>(), x, n);
            Fold::Call(all, all, in, static_cast<int32_t>(n));
            AscendC::PipeBarrier<PIPE_V>();
            inX.FreeTensor(x);
        }
        AscendC::Duplicate(mine, fold_start<Fold>, 8);  // a whole block to publish, of which one value counts
        AscendC::PipeBarrier<PIPE_V>();
        ReduceRowsInPlace<Fold>(mine, all, {1, used < 64 ? 64 : used, this->t.tile});
    }

    /// Each piece is folded into a value, which the scalar unit puts beside those of its tile (ops-nn,
    /// foreach/foreach_norm: one piece a tile for floats, which are folded where they lie).
    __aicore__ inline void ByPieces(const AscendC::LocalTensor<float>& mine) {
        const AscendC::LocalTensor<float> values = sum.template Get<float>();
        const AscendC::LocalTensor<float> wide = wideX.template Get<float>();
        AscendC::Duplicate(mine, 0.0f, 8);
        AscendC::PipeBarrier<PIPE_V>();
        for (uint64_t at = 0; at < count; at += this->t.tile) {
            const uint32_t n = count - at < this->t.tile ? count - at : this->t.tile;
            AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
            CopyElementsIn(x, xGm[first + at], n);  // (n) GM -> UB
            inX.EnQue(x);
            x = inX.template DeQue<T>();
            uint32_t pieces = 0;
            for (uint32_t from = 0; from < n; from += this->t.piece) {
                const uint32_t length = n - from < this->t.piece ? n - from : this->t.piece;
                values.SetValue(pieces++, Piece(x, wide, from, length));
                Order<AscendC::HardEvent::S_V>(pipe);
            }
            inX.FreeTensor(x);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::ReduceSum<float>(values, values, values[256], pieces);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Add(mine, mine, values, 1);
            Order<AscendC::HardEvent::V_S>(pipe);
        }
    }

    __aicore__ inline float Piece(const AscendC::LocalTensor<T>& x,
                                  const AscendC::LocalTensor<float>& wide,
                                  uint32_t from,
                                  uint32_t length) {
        AscendC::PipeBarrier<PIPE_V>();
        if constexpr (std::is_same_v<T, float>) {
            this->Prepared(x, x, length);
            AscendC::ReduceSum<float>(x, x, x, length);
            Order<AscendC::HardEvent::V_S>(pipe);
            return x.GetValue(0);
        } else {
            this->Prepared(wide, x[from], length);
            AscendC::ReduceSum<float>(wide, wide, wide, length);
            Order<AscendC::HardEvent::V_S>(pipe);
            return wide.GetValue(0);
        }
    }

    __aicore__ inline void Publish(const AscendC::LocalTensor<float>& mine) {
        AscendC::PipeBarrier<PIPE_ALL>();
        AscendC::DataCopy(partGm[AscendC::GetBlockIdx() * 8], mine, 8);  // (1, 8) UB -> GM
        AscendC::PipeBarrier<PIPE_ALL>();
    }

    __aicore__ inline void Collect(const AscendC::LocalTensor<float>& parts) {
        const uint32_t cores = AscendC::GetBlockNum();
        AscendC::Duplicate(parts, fold_start<Fold>, 512);
        AscendC::PipeBarrier<PIPE_ALL>();
        AscendC::DataCopy(parts, partGm, cores * 8);  // (cores, 8) GM -> UB
        AscendC::PipeBarrier<PIPE_ALL>();
        const AscendC::LocalTensor<float> all = sum.template Get<float>();
        ReduceRowsInPlace<Fold>(all, parts, {1, 512, 512});
        this->Finish(all, 1);
        AscendC::LocalTensor<T> y = part.template Get<T>();
        Narrow(y, all, 1);
        AscendC::PipeBarrier<PIPE_ALL>();
        CopyElementsOut(yGm, y, 1);
    }

    uint64_t first, count;
    AscendC::GlobalTensor<T> xGm, yGm;
    AscendC::GlobalTensor<float> partGm;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inX;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wideX, beforeSum, sum, part;
};
