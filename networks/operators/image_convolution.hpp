// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "networks/operators/steps.hpp"
#include "networks/operators/windows.hpp"

namespace ascendsim::networks {

/// A convolution as the kernel conv2d does it: images of two axes, whose filters are
/// [groups * outputs, inputs, taps].
struct ImageConvolution {
    std::uint64_t batch = 1;
    std::uint64_t groups = 1;
    std::uint64_t inputs = 1;   // channels of a group
    std::uint64_t outputs = 1;  // channels of a group
    WindowAxis rows;
    WindowAxis columns;
    std::vector<Arrange> of_images;   // to NCHW, one after the other
    std::vector<Arrange> of_filters;  // to the order above
    std::vector<Arrange> of_bias;     // to one for each of groups * outputs
    std::vector<Arrange> of_results;  // from NCHW
    bool covered = true;              // every result is one of the kernel's, none a place between them

    [[nodiscard]] host::Shape in() const {
        return {batch,
                groups * inputs,
                static_cast<std::uint64_t>(rows.extent),
                static_cast<std::uint64_t>(columns.extent)};
    }

    [[nodiscard]] host::Shape out() const {
        return {batch,
                groups * outputs,
                static_cast<std::uint64_t>(rows.out),
                static_cast<std::uint64_t>(columns.out)};
    }

    [[nodiscard]] std::uint64_t taps() const { return static_cast<std::uint64_t>(rows.taps * columns.taps); }
};

/// Elements of a result by their places in the operand; -1: zero.
[[nodiscard]] Arrange by_places(std::uint64_t count, std::function<std::int64_t(std::uint64_t)> place);

/// True if the kernel conv2d can do it; wide images are cut into strips that fit the chip's buffers, and long
/// windows beside each other become channels.
[[nodiscard]] bool fit(ImageConvolution& conv, const ChipSpec& chip);

/// The kernel conv2d on x and w, of a convolution that fits; the result has this shape. Between convolutions
/// tensors keep the blocks of channels that the cube takes, so that arranging them takes no time.
[[nodiscard]] Part by_conv2d(Steps& steps,
                             ImageConvolution conv,
                             const Part& x,
                             const Part& w,
                             const host::Shape& shape,
                             const Finish& finish = {});

/// The convolution of x with filters w that the attributes of the node state, as Conv has it; without a bias.
[[nodiscard]] Part convolved(Steps& steps, const Part& x, const Part& w);

}  // namespace ascendsim::networks
