// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/plan/plan.hpp"
#include "toolchain/scan/entry_scan.hpp"

namespace ascendsim::scenario {

/// Holds the types of a launch's arguments against what the kernel's text takes them for: in
/// `SetGlobalBuffer((__gm__ half*)x)`, x is half. Returns a sentence for the first that cannot be right;
/// empty if there is none. Where the text names several types or none, any is right; so are bytes, and
/// numbers as wide as the kernel's that stand for their bits.
[[nodiscard]] std::string wrong_type(const toolchain::ScannedEntry& entry,
                                     std::string_view text,
                                     const host::Launch& launch,
                                     const std::vector<host::Buffer>& buffers);

}  // namespace ascendsim::scenario
