// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace ascendsim::record {

/// From which cycle on things lie so many cycles later on another axis.
struct AxisShift {
    std::uint64_t from = 0;
    std::uint64_t by = 0;
};

/// Cycles of one axis on another. Both values of its shifts ascend.
class AxisMap {
public:
    explicit AxisMap(std::vector<AxisShift> shifts) : shifts_{std::move(shifts)} {}

    /// Where something begins that begins at `cycle`.
    [[nodiscard]] std::uint64_t begin(std::uint64_t cycle) const;
    /// Where something ends that ends at `cycle`: what begins there may lie far behind it.
    [[nodiscard]] std::uint64_t end(std::uint64_t cycle) const;

private:
    std::vector<AxisShift> shifts_;
};

}  // namespace ascendsim::record
