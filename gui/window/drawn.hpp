// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

struct ImDrawData;

namespace ascendsim::gui {

/// A number of what a frame draws: shapes, colours, order and place. Frames with the same number look the
/// same as long as their textures are.
[[nodiscard]] std::uint64_t number_of_drawn(const ImDrawData& data);

}  // namespace ascendsim::gui
