// SPDX-License-Identifier: Apache-2.0
// The vector cores' part of a cube kernel whose activation the cube core has no way for: they take results
// from global memory, where L2 still holds them, and put them back activated.
#pragma once

#include "kernels/shared/activation.h"
#include "kernels/shared/slots.h"

namespace epilogue {

/// Tiles that the cube core may be ahead of its vector cores.
constexpr uint32_t ahead = 8;

/// The cube core's side: call Announce behind the copy that writes a tile, and Finish behind the last one.
class Announcer {
public:
    __aicore__ inline void Announce() {
        if (tiles_ >= ahead) {
            CrossCoreWaitFlag<2, PIPE_FIX>(cube::free_flag);
        }
        CrossCoreSetFlag<2, PIPE_FIX>(cube::ready_flag);
        ++tiles_;
    }

    __aicore__ inline void Finish() { cube::TakeLastSlots<PIPE_FIX>(ahead, tiles_); }

private:
    uint32_t tiles_ = 0;
};

/// A vector core's side.
template <typename T>
class Stripes {
public:
    __aicore__ inline explicit Stripes(const Epilogue& with) : with_(with) {
        pipe_.InitBuffer(in_, 2, most * sizeof(T));
        pipe_.InitBuffer(out_, 2, most * sizeof(T));
        pipe_.InitBuffer(scratch_, scratch_floats * sizeof(float));
    }

    /// Activates (rows, width) elements, rows `pitch` apart, once the cube core has announced them.
    __aicore__ inline void Tile(const GlobalTensor<T>& at, uint32_t rows, uint32_t width, uint32_t pitch) {
        CrossCoreWaitFlag(cube::ready_flag);
        for (uint32_t column = 0; column < width; column += most) {
            const uint32_t part = cube::Smaller(most, width - column);
            const uint32_t wide = cube::CeilTo(part, block);
            const uint32_t at_once = most / wide;
            for (uint32_t row = 0; row < rows; row += at_once) {
                Piece(at[uint64_t{row} * pitch + column],
                      cube::Smaller(at_once, rows - row),
                      part,
                      pitch - part);
            }
        }
        CrossCoreSetFlag<2, PIPE_MTE2>(cube::free_flag);
    }

private:
    static constexpr uint32_t most = 8192;  // elements of a copy
    static constexpr uint32_t block = 32 / sizeof(T);

    __aicore__ inline void Piece(const GlobalTensor<T>& at, uint32_t rows, uint32_t width, uint32_t gap) {
        const DataCopyExtParams shape(static_cast<uint16_t>(rows),
                                      width * static_cast<uint32_t>(sizeof(T)),
                                      gap * static_cast<uint32_t>(sizeof(T)),
                                      0,
                                      0);
        const LocalTensor<T> in = in_.template AllocTensor<T>();
        const uint32_t wide = cube::CeilTo(width, block);
        DataCopyPad(in, at, shape, DataCopyPadExtParams<T>(true, 0, static_cast<uint8_t>(wide - width), T{}));
        in_.EnQue(in);
        const LocalTensor<T> x = in_.template DeQue<T>();
        const LocalTensor<T> y = out_.template AllocTensor<T>();
        Activate(y, x, scratch_.template Get<float>(), with_, rows * wide);
        in_.FreeTensor(x);
        out_.EnQue(y);
        const LocalTensor<T> out = out_.template DeQue<T>();
        DataCopyPad(at, out, DataCopyExtParams(shape.blockCount, shape.blockLen, 0, shape.srcStride, 0));
        out_.FreeTensor(out);
    }

    Epilogue with_;
    TPipe pipe_;
    TQue<TPosition::VECIN, 1> in_;
    TQue<TPosition::VECOUT, 1> out_;
    TBuf<TPosition::VECCALC> scratch_;
};

}  // namespace epilogue
