// SPDX-License-Identifier: Apache-2.0
// The plain convolution, in doubles, that functional runs of conv2d.cpp are held against.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/ops/conv/conv2d/conv2d_tiling.hpp"

namespace conv2d {

/// One image's sums of products, and those of their magnitudes, [output position][output channel].
struct ReferenceSums {
    std::vector<double> values;
    std::vector<double> magnitudes;
    std::size_t channels = 0;
};

/// Sums for all output channels and some positions side by side, so that a compiler makes vectors of them and
/// weights are read once for those positions. Each sum adds its products tap after tap, and a tap's in order
/// of the input channels.
class Reference {
public:
    /// `x` is NC1HWC0, `w` (C1*KH*KW, N1, 16, C0), both with `c0` channels in a block; `x` must outlive it.
    Reference(const Tiling& t, std::uint32_t c0, const std::vector<float>& x, const std::vector<float>& w)
        : t_{t}, c0_{c0}, x_{x}, taps_{filter_size(t)}, outputs_{t.n1 / t.groups * n0}, weights_(w.size()) {
        const std::size_t blocks = w.size() / outputs_ / c0;
        for (std::size_t block = 0; block < blocks; ++block) {
            for (std::size_t n = 0; n < outputs_; ++n) {
                for (std::size_t c = 0; c < c0; ++c) {
                    weights_[(block * c0 + c) * outputs_ + n] = w[(block * outputs_ + n) * c0 + c];
                }
            }
        }
    }

    [[nodiscard]] ReferenceSums of_image(std::uint32_t image) const {
        const std::size_t plane = std::size_t{t_.out_height} * t_.out_width;
        ReferenceSums sums;
        sums.channels = std::size_t{t_.groups} * outputs_;
        sums.values.assign(plane * sums.channels, 0.0);
        sums.magnitudes.assign(plane * sums.channels, 0.0);
        for (std::uint32_t group = 0; group < t_.groups; ++group) {
            for (std::size_t first = 0; first < outputs_; first += strip) {
                for (std::size_t at = 0; at < plane; at += positions) {
                    const Tile tile{image, group, first, at, std::min(positions, plane - at)};
                    add(tile, sums);
                }
            }
        }
        return sums;
    }

private:
    // Output channels and positions of a tile, whose sums take 16 KiB of the L1 cache.
    static constexpr std::size_t strip = 256;
    static constexpr std::size_t positions = 4;

    struct Tile {
        std::uint32_t image;
        std::uint32_t group;
        std::size_t first;  // of the group's output channels
        std::size_t at;     // of the output positions
        std::size_t count;
    };

    void add(const Tile& tile, ReferenceSums& sums) const {
        const std::uint32_t of_group = t_.c1 / t_.groups;  // blocks of input channels
        const std::size_t width = std::min(strip, outputs_ - tile.first);
        for (std::uint32_t tap = 0; tap < taps_; ++tap) {
            std::array<std::optional<std::size_t>, positions> from;
            for (std::size_t p = 0; p < tile.count; ++p) {
                from[p] = position_under(tap, tile.at + p);
            }
            for (std::uint32_t block = tile.group * of_group; block < (tile.group + 1) * of_group; ++block) {
                const std::size_t plane = (std::size_t{tile.image} * t_.c1 + block) * t_.height * t_.width;
                for (std::uint32_t c = 0; c < c0_; ++c) {
                    const float* weights =
                        &weights_[((std::size_t{block} * taps_ + tap) * c0_ + c) * outputs_ + tile.first];
                    for (std::size_t p = 0; p < tile.count; ++p) {
                        if (from[p]) {
                            const std::size_t to =
                                (tile.at + p) * sums.channels + tile.group * outputs_ + tile.first;
                            multiply(x_[(plane + *from[p]) * c0_ + c],
                                     weights,
                                     width,
                                     &sums.values[to],
                                     &sums.magnitudes[to]);
                        }
                    }
                }
            }
        }
    }

    static void multiply(
        double x, const float* weights, std::size_t count, double* values, double* magnitudes) {
        for (std::size_t n = 0; n < count; ++n) {
            const double product = x * weights[n];
            values[n] += product;
            magnitudes[n] += std::abs(product);
        }
    }

    /// Where in an image's plane the filter's tap stands for an output position; none in the padding.
    [[nodiscard]] std::optional<std::size_t> position_under(std::uint32_t tap, std::size_t at) const {
        const std::size_t row = at / t_.out_width * t_.stride_h + tap / t_.filter_w * t_.dilation_h;
        const std::size_t column = at % t_.out_width * t_.stride_w + tap % t_.filter_w * t_.dilation_w;
        if (row < t_.pad_top || column < t_.pad_left || row >= t_.height + t_.pad_top ||
            column >= t_.width + t_.pad_left) {
            return std::nullopt;
        }
        return (row - t_.pad_top) * t_.width + column - t_.pad_left;
    }

    const Tiling& t_;
    std::uint32_t c0_;
    const std::vector<float>& x_;
    std::uint32_t taps_;
    std::size_t outputs_;         // channels of one group
    std::vector<float> weights_;  // [input block][tap][c0][output channel of the group]
};

}  // namespace conv2d
