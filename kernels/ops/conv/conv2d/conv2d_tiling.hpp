// SPDX-License-Identifier: Apache-2.0
// How conv2d.cpp cuts a convolution: the struct its host side fills and its kernel reads.
//
//   positions of one image's output (row by row): tiles of base_m     channels of a group's output: tiles of
//   base_n depth: a group's input channels by c0, each with the whole filter; `chunk` of them in L1, step_k
//   blocks of c0 in L0
#pragma once

#include <cstdint>

namespace conv2d {

constexpr std::uint32_t n0 = 16;           // output channels of a block, the cube's columns
constexpr std::uint32_t block_bytes = 32;  // of c0 input channels: 16 of two bytes, 8 of four

struct Tiling {
    std::uint32_t batch;
    std::uint32_t c1;  // input channels by c0
    std::uint32_t height;
    std::uint32_t width;
    std::uint32_t n1;      // output channels by 16
    std::uint32_t groups;  // each has c1 / groups blocks of input and n1 / groups blocks of output channels
    std::uint32_t filter_h;
    std::uint32_t filter_w;
    std::uint32_t stride_h;
    std::uint32_t stride_w;
    std::uint32_t dilation_h;
    std::uint32_t dilation_w;
    std::uint32_t pad_top;
    std::uint32_t pad_left;
    std::uint32_t pad_bottom;
    std::uint32_t pad_right;
    std::uint32_t out_height;
    std::uint32_t out_width;
    std::uint32_t base_m;   // positions, a multiple of 16
    std::uint32_t base_n;   // channels, a multiple of 16
    std::uint32_t chunk;    // blocks of input channels in L1
    std::uint32_t step_k;   // blocks of depth in L0
    std::uint32_t l1_rows;  // input rows a tile needs at most
    std::uint32_t results;  // tiles L0C holds: 2 lets one be written while the next is summed
    std::uint32_t hf32;     // 1: fp32 values are rounded to HF32 before they are multiplied
};

constexpr std::uint32_t filter_size(const Tiling& t) {
    return t.filter_h * t.filter_w;
}

/// Rows, or columns, of the image from the filter's first tap to its last.
constexpr std::uint32_t reach(std::uint32_t filter, std::uint32_t dilation) {
    return (filter - 1) * dilation + 1;
}

}  // namespace conv2d
