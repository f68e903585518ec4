// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "sim/base/error.hpp"

namespace ascendsim::networks::loops {

/// Why a loop becomes no kernel.
enum class Reason : std::uint8_t {
    malformed,            // indices, shapes or constants that make no sense
    empty,                // a tensor without elements, or nothing to compute
    element_type,         // no vector instruction takes the type
    chip_type,            // not on this chip
    operator_type,        // the operator has no instruction for this type
    reduced_axes,         // reductions over different axes
    reduced_twice,        // a reduction's result is reduced again over the same axes
    view_of_result,       // a transposed or sliced intermediate
    inner_stride,         // elements of a row that do not lie side by side
    partial_output,       // an output that many tiles would write alike
    overlapping_reshape,  // a reshape that cuts axes differently
    too_many_axes,        // more than the loops of a kernel
    too_many_tensors,     // more than a kernel's arguments
    buffer_too_small,     // a tile does not fit the unified buffer
    ragged_rows,          // rows of no whole blocks, on a chip without padded copies
    too_large             // more elements than the kernel's counters hold
};

/// The reason's code, as in "reduced_axes".
[[nodiscard]] std::string_view name(Reason reason);

/// What the reason means, in a sentence.
[[nodiscard]] std::string_view meaning(Reason reason);

/// A loop that cannot become a kernel, with its reason and the numbers of this case.
class CannotGenerate : public UserError {
public:
    CannotGenerate(Reason reason, const std::string& detail)
        : UserError{"{}: {}", meaning(reason), detail}, reason_{reason} {}

    [[nodiscard]] Reason reason() const { return reason_; }

private:
    Reason reason_;
};

}  // namespace ascendsim::networks::loops
