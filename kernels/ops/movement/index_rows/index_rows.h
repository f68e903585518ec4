// SPDX-License-Identifier: Apache-2.0
// Rows by an index: y[o, i, :] = x[o, index[i], :], and the reverse, y[o, index[i], :] = u[o, i, :], where an
// index may be a tuple over several axes. The scalar unit reads the indices and starts a copy for each row.
// Where many o are indexed alike and all of an o fits the unified buffer, the places of all elements are
// found once, and the vector unit gathers.
#pragma once

#include "kernels/shared/gm_copy.h"

constexpr uint32_t index_rows_axes = 5;

struct IndexRowsTiling {
    uint64_t outer;                    // of x
    uint64_t count;                    // indices, of each o
    uint64_t inner;                    // elements of a row
    uint64_t x_outer;                  // elements from one o to the next in the tensor that is indexed
    uint64_t stride[index_rows_axes];  // elements, of the axes that are indexed
    int64_t extent[index_rows_axes];
    uint64_t units;
    uint64_t share;    // of a core
    uint32_t depth;    // axes that are indexed
    uint32_t batched;  // 1: each o has indices of its own
    uint32_t words;    // of four bytes of an index
    uint32_t tile;     // indices of a piece
    uint32_t chunk;    // elements of a row in a piece
    uint32_t pitch;    // from row to row in a buffer
    uint32_t buffers;
    uint32_t add;  // scatter: 1: is added
};

/// T is a type of the elements' size, and for additions their own.
template <typename T>
class IndexRows {
public:
    __aicore__ inline IndexRows(GM_ADDR x, GM_ADDR index, GM_ADDR y, const IndexRowsTiling& tiling)
        : t(tiling) {
        xGm.SetGlobalBuffer((__gm__ T*)x);
        yGm.SetGlobalBuffer((__gm__ T*)y);
        indexGm.SetGlobalBuffer((__gm__ int32_t*)index);
        pipe.InitBuffer(inIndex, 1, (t.tile * t.depth * t.words + 7) / 8 * 32);
    }

    __aicore__ inline void Gather() {
        pipe.InitBuffer(rows, t.buffers, t.tile * t.pitch * sizeof(T));
        EachPiece([this](const Piece& p) { GatherPiece(p); });
    }

    __aicore__ inline void Scatter() {
        pipe.InitBuffer(rows, t.buffers, t.tile * t.pitch * sizeof(T));
        if (t.add != 0) {
            AscendC::SetAtomicAdd<T>();
        }
        EachPiece([this](const Piece& p) { ScatterPiece(p); });
        if (t.add != 0) {
            AscendC::SetAtomicNone();
        }
    }

    /// A core goes through the o of one piece of the index after the other.
    __aicore__ inline void GatherByTable() {
        const uint32_t elements = (t.tile * t.inner + 15) / 16 * 16;
        pipe.InitBuffer(whole, t.buffers, (t.x_outer + 15) / 16 * 16 * sizeof(T));
        pipe.InitBuffer(out, t.buffers, elements * sizeof(T));
        pipe.InitBuffer(table, elements * sizeof(int32_t));
        const uint64_t begin = t.share * AscendC::GetBlockIdx();
        uint64_t known = ~uint64_t{0};
        for (uint64_t u = begin; u < begin + t.share && u < t.units; ++u) {
            const uint64_t first = u / t.outer * t.tile;
            const uint32_t n = t.count - first < t.tile ? t.count - first : t.tile;
            if (known != first) {
                FillTable(first, n);
                known = first;
            }
            GatherOuter(u % t.outer, first, n);
        }
    }

private:
    static constexpr uint32_t block = 32 / sizeof(T);

    /// Some indices, and a part of their rows.
    struct Piece {
        uint64_t o;
        uint64_t first;
        uint32_t n;
        uint64_t column;
        uint32_t width;
    };

    template <typename F>
    __aicore__ inline void EachPiece(F work) {
        const uint64_t across = (t.inner + t.chunk - 1) / t.chunk;
        const uint64_t along = (t.count + t.tile - 1) / t.tile;
        const uint64_t begin = t.share * AscendC::GetBlockIdx();
        for (uint64_t u = begin; u < begin + t.share && u < t.units; ++u) {
            const uint64_t column = u % across * t.chunk;
            const uint64_t first = u / across % along * t.tile;
            work(Piece{u / across / along,
                       first,
                       static_cast<uint32_t>(t.count - first < t.tile ? t.count - first : t.tile),
                       column,
                       static_cast<uint32_t>(t.inner - column < t.chunk ? t.inner - column : t.chunk)});
        }
    }

    /// The scalar unit may read `n` indices from `first` on.
    __aicore__ inline AscendC::LocalTensor<int32_t> LoadIndex(uint64_t o, uint64_t first, uint32_t n) {
        const AscendC::LocalTensor<int32_t> index = inIndex.template AllocTensor<int32_t>();
        const uint64_t at = (t.batched != 0 ? o * t.count + first : first) * t.depth * t.words;
        CopyElementsIn(index, indexGm[at], n * t.depth * t.words);
        const AscendC::TEventID come = pipe.template FetchEventID<AscendC::HardEvent::MTE2_S>();
        AscendC::SetFlag<AscendC::HardEvent::MTE2_S>(come);
        AscendC::WaitFlag<AscendC::HardEvent::MTE2_S>(come);
        return index;
    }

    __aicore__ inline void FreeIndex(AscendC::LocalTensor<int32_t> index) {
        const AscendC::TEventID read = pipe.template FetchEventID<AscendC::HardEvent::S_MTE2>();
        AscendC::SetFlag<AscendC::HardEvent::S_MTE2>(read);
        AscendC::WaitFlag<AscendC::HardEvent::S_MTE2>(read);
        inIndex.FreeTensor(index);
    }

    /// Where the row of index `i` begins within its o. Of eight bytes the lower four are read.
    [[nodiscard]] __aicore__ inline uint64_t RowOf(const AscendC::LocalTensor<int32_t>& index,
                                                   uint32_t i) const {
        uint64_t at = 0;
        for (uint32_t k = 0; k < t.depth; ++k) {
            int64_t value = index.GetValue((i * t.depth + k) * t.words);
            value += value < 0 ? t.extent[k] : 0;
            at += static_cast<uint64_t>(value) * t.stride[k];
        }
        return at;
    }

    // rows of GM -> (n, width) UB -> GM
    __aicore__ inline void GatherPiece(const Piece& p) {
        const AscendC::LocalTensor<int32_t> index = LoadIndex(p.o, p.first, p.n);
        AscendC::LocalTensor<T> data = rows.template AllocTensor<T>();
        for (uint32_t r = 0; r < p.n; ++r) {
            CopyElementsIn(data[r * t.pitch], xGm[p.o * t.x_outer + RowOf(index, r) + p.column], p.width);
        }
        FreeIndex(index);
        rows.EnQue(data);
        data = rows.template DeQue<T>();
        const uint64_t to = (p.o * t.count + p.first) * t.inner + p.column;
        if (p.n == 1 || (p.width == t.inner && p.width == t.pitch)) {
            CopyElementsOut(yGm[to], data, p.n * p.width);
        } else {
#if KERNEL_HAS_COPY_PAD
            AscendC::DataCopyPad(
                yGm[to],
                data,
                AscendC::DataCopyExtParams(p.n,
                                           p.width * static_cast<uint32_t>(sizeof(T)),
                                           (t.pitch - (p.width + block - 1) / block * block) / block,
                                           static_cast<uint32_t>((t.inner - p.width) * sizeof(T)),
                                           0));
#else
            for (uint32_t r = 0; r < p.n; ++r) {
                CopyElementsOut(yGm[to + r * t.inner], data[r * t.pitch], p.width);
            }
#endif
        }
        rows.FreeTensor(data);
    }

    // (n, width) GM -> UB -> rows of GM
    __aicore__ inline void ScatterPiece(const Piece& p) {
        AscendC::LocalTensor<T> data = rows.template AllocTensor<T>();
        const uint64_t from = (p.o * t.count + p.first) * t.inner + p.column;
        for (uint32_t r = 0; r < p.n; ++r) {
            CopyElementsIn(data[r * t.pitch], xGm[from + r * t.inner], p.width);
        }
        rows.EnQue(data);
        const AscendC::LocalTensor<int32_t> index = LoadIndex(p.o, p.first, p.n);
        data = rows.template DeQue<T>();
        for (uint32_t r = 0; r < p.n; ++r) {
            CopyElementsOut(yGm[p.o * t.x_outer + RowOf(index, r) + p.column], data[r * t.pitch], p.width);
        }
        FreeIndex(index);
        rows.FreeTensor(data);
    }

    /// Where each element of `n` rows lies within an o, in bytes.
    __aicore__ inline void FillTable(uint64_t first, uint32_t n) {
        const AscendC::LocalTensor<int32_t> index = LoadIndex(0, first, n);
        const AscendC::LocalTensor<int32_t> places = table.template Get<int32_t>();
        const AscendC::TEventID used = pipe.template FetchEventID<AscendC::HardEvent::V_S>();
        AscendC::SetFlag<AscendC::HardEvent::V_S>(used);
        AscendC::WaitFlag<AscendC::HardEvent::V_S>(used);
        for (uint32_t r = 0; r < n; ++r) {
            const uint64_t row = RowOf(index, r);
            for (uint32_t k = 0; k < t.inner; ++k) {
                places.SetValue(r * t.inner + k, static_cast<int32_t>((row + k) * sizeof(T)));
            }
        }
        FreeIndex(index);
        const AscendC::TEventID set = pipe.template FetchEventID<AscendC::HardEvent::S_V>();
        AscendC::SetFlag<AscendC::HardEvent::S_V>(set);
        AscendC::WaitFlag<AscendC::HardEvent::S_V>(set);
    }

    __aicore__ inline void GatherOuter(uint64_t o, uint64_t first, uint32_t n) {
        AscendC::LocalTensor<T> x = whole.template AllocTensor<T>();
        CopyElementsIn(x, xGm[o * t.x_outer], t.x_outer);
        whole.EnQue(x);
        x = whole.template DeQue<T>();
        AscendC::LocalTensor<T> y = out.template AllocTensor<T>();
        AscendC::Gather(y, x, table.template Get<uint32_t>(), 0, n * t.inner);
        whole.FreeTensor(x);
        out.template EnQue<T>(y);
        y = out.template DeQue<T>();
        CopyElementsOut(yGm[(o * t.count + first) * t.inner], y, n * t.inner);
        out.FreeTensor(y);
    }

    IndexRowsTiling t;
    AscendC::GlobalTensor<T> xGm, yGm;  // of a scatter x is what is set
    AscendC::GlobalTensor<int32_t> indexGm;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inIndex, whole;
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> rows;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out;
    AscendC::TBuf<AscendC::TPosition::VECCALC> table;
};
