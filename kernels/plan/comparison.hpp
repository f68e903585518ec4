// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "kernels/plan/plan.hpp"
#include "kernels/plan/reference_data.hpp"

namespace ascendsim::host {

/// One element outside its tolerance.
struct Mismatch {
    std::uint64_t index = 0;
    double got = 0;
    double expected = 0;
};

/// How far an output is from what was expected.
struct Comparison {
    std::string output;
    std::uint64_t count = 0;     // elements compared
    std::uint64_t failures = 0;  // of them outside the tolerance
    double max_absolute = 0;
    double max_relative = 0;    // |difference| / max(|expected|, absolute tolerance)
    std::uint64_t max_ulp = 0;  // over elements outside the absolute tolerance
    Tolerance tolerance;        // that was in force
    std::optional<Mismatch> first;

    [[nodiscard]] bool passed() const { return failures == 0; }
};

/// Compares an output's content with `expected(i)` for each of its elements, which may be farther off than
/// `tolerance` by `errors(i)`.
[[nodiscard]] Comparison compare(const Buffer& buffer,
                                 std::span<const std::byte> bytes,
                                 const std::function<double(std::uint64_t)>& expected,
                                 const Tolerance& tolerance,
                                 const ElementErrors& errors = {});

}  // namespace ascendsim::host
