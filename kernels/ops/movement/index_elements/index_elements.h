// SPDX-License-Identifier: Apache-2.0
// Elements of (outer, length, inner) by an index of (outer, m, inner): y[o, i, k] = x[o, index[o, i, k], k],
// and the reverse, y[o, index[o, i, k], k] = u[o, i, k]. A core takes columns k of one o, all of `length` in
// the unified buffer. The vector unit gathers; A2 has no vector scatter, so there the scalar unit sets
// elements one by one.
#pragma once

#include "kernels/shared/gm_copy.h"

struct IndexElementsTiling {
    uint64_t units;     // pieces of columns of all outer; by the scalar unit: elements of the index
    uint64_t share;     // of a core
    uint64_t outer1;    // inner one of two outer axes
    uint64_t x_outer0;  // elements from o0 to o0 and o1 to o1, of x
    uint64_t x_outer1;
    uint64_t length;   // of x along the axis
    uint64_t m;        // of the index along the axis
    uint64_t x_inner;  // elements of x behind the axis
    uint64_t inner;    // of the index
    uint32_t chunk;    // columns of a piece
    uint32_t pitch;    // from row to row of a buffer, a multiple of 16; 1 for single columns
    uint32_t tile;     // rows of the index in a buffer
    uint32_t buffers;
    uint32_t by_scalar;  // gather: 1: element by element
    uint32_t add;        // scatter: 1: is added
};

template <typename T>
class IndexElements {
public:
    __aicore__ inline IndexElements(GM_ADDR x, GM_ADDR index, GM_ADDR y, const IndexElementsTiling& tiling)
        : t(tiling) {
        xGm.SetGlobalBuffer((__gm__ T*)x);
        yGm.SetGlobalBuffer((__gm__ T*)y);
        indexGm.SetGlobalBuffer((__gm__ int32_t*)index);
    }

    __aicore__ inline void Gather() {
        pipe.InitBuffer(table, 1, Elements(t.length) * sizeof(T));
        pipe.InitBuffer(inIndex, t.buffers, Elements(t.tile) * sizeof(int32_t));
        pipe.InitBuffer(out, t.buffers, Elements(t.tile) * sizeof(T));
        pipe.InitBuffer(place, Elements(t.tile) * sizeof(int32_t));
        pipe.InitBuffer(column, (t.pitch + 7) / 8 * 32);
        if (t.pitch > 1) {
            AscendC::CreateVecIndex(column.template Get<int32_t>(), int32_t{0}, t.pitch);
            Then();
            AscendC::Muls(column.template Get<int32_t>(),
                          column.template Get<int32_t>(),
                          static_cast<int32_t>(sizeof(T)),
                          t.pitch);
            Then();
        }
        EachPiece([this](const Piece& piece) { GatherPiece(piece); });
    }

    /// Element by element: the scalar unit reads an index in the unified buffer and its element from global
    /// memory, through its cache. A core's share are pieces of `tile` elements of the index.
    __aicore__ inline void GatherByScalar() {
        pipe.InitBuffer(inIndex, 1, (t.tile + 7) / 8 * 32);
        pipe.InitBuffer(out, 1, (t.tile + 7) / 8 * 32);
        const uint64_t first = t.share * AscendC::GetBlockIdx();
        for (uint64_t u = first; u < first + t.share && u * t.tile < t.units; ++u) {
            const uint64_t at = u * t.tile;
            GatherOnes(at, t.units - at < t.tile ? t.units - at : t.tile);
        }
    }

    /// y holds what is not replaced already.
    __aicore__ inline void Scatter() {
        pipe.InitBuffer(table, 1, Elements(t.length) * sizeof(T));
        pipe.InitBuffer(inIndex, t.buffers, Elements(t.tile) * sizeof(int32_t));
        pipe.InitBuffer(in, t.buffers, Elements(t.tile) * sizeof(T));
        EachPiece([this](const Piece& piece) { ScatterPiece(piece); });
    }

private:
    /// Columns of one o: the first element in x (or y) and in the index, and how many columns.
    struct Piece {
        uint64_t x;
        uint64_t index;
        uint32_t n;
    };

    __aicore__ inline static void Then() { AscendC::PipeBarrier<PIPE_V>(); }

    __aicore__ inline uint32_t Elements(uint64_t rows) const {
        return static_cast<uint32_t>((rows * t.pitch + 15) / 16 * 16);
    }

    template <typename F>
    __aicore__ inline void EachPiece(F work) {
        const uint64_t first = t.share * AscendC::GetBlockIdx();
        const uint64_t pieces = (t.inner + t.chunk - 1) / t.chunk;
        for (uint64_t u = first; u < first + t.share && u < t.units; ++u) {
            const uint64_t at = u % pieces * t.chunk;
            const uint64_t o = u / pieces;
            const uint32_t n = t.inner - at < t.chunk ? t.inner - at : t.chunk;
            work(
                Piece{o / t.outer1 * t.x_outer0 + o % t.outer1 * t.x_outer1 + at, o * t.m * t.inner + at, n});
        }
    }

    // (rows, n) GM, `stride` apart -> (rows, pitch) UB
    template <typename U>
    __aicore__ inline void Fetch(const AscendC::LocalTensor<U>& to,
                                 const AscendC::GlobalTensor<U>& from,
                                 uint64_t at,
                                 uint64_t rows,
                                 uint32_t n,
                                 uint64_t stride) {
        if (t.pitch == 1) {
            CopyElementsIn(to, from[at], rows);
            return;
        }
        constexpr uint64_t most = 4095;
        const uint32_t bytes = n * sizeof(U);
        const uint32_t padded = (bytes + 31) / 32 * 32;
        for (uint64_t r = 0; r < rows; r += most) {
            AscendC::DataCopyPad(to[r * t.pitch],
                                 from[at + r * stride],
                                 AscendC::DataCopyExtParams(rows - r < most ? rows - r : most,
                                                            bytes,
                                                            (stride - n) * sizeof(U),
                                                            (t.pitch * sizeof(U) - padded) / 32,
                                                            0),
                                 AscendC::DataCopyPadExtParams<U>());
        }
    }

    template <typename U>
    __aicore__ inline void Store(const AscendC::GlobalTensor<U>& to,
                                 uint64_t at,
                                 const AscendC::LocalTensor<U>& from,
                                 uint64_t rows,
                                 uint32_t n,
                                 uint64_t stride) {
        if (t.pitch == 1) {
            CopyElementsOut(to[at], from, rows);
            return;
        }
        constexpr uint64_t most = 4095;
        const uint32_t bytes = n * sizeof(U);
        for (uint64_t r = 0; r < rows; r += most) {
            AscendC::DataCopyPad(
                to[at + r * stride],
                from[r * t.pitch],
                AscendC::DataCopyExtParams(rows - r < most ? rows - r : most,
                                           bytes,
                                           (t.pitch * sizeof(U) - (bytes + 31) / 32 * 32) / 32,
                                           (stride - n) * sizeof(U),
                                           0));
        }
    }

    __aicore__ inline void GatherPiece(const Piece& piece) {
        AscendC::LocalTensor<T> x = table.template AllocTensor<T>();
        Fetch(x, xGm, piece.x, t.length, piece.n, t.x_inner);
        table.EnQue(x);
        x = table.template DeQue<T>();
        for (uint64_t i = 0; i < t.m; i += t.tile) {
            GatherRows(x, piece.index + i * t.inner, t.m - i < t.tile ? t.m - i : t.tile, piece.n);
        }
        table.FreeTensor(x);
    }

    __aicore__ inline void GatherRows(const AscendC::LocalTensor<T>& x,
                                      uint64_t at,
                                      uint32_t rows,
                                      uint32_t n) {
        AscendC::LocalTensor<int32_t> index = inIndex.template AllocTensor<int32_t>();
        Fetch(index, indexGm, at, rows, n, t.inner);
        inIndex.EnQue(index);
        index = inIndex.template DeQue<int32_t>();
        const AscendC::LocalTensor<int32_t> bytes = place.template Get<int32_t>();
        AscendC::LocalTensor<T> y = out.template AllocTensor<T>();
        const bool whole = t.pitch == 1 || n == t.pitch;  // no gaps between rows
        const uint32_t count = rows * t.pitch;
        Then();
        if (whole) {
            AscendC::Muls(bytes, index, static_cast<int32_t>(t.pitch * sizeof(T)), count);
            Then();
        }
        for (uint32_t r = 0; r < rows && t.pitch > 1; ++r) {
            const AscendC::LocalTensor<int32_t> row = bytes[r * t.pitch];
            if (!whole) {
                AscendC::Muls(row, index[r * t.pitch], static_cast<int32_t>(t.pitch * sizeof(T)), n);
                Then();
            }
            AscendC::Add(row, row, column.template Get<int32_t>(), n);
        }
        Then();
        if (whole) {
            AscendC::Gather(y, x, bytes.template ReinterpretCast<uint32_t>(), 0, count);
        } else {
            for (uint32_t r = 0; r < rows; ++r) {
                AscendC::Gather(
                    y[r * t.pitch], x, bytes[r * t.pitch].template ReinterpretCast<uint32_t>(), 0, n);
            }
        }
        inIndex.FreeTensor(index);
        out.template EnQue<T>(y);
        y = out.template DeQue<T>();
        Store(yGm, at, y, rows, n, t.inner);
        out.FreeTensor(y);
    }

    /// Where row o of the outer axes begins in x.
    [[nodiscard]] __aicore__ inline uint64_t OfOuter(uint64_t o) const {
        return o / t.outer1 * t.x_outer0 + o % t.outer1 * t.x_outer1;
    }

    __aicore__ inline void GatherOnes(uint64_t at, uint32_t count) {
        AscendC::LocalTensor<int32_t> index = inIndex.template AllocTensor<int32_t>();
        AscendC::LocalTensor<T> y = out.template AllocTensor<T>();
        CopyElementsIn(index, indexGm[at], count);
        const AscendC::TEventID come = pipe.template FetchEventID<AscendC::HardEvent::MTE2_S>();
        AscendC::SetFlag<AscendC::HardEvent::MTE2_S>(come);
        AscendC::WaitFlag<AscendC::HardEvent::MTE2_S>(come);
        // Quotients once; from then on each element is one step from the one before.
        uint64_t o = at / t.inner / t.m;
        uint64_t column = at % t.inner;
        uint64_t left = t.inner * t.m - at % (t.inner * t.m);
        uint64_t from = OfOuter(o);
        for (uint32_t i = 0; i < count; ++i) {
            y.SetValue(i, xGm.GetValue(from + column + static_cast<uint64_t>(index.GetValue(i)) * t.x_inner));
            column = column + 1 == t.inner ? 0 : column + 1;
            if (--left == 0) {
                left = t.inner * t.m;
                from = OfOuter(++o);
            }
        }
        const AscendC::TEventID set = pipe.template FetchEventID<AscendC::HardEvent::S_MTE3>();
        AscendC::SetFlag<AscendC::HardEvent::S_MTE3>(set);
        AscendC::WaitFlag<AscendC::HardEvent::S_MTE3>(set);
        CopyElementsOut(yGm[at], y, count);
        const AscendC::TEventID gone = pipe.template FetchEventID<AscendC::HardEvent::MTE3_S>();
        AscendC::SetFlag<AscendC::HardEvent::MTE3_S>(gone);
        AscendC::WaitFlag<AscendC::HardEvent::MTE3_S>(gone);
        inIndex.FreeTensor(index);
        out.FreeTensor(y);
    }

    __aicore__ inline void ScatterPiece(const Piece& piece) {
        AscendC::LocalTensor<T> y = table.template AllocTensor<T>();
        Fetch(y, yGm, piece.x, t.length, piece.n, t.x_inner);
        table.EnQue(y);
        y = table.template DeQue<T>();
        for (uint64_t i = 0; i < t.m; i += t.tile) {
            SetRows(y, piece.index + i * t.inner, t.m - i < t.tile ? t.m - i : t.tile, piece.n);
        }
        const AscendC::TEventID set = pipe.template FetchEventID<AscendC::HardEvent::S_MTE3>();
        AscendC::SetFlag<AscendC::HardEvent::S_MTE3>(set);
        AscendC::WaitFlag<AscendC::HardEvent::S_MTE3>(set);
        Store(yGm, piece.x, y, t.length, piece.n, t.x_inner);
        const AscendC::TEventID gone = pipe.template FetchEventID<AscendC::HardEvent::MTE3_MTE2>();
        AscendC::SetFlag<AscendC::HardEvent::MTE3_MTE2>(gone);
        AscendC::WaitFlag<AscendC::HardEvent::MTE3_MTE2>(gone);
        table.FreeTensor(y);
    }

    __aicore__ inline void SetRows(const AscendC::LocalTensor<T>& y, uint64_t at, uint32_t rows, uint32_t n) {
        AscendC::LocalTensor<int32_t> index = inIndex.template AllocTensor<int32_t>();
        AscendC::LocalTensor<T> u = in.template AllocTensor<T>();
        Fetch(index, indexGm, at, rows, n, t.inner);
        Fetch(u, xGm, at, rows, n, t.inner);
        inIndex.EnQue(index);
        in.EnQue(u);
        index = inIndex.template DeQue<int32_t>();
        u = in.template DeQue<T>();
        const AscendC::TEventID come = pipe.template FetchEventID<AscendC::HardEvent::MTE2_S>();
        AscendC::SetFlag<AscendC::HardEvent::MTE2_S>(come);
        AscendC::WaitFlag<AscendC::HardEvent::MTE2_S>(come);
        for (uint32_t r = 0; r < rows; ++r) {
            for (uint32_t k = 0; k < n; ++k) {
                const uint32_t from = r * t.pitch + k;
                const uint32_t to = static_cast<uint32_t>(index.GetValue(from)) * t.pitch + k;
                const T value = u.GetValue(from);
                y.SetValue(to,
                           t.add != 0 ? static_cast<T>(static_cast<float>(y.GetValue(to)) +
                                                       static_cast<float>(value))
                                      : value);
            }
        }
        const AscendC::TEventID read = pipe.template FetchEventID<AscendC::HardEvent::S_MTE2>();
        AscendC::SetFlag<AscendC::HardEvent::S_MTE2>(read);
        AscendC::WaitFlag<AscendC::HardEvent::S_MTE2>(read);
        inIndex.FreeTensor(index);
        in.FreeTensor(u);
    }

    IndexElementsTiling t;
    AscendC::GlobalTensor<T> xGm, yGm;  // of a scatter x is what is set
    AscendC::GlobalTensor<int32_t> indexGm;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> table, inIndex, in;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out;
    AscendC::TBuf<AscendC::TPosition::VECCALC> place, column;
};
