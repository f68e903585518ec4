// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "networks/loops/loops.hpp"

namespace ascendsim::networks::loops {

/// One axis of the loop's iterations.
struct Axis {
    std::uint64_t extent = 1;
    bool reduced = false;
};

/// Where the elements of a tensor in global memory lie along the loop's axes.
struct Access {
    std::size_t tensor = 0;  // input or output of the loop
    std::uint64_t offset = 0;
    std::vector<std::uint64_t> strides;  // elements; 0: the same all along the axis

    bool operator==(const Access&) const = default;
};

/// Along which axes of a tile, (rows, width), a value varies.
struct Form {
    bool rows = false;
    bool width = false;

    bool operator==(const Form&) const = default;

    [[nodiscard]] bool dense() const { return rows && width; }

    [[nodiscard]] bool scalar() const { return !rows && !width; }
};

[[nodiscard]] inline Form joined(Form a, Form b) {
    return {a.rows || b.rows, a.width || b.width};
}

/// What the loop's space makes of one of its values.
struct ValueInSpace {
    Form form;
    bool kept = true;                 // does not vary along reduced axes
    std::optional<std::size_t> read;  // it is an element of reads: an input or a view of one
    std::optional<std::size_t> same;  // it is this value by another shape
};

/// The iterations of a loop, and where each tensor lies in them. Axes that all tensors run through alike are
/// merged; the last is the width of a tile, the one before it its rows.
struct Space {
    std::vector<Axis> axes;  // at least two; the one of rows may be of extent 1
    std::vector<Access> reads;
    std::vector<Access> writes;  // one for each output
    std::vector<Form> write_forms;
    std::vector<bool> write_kept;
    std::vector<ValueInSpace> values;  // of the loop's inputs and steps
    bool flat = false;                 // one axis: tensors are runs of elements or single ones

    [[nodiscard]] const Axis& rows() const { return axes[axes.size() - 2]; }

    [[nodiscard]] const Axis& width() const { return axes.back(); }

    [[nodiscard]] bool reduces() const;
    /// Elements that a reduction takes together.
    [[nodiscard]] std::uint64_t reduced_extent() const;
};

/// Lays out a loop's iterations. Throws CannotGenerate.
[[nodiscard]] Space lay_out(const Loop& loop);

}  // namespace ascendsim::networks::loops
