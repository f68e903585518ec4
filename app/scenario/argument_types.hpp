// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/plan/plan.hpp"
#include "toolchain/scan/entry_scan.hpp"

namespace ascendsim::scenario {

/// An argument as a scenario gives it.
struct GivenArgument {
    std::string name;
    std::optional<isa::DataType> value;  // of one by value its type; none for addresses and structs
    bool address = false;
};

/// Holds the types of a launch's arguments against what the kernel's text takes them for: in
/// `SetGlobalBuffer((__gm__ half*)x)`, x is half, and `uint32_t total` is a uint32 by value. `given` are the
/// launch's arguments in order. Returns a sentence for the first that cannot be right; empty if there is
/// none. Where the text names several types of a tensor or none, any is right; so are bytes, and numbers as
/// wide as the kernel's that stand for their bits. A value's bits mean one thing: whole numbers of one width
/// are as good as each other, and nothing else is.
[[nodiscard]] std::string wrong_type(const toolchain::ScannedEntry& entry,
                                     std::string_view text,
                                     const std::vector<GivenArgument>& given,
                                     const std::vector<host::Buffer>& buffers);

}  // namespace ascendsim::scenario
