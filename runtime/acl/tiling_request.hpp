// SPDX-License-Identifier: Apache-2.0
// What is asked of an operator's own tiling function, and what it answers. The function is the user's host
// code (op_host/<operator>.cpp), compiled to a plug-in that exports `ascendsim_tiling`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ascendsim::tiling {

/// A tensor as the framework describes it: extents, and the element type by the graph engine's number.
struct TensorRequest {
    std::vector<std::int64_t> shape;
    std::int32_t type = 0;
};

using AttributeValue = std::variant<std::int64_t,
                                    double,
                                    bool,
                                    std::string,
                                    std::vector<std::int64_t>,
                                    std::vector<double>,
                                    std::vector<bool>,
                                    std::vector<std::vector<std::int64_t>>>;

struct Request {
    /// Of the kernel's arguments but workspace and tiling, in order: inputs, then outputs, as the operator
    /// counts them.
    std::vector<TensorRequest> tensors;
    std::vector<std::pair<std::string, AttributeValue>> attributes;  // instead of the operator's defaults
};

struct Answer {
    std::string error;  // a sentence; empty if all is well
    std::vector<std::byte> data;
    std::uint32_t blocks = 1;
    std::uint64_t key = 0;
    std::uint64_t workspace = 0;     // B, of all workspaces
    std::vector<std::string> names;  // of inputs and outputs, in order
};

inline constexpr const char* tiling_symbol = "ascendsim_tiling";
using TilingFunction = void (*)(const Request&, Answer&);

}  // namespace ascendsim::tiling
