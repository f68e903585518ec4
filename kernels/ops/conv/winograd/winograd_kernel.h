// SPDX-License-Identifier: Apache-2.0
// Transforms of Winograd's convolutions F(2 x 2, 3 x 3) and F(4 x 4, 3 x 3) on vector cores (Lavin and Gray
// 2015, "Fast algorithms for convolutional neural networks"), in float16. Sixteen channels of a pixel are a
// block of 32 bytes, so that a column of tiles is a row of blocks with a distance of m: one instruction takes
// 8 tiles a repeat.
#pragma once

#include "kernel_operator.h"
#include "kernels/ops/conv/winograd/winograd_tiling.hpp"

namespace winograd {

using AscendC::BinaryRepeatParams;
using AscendC::DataCopy;
using AscendC::GlobalTensor;
using AscendC::LocalTensor;
using AscendC::UnaryRepeatParams;

constexpr uint32_t most_places = 6;

/// B^T for tiles of 2 and 4: what an a-vector of inputs becomes.
constexpr float inputs_of_2[4][most_places] = {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};
constexpr float inputs_of_4[6][most_places] = {{4, 0, -5, 0, 1, 0},
                                               {0, -4, -4, 1, 1, 0},
                                               {0, 4, -4, -1, 1, 0},
                                               {0, -2, -1, 2, 1, 0},
                                               {0, 2, -1, -2, 1, 0},
                                               {0, 4, 0, -5, 0, 1}};
/// A^T: what an a-vector of products becomes.
constexpr float results_of_2[2][most_places] = {{1, 1, 1, 0}, {0, 1, -1, -1}};
constexpr float results_of_4[4][most_places] = {
    {1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}};

/// Blocks of 16 channels: `count` of them, `apart` blocks from one to the next.
struct Blocks {
    LocalTensor<half> at;
    uint32_t apart;
};

/// to = sum of factors[k] * from(k), block by block.
template <typename From>
__aicore__ inline void Combine(
    const Blocks& to, const From& from, const float* factors, uint32_t terms, uint32_t count) {
    constexpr uint32_t repeat_blocks = 8;
    const auto to_block = static_cast<uint16_t>(to.apart);
    const auto to_repeat = static_cast<uint16_t>(to.apart * repeat_blocks);
    const auto part = [&](const LocalTensor<half>& dst, uint32_t at, uint64_t mask, uint8_t repeats) {
        bool first = true;
        for (uint32_t k = 0; k < terms; ++k) {
            if (factors[k] == 0.0f) {
                continue;
            }
            const Blocks term = from(k);
            const LocalTensor<half> src = term.at[at * term.apart * channels];
            const UnaryRepeatParams params(to_block,
                                           static_cast<uint16_t>(term.apart),
                                           static_cast<uint8_t>(to_repeat),
                                           static_cast<uint8_t>(term.apart * repeat_blocks));
            const auto factor = static_cast<half>(factors[k]);
            if (first) {
                AscendC::Muls(dst, src, factor, mask, repeats, params);
            } else {
                AscendC::Axpy(dst, src, factor, mask, repeats, params);
            }
            AscendC::PipeBarrier<PIPE_V>();
            first = false;
        }
    };
    const uint32_t whole = count / repeat_blocks;
    constexpr uint32_t most_repeats = 255;
    for (uint32_t done = 0; done < whole; done += most_repeats) {
        const uint32_t repeats = whole - done < most_repeats ? whole - done : most_repeats;
        part(to.at[done * repeat_blocks * to.apart * channels],
             done * repeat_blocks,
             repeat_blocks * channels,
             static_cast<uint8_t>(repeats));
    }
    if (const uint32_t left = count % repeat_blocks; left != 0) {
        part(to.at[whole * repeat_blocks * to.apart * channels], whole * repeat_blocks, left * channels, 1);
    }
}

/// Pieces of rows of tiles, shared by the cores.
struct Piece {
    uint64_t plane;   // image and block of channels
    uint32_t row;     // of tiles
    uint32_t column;  // first tile
    uint32_t tiles;

    __aicore__ inline Piece(const Tiling& t, uint64_t number) {
        const uint32_t across = (t.across + t.piece - 1) / t.piece;
        column = number % across * t.piece;
        tiles = t.across - column < t.piece ? t.across - column : t.piece;
        row = number / across % t.down;
        plane = number / across / t.down;
    }

    __aicore__ inline static uint64_t All(const Tiling& t) {
        return static_cast<uint64_t>(t.batch) * t.blocks_in * t.down * ((t.across + t.piece - 1) / t.piece);
    }
};

/// V = B^T d B of each tile's inputs d.
class Inputs {
public:
    __aicore__ inline Inputs(GM_ADDR x, GM_ADDR v, const Tiling& tiling) : t_(tiling) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x));
        v_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(v));
        const uint32_t a = places(t_);
        pipe_.InitBuffer(in_, t_.buffers, a * t_.room * block_bytes);
        pipe_.InitBuffer(out_, t_.buffers, a * a * t_.piece * block_bytes);
        pipe_.InitBuffer(rows_, t_.room * block_bytes);
    }

    __aicore__ inline void Run() {
        for (uint64_t i = AscendC::GetBlockIdx(); i < Piece::All(t_); i += AscendC::GetBlockNum()) {
            const Piece piece(t_, i);
            Load(piece);
            Transform(piece.tiles);
            Store(piece);
        }
    }

private:
    // Rows of X that the piece's tiles see, with zeros around the image.
    __aicore__ inline void Load(const Piece& piece) {
        const uint32_t a = places(t_);
        const uint32_t seen = piece.tiles * t_.tile + 2;
        const int64_t top = static_cast<int64_t>(piece.row) * t_.tile - t_.pad;
        const int64_t left = static_cast<int64_t>(piece.column) * t_.tile - t_.pad;
        const int64_t from = left < 0 ? 0 : left;
        const int64_t until = left + seen < t_.width ? left + seen : t_.width;
        LocalTensor<half> x = in_.AllocTensor<half>();
        if (top < 0 || left < 0 || top + a > t_.height || left + seen > t_.width) {
            AscendC::Duplicate(x, static_cast<half>(0.0f), static_cast<int32_t>(a * t_.room * channels));
            const auto event =
                static_cast<AscendC::TEventID>(GetTPipePtr()->FetchEventID(AscendC::HardEvent::V_MTE2));
            AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(event);
            AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(event);
        }
        for (uint32_t i = 0; i < a && from < until; ++i) {
            const int64_t row = top + i;
            if (row >= 0 && row < t_.height) {
                DataCopy(x[(i * t_.room + static_cast<uint32_t>(from - left)) * channels],
                         x_[((piece.plane * t_.height + row) * t_.width + from) * channels],
                         static_cast<uint32_t>(until - from) * channels);
            }
        }
        in_.EnQue(x);
    }

    __aicore__ inline void Transform(uint32_t tiles) {
        const uint32_t a = places(t_);
        const float(*factors)[most_places] = t_.tile == 2 ? inputs_of_2 : inputs_of_4;
        LocalTensor<half> x = in_.DeQue<half>();
        LocalTensor<half> v = out_.AllocTensor<half>();
        const LocalTensor<half> row = rows_.Get<half>();
        for (uint32_t i = 0; i < a; ++i) {
            Combine(
                {row, 1},
                [&](uint32_t k) {
                    return Blocks{x[k * t_.room * channels], 1};
                },
                factors[i],
                a,
                tiles * t_.tile + 2);
            for (uint32_t j = 0; j < a; ++j) {
                Combine(
                    {v[(i * a + j) * t_.piece * channels], 1},
                    [&](uint32_t k) {
                        return Blocks{row[k * channels], t_.tile};
                    },
                    factors[j],
                    a,
                    tiles);
            }
        }
        in_.FreeTensor(x);
        out_.EnQue(v);
    }

    __aicore__ inline void Store(const Piece& piece) {
        const uint32_t a = places(t_);
        const uint64_t image = piece.plane / t_.blocks_in;
        const uint64_t block = piece.plane % t_.blocks_in;
        LocalTensor<half> v = out_.DeQue<half>();
        for (uint32_t place = 0; place < a * a; ++place) {
            const uint64_t plane = (image * a * a + place) * t_.blocks_in + block;
            DataCopy(v_[((plane * t_.down + piece.row) * t_.across + piece.column) * channels],
                     v[place * t_.piece * channels],
                     piece.tiles * channels);
        }
        out_.FreeTensor(v);
    }

    const Tiling t_;
    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::QuePosition::VECIN, 2> in_;
    AscendC::TQue<AscendC::QuePosition::VECOUT, 2> out_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> rows_;
    GlobalTensor<half> x_;
    GlobalTensor<half> v_;
};

/// Y = A^T m A of each tile's products m.
class Results {
public:
    __aicore__ inline Results(GM_ADDR m, GM_ADDR y, const Tiling& tiling) : t_(tiling) {
        m_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(m));
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(y));
        const uint32_t a = places(t_);
        pipe_.InitBuffer(in_, t_.buffers, a * a * t_.piece * block_bytes);
        pipe_.InitBuffer(out_, t_.buffers, t_.tile * t_.room * block_bytes);
        pipe_.InitBuffer(rows_, a * t_.piece * block_bytes);
    }

    __aicore__ inline void Run() {
        for (uint64_t i = AscendC::GetBlockIdx(); i < Piece::All(t_); i += AscendC::GetBlockNum()) {
            const Piece piece(t_, i);
            Load(piece);
            Transform(piece.tiles);
            Store(piece);
        }
    }

private:
    __aicore__ inline void Load(const Piece& piece) {
        const uint32_t a = places(t_);
        const uint64_t image = piece.plane / t_.blocks_in;
        const uint64_t block = piece.plane % t_.blocks_in;
        LocalTensor<half> m = in_.AllocTensor<half>();
        for (uint32_t place = 0; place < a * a; ++place) {
            const uint64_t plane = (image * a * a + place) * t_.blocks_in + block;
            DataCopy(m[place * piece.tiles * channels],
                     m_[((plane * t_.down + piece.row) * t_.across + piece.column) * channels],
                     piece.tiles * channels);
        }
        in_.EnQue(m);
    }

    __aicore__ inline void Transform(uint32_t tiles) {
        const uint32_t a = places(t_);
        const float(*factors)[most_places] = t_.tile == 2 ? results_of_2 : results_of_4;
        LocalTensor<half> m = in_.DeQue<half>();
        LocalTensor<half> y = out_.AllocTensor<half>();
        const LocalTensor<half> row = rows_.Get<half>();
        for (uint32_t i = 0; i < t_.tile; ++i) {
            Combine(
                {row, 1},
                [&](uint32_t k) {
                    return Blocks{m[k * a * tiles * channels], 1};
                },
                factors[i],
                a,
                a * tiles);
            for (uint32_t j = 0; j < t_.tile; ++j) {
                Combine(
                    {y[(i * t_.room + j) * channels], t_.tile},
                    [&](uint32_t k) {
                        return Blocks{row[k * tiles * channels], 1};
                    },
                    factors[j],
                    a,
                    tiles);
            }
        }
        in_.FreeTensor(m);
        out_.EnQue(y);
    }

    // What of the tiles lies within Y.
    __aicore__ inline void Store(const Piece& piece) {
        const uint32_t row = piece.row * t_.tile;
        const uint32_t column = piece.column * t_.tile;
        const uint32_t right = t_.out_width - column;
        const uint32_t pixels = piece.tiles * t_.tile < right ? piece.tiles * t_.tile : right;
        LocalTensor<half> y = out_.DeQue<half>();
        for (uint32_t i = 0; i < t_.tile && row + i < t_.out_height; ++i) {
            DataCopy(y_[((piece.plane * t_.out_height + row + i) * t_.out_width + column) * channels],
                     y[i * t_.room * channels],
                     pixels * channels);
        }
        out_.FreeTensor(y);
    }

    const Tiling t_;
    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::QuePosition::VECIN, 2> in_;
    AscendC::TQue<AscendC::QuePosition::VECOUT, 2> out_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> rows_;
    GlobalTensor<half> m_;
    GlobalTensor<half> y_;
};

}  // namespace winograd
