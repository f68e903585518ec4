// SPDX-License-Identifier: Apache-2.0
// Copies of boxes of elements between two regular places: what concatenation, splitting, slicing, padding,
// repetition and reversal all are. Rows of a box travel through the unified buffer, many at a time; elements
// that do not lie side by side are gathered there.
#pragma once

#include "kernels/shared/gm_copy.h"

constexpr uint32_t rearrange_axes = 3;  // of a box, around its rows' elements
constexpr uint32_t rearrange_boxes = 16;

/// Elements (n2, n1, n0, width) from one place to another; strides in elements.
struct RearrangeBox {
    int64_t from;  // first element
    int64_t to;
    int64_t from_stride[rearrange_axes];  // of n0, n1, n2; 0: the same elements again
    int64_t to_stride[rearrange_axes];
    uint32_t n[rearrange_axes];
    uint32_t width;
    int32_t step;    // from element to element of a row in x; 0: zeros are written, nothing is read
    uint32_t rows;   // of a tile, along n0
    uint32_t chunk;  // elements of a row in a tile
    uint32_t units;  // tiles
};

struct RearrangeTiling {
    uint64_t share;  // tiles of a core
    uint32_t tile;   // elements of a buffer
    uint32_t buffers;
    uint32_t gathers;  // 1: some box has a step other than 1
    uint32_t clears;   // 1: some box is of zeros
    uint32_t boxes;
    RearrangeBox box[rearrange_boxes];
};

/// T is a type of the elements' size.
template <typename T>
class Rearrange {
public:
    __aicore__ inline Rearrange(GM_ADDR x, GM_ADDR y, const RearrangeTiling& tiling) : t(tiling) {
        xGm.SetGlobalBuffer((__gm__ T*)x);
        yGm.SetGlobalBuffer((__gm__ T*)y);
        pipe.InitBuffer(through, t.buffers, t.tile * sizeof(T));
        if (t.gathers != 0) {
            pipe.InitBuffer(spread, t.buffers, t.tile * sizeof(T));
            pipe.InitBuffer(place, t.tile * sizeof(int32_t));
        }
        if (t.clears != 0) {
            pipe.InitBuffer(zeros, t.tile * sizeof(T));
            AscendC::Duplicate(
                zeros.template Get<int16_t>(), int16_t{0}, static_cast<int32_t>(t.tile * sizeof(T) / 2));
            const AscendC::TEventID cleared = pipe.template FetchEventID<AscendC::HardEvent::V_MTE3>();
            AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(cleared);
            AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(cleared);
        }
    }

    __aicore__ inline void Process() {
        uint64_t unit = t.share * AscendC::GetBlockIdx();
        const uint64_t end = unit + t.share;
        uint64_t before = 0;
        for (uint32_t b = 0; b < t.boxes; ++b) {
            const RearrangeBox& box = t.box[b];
            if (unit >= before && unit < before + box.units) {
                places = 0;
                for (; unit < end && unit < before + box.units; ++unit) {
                    Tile(box, unit - before);
                }
            }
            before += box.units;
        }
    }

private:
    static constexpr uint32_t block = 32 / sizeof(T);

    __aicore__ inline static uint32_t Pitch(uint32_t elements) {
        return (elements + block - 1) / block * block;
    }

    /// Elements of x that a row of `width` spans.
    __aicore__ inline static uint32_t Span(const RearrangeBox& box, uint32_t width) {
        const uint32_t apart = box.step < 0 ? -box.step : box.step;
        return (width - 1) * apart + 1;
    }

    /// Where each element of a row lies in the part of x that was fetched, in bytes.
    __aicore__ inline void FindPlaces(const RearrangeBox& box, uint32_t width) {
        const AscendC::LocalTensor<int32_t> at = place.template Get<int32_t>();
        const int32_t first = box.step < 0 ? static_cast<int32_t>((Span(box, width) - 1) * sizeof(T)) : 0;
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::CreateVecIndex(at, int32_t{0}, width);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(at, at, static_cast<int32_t>(box.step * static_cast<int32_t>(sizeof(T))), width);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(at, at, first, width);
        AscendC::PipeBarrier<PIPE_V>();
        places = width;
    }

    __aicore__ inline void Tile(const RearrangeBox& box, uint64_t unit) {
        const uint64_t chunks = (box.width + box.chunk - 1) / box.chunk;
        const uint64_t groups = (box.n[0] + box.rows - 1) / box.rows;
        const uint64_t column = unit % chunks * box.chunk;
        const uint64_t row = unit / chunks % groups * box.rows;
        const uint64_t i1 = unit / chunks / groups % box.n[1];
        const uint64_t i2 = unit / chunks / groups / box.n[1];
        const uint32_t rows = box.n[0] - row < box.rows ? box.n[0] - row : box.rows;
        const uint32_t width = box.width - column < box.chunk ? box.width - column : box.chunk;
        const int64_t from = box.from + static_cast<int64_t>(column) * box.step +
                             static_cast<int64_t>(row) * box.from_stride[0] +
                             static_cast<int64_t>(i1) * box.from_stride[1] +
                             static_cast<int64_t>(i2) * box.from_stride[2];
        const int64_t to = box.to + static_cast<int64_t>(column + row * box.to_stride[0] +
                                                         i1 * box.to_stride[1] + i2 * box.to_stride[2]);
        if (box.step == 0) {
            Store(zeros.template Get<T>(), to, rows, width, box.to_stride[0]);
        } else if (box.step == 1) {
            Move(box, from, to, rows, width);
        } else {
            Pick(box, from, to, width);
        }
    }

    __aicore__ inline void Store(
        const AscendC::LocalTensor<T>& data, int64_t to, uint32_t rows, uint32_t width, int64_t stride) {
        if (rows == 1 || (stride == width && width % block == 0)) {
            CopyElementsOut(yGm[to], data, rows * width);
            return;
        }
#if KERNEL_HAS_COPY_PAD
        AscendC::DataCopyPad(yGm[to],
                             data,
                             AscendC::DataCopyExtParams(rows,
                                                        width * static_cast<uint32_t>(sizeof(T)),
                                                        0,
                                                        static_cast<uint32_t>((stride - width) * sizeof(T)),
                                                        0));
#else
        for (uint32_t r = 0; r < rows; ++r) {  // whole blocks
            AscendC::DataCopy(yGm[to + r * stride], data[r * width], width);
        }
#endif
    }

    // (rows, width) GM -> UB -> GM
    __aicore__ inline void Move(
        const RearrangeBox& box, int64_t from, int64_t to, uint32_t rows, uint32_t width) {
        AscendC::LocalTensor<T> data = through.template AllocTensor<T>();
        const bool same = box.from_stride[0] == 0;
        const int64_t stride = box.from_stride[0];
        if (rows == 1 || same) {
            CopyElementsIn(data, xGm[from], width);
        } else if (stride == width && width % block == 0) {
            CopyElementsIn(data, xGm[from], rows * width);
        } else {
#if KERNEL_HAS_COPY_PAD
            AscendC::DataCopyPad(
                data,
                xGm[from],
                AscendC::DataCopyExtParams(rows,
                                           width * static_cast<uint32_t>(sizeof(T)),
                                           static_cast<uint32_t>((stride - width) * sizeof(T)),
                                           0,
                                           0),
                AscendC::DataCopyPadExtParams<T>());
#else
            for (uint32_t r = 0; r < rows; ++r) {
                AscendC::DataCopy(data[r * width], xGm[from + r * stride], width);
            }
#endif
        }
        through.EnQue(data);
        data = through.template DeQue<T>();
        if (same) {
            for (uint32_t r = 0; r < rows; ++r) {
                Store(data, to + r * box.to_stride[0], 1, width, width);
            }
        } else {
            Store(data, to, rows, width, box.to_stride[0]);
        }
        through.FreeTensor(data);
    }

    /// One row whose elements lie apart or backwards: all between them comes along, and is left behind.
    __aicore__ inline void Pick(const RearrangeBox& box, int64_t from, int64_t to, uint32_t width) {
        AscendC::LocalTensor<T> data = through.template AllocTensor<T>();
        const uint32_t span = Span(box, width);
        CopyElementsIn(data, xGm[box.step < 0 ? from - (span - 1) : from], span);
        through.EnQue(data);
        data = through.template DeQue<T>();
        const AscendC::TEventID come = pipe.template FetchEventID<AscendC::HardEvent::MTE2_V>();
        AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(come);
        AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(come);
        AscendC::LocalTensor<T> picked = spread.template AllocTensor<T>();
        if (places != width) {
            FindPlaces(box, width);
        }
        AscendC::Gather(picked, data, place.template Get<uint32_t>(), 0, width);
        spread.template EnQue<T>(picked);
        picked = spread.template DeQue<T>();
        CopyElementsOut(yGm[to], picked, width);
        spread.FreeTensor(picked);
        // The queue of `data` is freed by mte3, which comes behind the gather only now.
        through.FreeTensor(data);
    }

    RearrangeTiling t;
    AscendC::GlobalTensor<T> xGm, yGm;
    AscendC::TPipe pipe;
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> through;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> spread;
    AscendC::TBuf<AscendC::TPosition::VECCALC> place, zeros;
    uint32_t places = 0;  // elements whose places are known
};
