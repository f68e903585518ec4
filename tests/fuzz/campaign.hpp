// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/fuzz/interpret.hpp"

namespace fuzz {

struct Outcome {
    std::uint64_t programs = 0;
    std::uint64_t instructions = 0;
    std::uint64_t unchecked = 0;  // the documentation leaves the result open: comparisons of NaN
    std::array<std::uint64_t, static_cast<std::size_t>(Op::count)> checked{};  // instructions by operation
    std::vector<std::string> differences;  // at most ten, each with what is needed to repeat it
};

/// Changes what an instruction has left in the image, to see whether the comparison notices.
using Tamper = std::function<void(const Instruction&, Image&)>;

/// Runs `programs` random programs of up to ten instructions and compares the whole image after each of them.
Outcome run_campaign(std::uint64_t programs, std::uint32_t seed, const Tamper& tamper = {});

}  // namespace fuzz
