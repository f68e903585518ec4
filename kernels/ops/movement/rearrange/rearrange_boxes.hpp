// SPDX-License-Identifier: Apache-2.0
// Which boxes of elements a rearrangement copies.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/plan/knob.hpp"

namespace ascendsim::host {

/// An axis of a box: how many elements, and how far apart in x and in y. Distances may be negative, or 0 in
/// x.
struct BoxAxis {
    std::uint64_t extent;
    std::int64_t from;
    std::int64_t to;
};

/// A box before tiling: outermost axis first.
struct Box {
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::vector<BoxAxis> axes;
    bool zeros = false;
};

/// Distance of each axis' neighbours in a dense tensor.
[[nodiscard]] inline std::vector<std::int64_t> dense_strides(const Shape& shape) {
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) {
        strides[i - 1] = strides[i] * static_cast<std::int64_t>(shape[i]);
    }
    return strides;
}

/// `shape`, with distances in x and y.
[[nodiscard]] inline std::vector<BoxAxis> box_axes(const Shape& shape,
                                                   const std::vector<std::int64_t>& from,
                                                   const std::vector<std::int64_t>& to) {
    std::vector<BoxAxis> axes;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        axes.push_back({shape[i], from[i], to[i]});
    }
    return axes;
}

/// Axes that are neighbours in x as well as in y become one; those of one element go.
[[nodiscard]] inline std::vector<BoxAxis> merged(const std::vector<BoxAxis>& axes) {
    std::vector<BoxAxis> result;
    for (const BoxAxis& axis : axes) {
        const auto extent = static_cast<std::int64_t>(axis.extent);
        if (axis.extent == 1) {
            continue;
        }
        if (!result.empty() && result.back().from == extent * axis.from &&
            result.back().to == extent * axis.to) {
            result.back() = {result.back().extent * axis.extent, axis.from, axis.to};
        } else {
            result.push_back(axis);
        }
    }
    return result;
}

/// Tensors of `widths` along an axis, one behind the other, that together are `shape`; joined or taken apart.
[[nodiscard]] inline std::vector<Box> boxes_of_parts(const Shape& shape,
                                                     std::size_t axis,
                                                     const Shape& widths,
                                                     bool join) {
    std::vector<Box> boxes;
    const std::vector<std::int64_t> whole = dense_strides(shape);
    std::int64_t parts_at = 0;
    std::int64_t whole_at = 0;
    for (const std::uint64_t width : widths) {
        Shape part = shape;
        part[axis] = width;
        const std::vector<std::int64_t> own = dense_strides(part);
        boxes.push_back(join ? Box{parts_at, whole_at, box_axes(part, own, whole)}
                             : Box{whole_at, parts_at, box_axes(part, whole, own)});
        parts_at += static_cast<std::int64_t>(elements(part));
        whole_at += static_cast<std::int64_t>(width) * whole[axis];
    }
    return boxes;
}

/// Every `step`-th element from `begin` on, `out` of them; back to front along the axes in `flipped`.
[[nodiscard]] inline std::vector<Box> boxes_of_slice(
    const Shape& shape, const Shape& begin, const Shape& out, const Shape& step, const Shape& flipped) {
    const std::vector<std::int64_t> strides = dense_strides(shape);
    std::vector<std::int64_t> from = strides;
    std::int64_t first = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        from[i] *= static_cast<std::int64_t>(step[i]);
        first += static_cast<std::int64_t>(begin[i]) * strides[i];
    }
    for (const std::uint64_t axis : flipped) {
        from[axis] = -from[axis];
    }
    return {{first, 0, box_axes(out, from, dense_strides(out))}};
}

/// `shape` in the middle of `out`, `begin` elements before it on each axis, zeros around.
[[nodiscard]] inline std::vector<Box> boxes_of_pad(const Shape& shape, const Shape& begin, const Shape& out) {
    const std::vector<std::int64_t> to = dense_strides(out);
    std::int64_t first = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        first += static_cast<std::int64_t>(begin[i]) * to[i];
    }
    std::vector<Box> boxes{{0, first, box_axes(shape, dense_strides(shape), to)}};
    // What lies before and behind along axis i, within the tensor along those before it, whole along those
    // behind.
    for (std::size_t i = 0; i < shape.size(); ++i) {
        for (const bool behind : {false, true}) {
            const std::uint64_t extent = behind ? out[i] - begin[i] - shape[i] : begin[i];
            if (extent == 0) {
                continue;
            }
            Box box{0, 0, {}, true};
            for (std::size_t k = 0; k < shape.size(); ++k) {
                const std::uint64_t n = k < i ? shape[k] : k == i ? extent : out[k];
                const std::uint64_t at = k < i ? begin[k] : k == i && behind ? begin[i] + shape[i] : 0;
                box.to += static_cast<std::int64_t>(at) * to[k];
                box.axes.push_back({n, to[k], to[k]});
            }
            boxes.push_back(box);
        }
    }
    return boxes;
}

/// `shape` as often as `repeats` says along each axis.
[[nodiscard]] inline std::vector<Box> boxes_of_tile(const Shape& shape, const Shape& repeats) {
    Shape out;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        out.push_back(shape[i] * repeats[i]);
    }
    const std::vector<std::int64_t> from = dense_strides(shape);
    const std::vector<std::int64_t> to = dense_strides(out);
    Box box;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        box.axes.push_back({repeats[i], 0, to[i] * static_cast<std::int64_t>(shape[i])});
        box.axes.push_back({shape[i], from[i], to[i]});
    }
    return {box};
}

}  // namespace ascendsim::host
