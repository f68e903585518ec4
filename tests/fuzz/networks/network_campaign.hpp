// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ascendsim::fuzz {

/// What came of random networks, fused and not.
struct NetworkOutcome {
    std::size_t networks = 0;
    std::size_t joined = 0;      // networks in which something was
    std::size_t kernels = 0;     // that were generated
    std::size_t rewritings = 0;  // by patterns
    std::size_t compared = 0;    // elements
    std::vector<std::string> differences;
};

/// Computes the networks of `count` seeds from `first` on as they are, and with all joined that can be, on
/// the simulated chip with the hazard checker on. Both are compared with float64, and with each other. `each`
/// of them share one machine in one process and one source of generated kernels; `jobs` processes at a time.
[[nodiscard]] NetworkOutcome run_networks(std::uint32_t first,
                                          std::size_t count,
                                          const std::string& chip,
                                          std::size_t each = 25,
                                          std::size_t jobs = 1);

}  // namespace ascendsim::fuzz
