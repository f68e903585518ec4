// SPDX-License-Identifier: Apache-2.0
// How conv_filter_grad.cpp cuts the gradient of a filter: the struct its host side fills and its kernel
// reads.
//
//   rows: output channels, tiles of base_m      columns: input channels by 16, each with a plane of the
//   filter's taps: tiles of base_n in each plane of the filter          depth: positions of all output
//   planes, `chunk` of them in L1, step_k in L0
#pragma once

#include <cstdint>

namespace conv_filter_grad {

constexpr std::uint32_t c0 = 16;  // channels of a block

struct Tiling {
    std::uint32_t batch;
    std::uint32_t m1;  // output channels by 16
    std::uint32_t c1;  // input channels by 16
    std::uint32_t depth;
    std::uint32_t height;
    std::uint32_t width;
    std::uint32_t filter_depth;
    std::uint32_t filter;  // rows and columns
    std::uint32_t stride;
    std::uint32_t dilation;
    std::uint32_t pad_depth;
    std::uint32_t pad;
    std::uint32_t out_depth;
    std::uint32_t out_height;
    std::uint32_t out_width;
    std::uint32_t base_m;   // channels, a multiple of 16
    std::uint32_t base_n;   // columns, a multiple of 16
    std::uint32_t chunk;    // positions in L1, a multiple of step_k
    std::uint32_t step_k;   // positions in L0, a multiple of 16
    std::uint32_t rows;     // of x that a chunk needs at most
    std::uint32_t slices;   // blocks of input channels that a tile needs at most
    std::uint32_t results;  // tiles L0C holds
};

constexpr std::uint32_t taps(const Tiling& t) {
    return t.filter * t.filter;
}

constexpr std::uint32_t parts(std::uint32_t value, std::uint32_t unit) {
    return (value + unit - 1) / unit;
}

constexpr std::uint32_t tiles_m(const Tiling& t) {
    return parts(t.m1 * c0, t.base_m);
}

/// Of one plane of the filter.
constexpr std::uint32_t tiles_n(const Tiling& t) {
    return parts(t.c1 * taps(t) * c0, t.base_n);
}

/// A tile with one plane of one image's output.
constexpr std::uint32_t units(const Tiling& t) {
    return tiles_m(t) * tiles_n(t) * t.filter_depth * t.batch * t.out_depth;
}

}  // namespace conv_filter_grad
