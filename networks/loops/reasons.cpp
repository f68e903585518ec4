// SPDX-License-Identifier: Apache-2.0
#include "networks/loops/reasons.hpp"

#include <array>
#include <cstddef>

namespace ascendsim::networks::loops {
namespace {

struct ReasonEntry {
    std::string_view name;
    std::string_view meaning;
};

// In the order of Reason.
constexpr std::array<ReasonEntry, 16> reason_entries{{
    {"malformed", "The loop makes no sense"},
    {"empty", "There is nothing to compute"},
    {"element_type", "No vector instruction takes the element type"},
    {"chip_type", "This chip's vector unit has no such element type"},
    {"operator_type", "No vector instruction does this to the element type"},
    {"reduced_axes", "Reductions over different axes cannot share one loop"},
    {"reduced_twice", "A reduction's result would be reduced again over the same axes"},
    {"view_of_result", "An intermediate would have to be moved within the unified buffer"},
    {"inner_stride", "Elements of a row do not lie side by side"},
    {"partial_output", "An output would be written alike by many tiles"},
    {"overlapping_reshape", "A reshape cuts axes that the loop runs over"},
    {"too_many_axes", "The loop has more axes than a kernel's loops"},
    {"too_many_tensors", "The loop has more tensors than a kernel takes"},
    {"buffer_too_small", "A tile does not fit the unified buffer"},
    {"ragged_rows", "Rows are no whole 32-byte blocks, and this chip has no padded copies"},
    {"too_large", "The loop has more elements than the kernel can count"},
}};

}  // namespace

std::string_view name(Reason reason) {
    return reason_entries.at(static_cast<std::size_t>(reason)).name;
}

std::string_view meaning(Reason reason) {
    return reason_entries.at(static_cast<std::size_t>(reason)).meaning;
}

}  // namespace ascendsim::networks::loops
