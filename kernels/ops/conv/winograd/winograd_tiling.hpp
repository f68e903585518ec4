// SPDX-License-Identifier: Apache-2.0
// How winograd.cpp cuts a 3 x 3 convolution of stride 1: the struct its host side fills and its kernels read.
//
//   X [batch, c1, height, width, 16] -> V [batch, a * a, c1, down, across, 16]    each tile's a x a inputs,
//   transformed M [batch, a * a, n1, down, across, 16] = V * U, one product for each of the a * a places
//   (conv2d in groups) M -> Y [batch, n1, out_height, out_width, 16]                                 m x m
//   results of each tile
//
// with a = m + 2 for tiles of m x m results.
#pragma once

#include <cstdint>

namespace winograd {

constexpr std::uint32_t block_bytes =
    32;  // 16 channels of two bytes: what vector instructions take as a block
constexpr std::uint32_t channels = 16;

struct Tiling {
    std::uint32_t batch;
    std::uint32_t blocks_in;  // channels of the images that a kernel reads, by 16: c1, or n1
    std::uint32_t height;     // of X
    std::uint32_t width;
    std::uint32_t out_height;  // of Y
    std::uint32_t out_width;
    std::uint32_t pad;
    std::uint32_t tile;    // m: 2 or 4
    std::uint32_t down;    // tiles below each other
    std::uint32_t across;  // tiles beside each other
    std::uint32_t piece;   // tiles of a row that are worked on at a time
    std::uint32_t room;    // pixels of a row of X in a buffer, or of Y
    std::uint32_t buffers;
};

constexpr std::uint32_t places(const Tiling& t) {
    return t.tile + 2;
}

}  // namespace winograd
