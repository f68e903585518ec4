// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/validation/family.hpp"

namespace ascendsim::validation {

/// Images (N, C, H, W) and a filter (O, C / groups, K, K), or (C, K, K) of a depthwise convolution, by
/// conv2d.cpp, after and before the kernels that reorder them, as the row lists those or the operator library
/// chooses them on Atlas A2. The gradient of the images is a convolution of the gradient with the filter
/// turned round: as many products.
[[nodiscard]] Adapted convolution_case(
    const Row& row, const Context& context, const Extents& x, const Extents& w, bool gradient);

/// The gradient of a filter from images (N, C, [D,] H, W) and the results' gradient (N, O, [D,] H, W), by
/// conv_filter_grad.cpp between the kernels that reorder both and the result.
[[nodiscard]] Adapted filter_grad_case(const Row& row,
                                       const Context& context,
                                       const Extents& x,
                                       const Extents& g);

}  // namespace ascendsim::validation
