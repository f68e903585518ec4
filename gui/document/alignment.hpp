// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "gui/document/selection.hpp"

namespace ascendsim::gui {

/// How the cycles of run A become those of run B where both are drawn over one axis: a line.
struct Mapping {
    double scale = 1;
    double offset = 0;  ///< cycles of B

    [[nodiscard]] double to_b(double cycle_a) const { return cycle_a * scale + offset; }

    [[nodiscard]] double to_a(double cycle_b) const { return (cycle_b - offset) / scale; }

    [[nodiscard]] bool identity() const { return scale == 1 && offset == 0; }

    friend bool operator==(const Mapping&, const Mapping&) = default;
};

/// The lane of the same core and pipe in another run.
[[nodiscard]] std::optional<std::uint32_t> matching_lane(const Run& from, const Run& to, std::uint32_t lane);

/// The same stretch in another run: on the same core and pipe, of the same name, source line and reason, and
/// as many of its kind before it. Nothing if that run has none.
[[nodiscard]] std::optional<Pick> matching(const Run& from, const Run& to, const Pick& pick);

/// How B lies over A as the view says; cycle by cycle if there is nothing to align at.
[[nodiscard]] Mapping mapping_of(const Run& a, const Run& b, const ViewState& view);

}  // namespace ascendsim::gui
