// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ascendsim::runtime {

/// What L2 holds when the first launch starts.
enum class L2State : std::uint8_t {
    cold,     // nothing
    warm,     // the inputs, as far as they fit, clean
    used,     // lines of other kernels, a quarter of them dirty (assumed), as in the middle of a network
    chained,  // as used, and the first input dirty, as far as it fits: the kernel before has just written it
    dirty,    // lines of a buffer that was just written, as by a benchmark that flushes L2 with a memset
};

inline constexpr std::array<std::string_view, 5> l2_state_names{"cold", "warm", "used", "chained", "dirty"};

[[nodiscard]] constexpr std::string_view name(L2State l2) {
    return l2_state_names[static_cast<std::size_t>(l2)];
}

}  // namespace ascendsim::runtime
