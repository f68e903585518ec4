// SPDX-License-Identifier: Apache-2.0
// The gradient of an embedding table: dw[index[i], :] += grad[i, :], dense, in float32. Tokens whose index
// lies outside of the table are ignored. Two schedules: `atomic` adds every token's row to global memory and
// lets the memory system sort out who comes first; `sorted` walks tokens grouped by index, sums a group on
// the core and writes each row once. Long groups are cut into pieces so that a hot row does not keep one core
// busy alone.
#include "kernel_operator.h"
#include "kernels/shared/gm_copy.h"

using namespace AscendC;

struct EmbeddingTiling {
    uint64_t table;    // elements of dw
    uint64_t zeroes;   // elements of dw that one core clears
    uint32_t rows;     // of dw
    uint32_t width;    // elements of a row
    uint32_t tokens;   // of one core, schedule `atomic`
    uint32_t all;      // tokens
    uint32_t chunk;    // elements of a row taken at a time
    uint32_t buffers;  // 2: copies and sums overlap
};

/// A run of tokens of one index in the sorted order.
struct EmbeddingPiece {
    int32_t row;
    int32_t begin;
    int32_t end;
    int32_t shared;  // 1: other pieces add to the same row
};

/// Writes zeros to a core's share of the table.
class EmbeddingZero {
public:
    __aicore__ inline EmbeddingZero(GM_ADDR dw, const EmbeddingTiling& tiling) {
        const uint64_t begin = tiling.zeroes * GetBlockIdx();
        length = begin >= tiling.table                  ? 0
                 : tiling.table - begin < tiling.zeroes ? tiling.table - begin
                                                        : tiling.zeroes;
        dwGm.SetGlobalBuffer((__gm__ float*)dw + begin, length);
        pipe.InitBuffer(zeros, tile * sizeof(float));
    }

    __aicore__ inline void Process() {
        const LocalTensor<float> zero = zeros.Get<float>();
        Duplicate(zero, 0.0f, tile);
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        for (uint64_t at = 0; at < length; at += tile) {
            const uint32_t count = length - at < tile ? length - at : tile;
            CopyElementsOut(dwGm[at], zero, count);  // (count) UB -> GM
        }
    }

private:
    static constexpr uint32_t tile = 8192;

    uint64_t length;
    GlobalTensor<float> dwGm;  // (length)
    TPipe pipe;
    TBuf<TPosition::VECCALC> zeros;  // (tile)
};

/// What both schedules share: rows of gradients in, float rows out.
template <typename T>
class EmbeddingRows {
public:
    __aicore__ inline EmbeddingRows(GM_ADDR grad, GM_ADDR dw, const EmbeddingTiling& tiling)
        : tiling(tiling) {
        gradGm.SetGlobalBuffer((__gm__ T*)grad, static_cast<uint64_t>(tiling.all) * tiling.width);
        dwGm.SetGlobalBuffer((__gm__ float*)dw, tiling.table);
        pipe.InitBuffer(inGrad, tiling.buffers, tiling.chunk * sizeof(T));
        pipe.InitBuffer(outRow, tiling.buffers, tiling.chunk * sizeof(float));
        pipe.InitBuffer(wideGrad, tiling.chunk * sizeof(float));
    }

protected:
    __aicore__ inline uint32_t CountAt(uint32_t column) const {
        return tiling.width - column < tiling.chunk ? tiling.width - column : tiling.chunk;
    }

    __aicore__ inline void Fetch(int32_t token, uint32_t column) {
        LocalTensor<T> grad = inGrad.template AllocTensor<T>();
        CopyElementsIn(grad, gradGm[static_cast<uint64_t>(token) * tiling.width + column], CountAt(column));
        inGrad.EnQue(grad);
    }

    /// A row for the output that starts as the gradient of the token fetched last. The input is waited for
    /// first: its flag must be taken before the next copy raises it again.
    __aicore__ inline LocalTensor<float> Open(uint32_t count) {
        LocalTensor<T> grad = inGrad.template DeQue<T>();
        LocalTensor<float> row = outRow.template AllocTensor<float>();
        if constexpr (std::is_same_v<T, float>) {
            Adds(row, grad, 0.0f, count);
        } else {
            Cast(row, grad, RoundMode::CAST_NONE, count);
        }
        inGrad.FreeTensor(grad);
        return row;
    }

    /// row += grad of the token fetched last.
    __aicore__ inline void Accumulate(const LocalTensor<float>& row, uint32_t count) {
        LocalTensor<T> grad = inGrad.template DeQue<T>();
        if constexpr (std::is_same_v<T, float>) {
            PipeBarrier<PIPE_V>();
            Add(row, row, grad, count);
        } else {
            const LocalTensor<float> wide = wideGrad.template Get<float>();
            PipeBarrier<PIPE_V>();  // the sum before has read `wide`
            Cast(wide, grad, RoundMode::CAST_NONE, count);
            PipeBarrier<PIPE_V>();
            Add(row, row, wide, count);
        }
        inGrad.FreeTensor(grad);
    }

    __aicore__ inline void Give(int32_t row, uint32_t column, bool adds) {
        LocalTensor<float> sum = outRow.template DeQue<float>();
        if (adds) {
            SetAtomicAdd<float>();
        }
        CopyElementsOut(dwGm[static_cast<uint64_t>(row) * tiling.width + column], sum, CountAt(column));
        if (adds) {
            SetAtomicNone();
        }
        outRow.FreeTensor(sum);
    }

    EmbeddingTiling tiling;
    GlobalTensor<T> gradGm;    // (all, width)
    GlobalTensor<float> dwGm;  // (rows, width)
    TPipe pipe;
    TQue<TPosition::VECIN, 1> inGrad;   // (chunk)
    TQue<TPosition::VECOUT, 1> outRow;  // (chunk)
    TBuf<TPosition::VECCALC> wideGrad;  // (chunk)
};

template <typename T>
class EmbeddingAtomic : private EmbeddingRows<T> {
public:
    __aicore__ inline EmbeddingAtomic(GM_ADDR grad, GM_ADDR index, GM_ADDR dw, const EmbeddingTiling& tiling)
        : EmbeddingRows<T>(grad, dw, tiling) {
        indexGm.SetGlobalBuffer((__gm__ int32_t*)index, tiling.all);
    }

    __aicore__ inline void Process() {
        const uint64_t first = static_cast<uint64_t>(this->tiling.tokens) * GetBlockIdx();
        for (uint64_t token = first; token < first + this->tiling.tokens && token < this->tiling.all;
             ++token) {
            const int32_t row = indexGm.GetValue(token);
            if (row >= 0 && row < static_cast<int32_t>(this->tiling.rows)) {
                for (uint32_t column = 0; column < this->tiling.width; column += this->tiling.chunk) {
                    AddToken(token, row, column);
                }
            }
        }
    }

private:
    __aicore__ inline void AddToken(int32_t token, int32_t row, uint32_t column) {
        this->Fetch(token, column);  // (chunk) GM -> UB
        LocalTensor<float> sum = this->Open(this->CountAt(column));
        this->outRow.template EnQue<float>(sum);
        this->Give(row, column, true);  // (chunk) UB -> GM, added there
    }

    GlobalTensor<int32_t> indexGm;  // (all)
};

template <typename T>
class EmbeddingSorted : private EmbeddingRows<T> {
public:
    __aicore__ inline EmbeddingSorted(GM_ADDR grad,
                                      GM_ADDR order,
                                      GM_ADDR pieces,
                                      GM_ADDR starts,
                                      GM_ADDR dw,
                                      const EmbeddingTiling& tiling)
        : EmbeddingRows<T>(grad, dw, tiling) {
        orderGm.SetGlobalBuffer((__gm__ int32_t*)order);
        piecesGm.SetGlobalBuffer((__gm__ int32_t*)pieces);
        startsGm.SetGlobalBuffer((__gm__ int32_t*)starts, GetBlockNum() + 1);
    }

    __aicore__ inline void Process() {
        const int32_t end = startsGm.GetValue(GetBlockIdx() + 1);
        for (int32_t i = startsGm.GetValue(GetBlockIdx()); i < end; ++i) {
            const EmbeddingPiece piece{piecesGm.GetValue(4 * i),
                                       piecesGm.GetValue(4 * i + 1),
                                       piecesGm.GetValue(4 * i + 2),
                                       piecesGm.GetValue(4 * i + 3)};
            for (uint32_t column = 0; column < this->tiling.width; column += this->tiling.chunk) {
                SumPiece(piece, column);
            }
        }
    }

private:
    __aicore__ inline void SumPiece(const EmbeddingPiece& piece, uint32_t column) {
        const uint32_t count = this->CountAt(column);
        this->Fetch(orderGm.GetValue(piece.begin), column);  // (chunk) GM -> UB
        LocalTensor<float> sum = this->Open(count);
        for (int32_t i = piece.begin + 1; i < piece.end; ++i) {
            this->Fetch(orderGm.GetValue(i), column);  // (chunk) GM -> UB
            this->Accumulate(sum, count);
        }
        this->outRow.template EnQue<float>(sum);
        this->Give(piece.row, column, piece.shared != 0);  // (chunk) UB -> GM
    }

    GlobalTensor<int32_t> orderGm;   // (all)
    GlobalTensor<int32_t> piecesGm;  // (pieces, 4)
    GlobalTensor<int32_t> startsGm;  // (cores + 1)
};

extern "C" __global__ __aicore__ void embedding_zero(GM_ADDR dw, EmbeddingTiling tiling) {
    EmbeddingZero(dw, tiling).Process();
}

extern "C" __global__ __aicore__ void embedding_atomic_float16(GM_ADDR grad,
                                                               GM_ADDR index,
                                                               GM_ADDR dw,
                                                               EmbeddingTiling tiling) {
    EmbeddingAtomic<half>(grad, index, dw, tiling).Process();
}

extern "C" __global__ __aicore__ void embedding_atomic_float32(GM_ADDR grad,
                                                               GM_ADDR index,
                                                               GM_ADDR dw,
                                                               EmbeddingTiling tiling) {
    EmbeddingAtomic<float>(grad, index, dw, tiling).Process();
}

extern "C" __global__ __aicore__ void embedding_sorted_float16(
    GM_ADDR grad, GM_ADDR order, GM_ADDR pieces, GM_ADDR starts, GM_ADDR dw, EmbeddingTiling tiling) {
    EmbeddingSorted<half>(grad, order, pieces, starts, dw, tiling).Process();
}

extern "C" __global__ __aicore__ void embedding_sorted_float32(
    GM_ADDR grad, GM_ADDR order, GM_ADDR pieces, GM_ADDR starts, GM_ADDR dw, EmbeddingTiling tiling) {
    EmbeddingSorted<float>(grad, order, pieces, starts, dw, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include "kernels/ops/movement/embedding_dense_grad/embedding_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::EmbeddingDenseGrad host;
    return &host;
}
#endif
