// SPDX-License-Identifier: Apache-2.0
// How conv2d.cpp cuts a convolution: the struct its host side fills and its kernel reads.
//
//   positions of one image's output (row by row): tiles of base_m     channels of the output: tiles of base_n
//   depth: input channels by 16, each with the whole filter; `chunk` of them in L1, step_k blocks of 16 in L0
#pragma once

#include <cstdint>

namespace conv2d {

constexpr std::uint32_t c0 = 16;  // channels of a block

struct Tiling {
    std::uint32_t batch;
    std::uint32_t c1;  // input channels by 16
    std::uint32_t height;
    std::uint32_t width;
    std::uint32_t n1;  // output channels by 16
    std::uint32_t filter_h;
    std::uint32_t filter_w;
    std::uint32_t stride;
    std::uint32_t pad;
    std::uint32_t out_height;
    std::uint32_t out_width;
    std::uint32_t base_m;   // positions, a multiple of 16
    std::uint32_t base_n;   // channels, a multiple of 16
    std::uint32_t chunk;    // blocks of input channels in L1
    std::uint32_t step_k;   // blocks of depth in L0
    std::uint32_t l1_rows;  // input rows a tile needs at most
};

constexpr std::uint32_t filter_size(const Tiling& t) {
    return t.filter_h * t.filter_w;
}

}  // namespace conv2d
