// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "gui/control/input.hpp"

union SDL_Event;

namespace ascendsim::gui {

/// Translates one SDL event; `pixels` is how many screen pixels one window unit has. Nothing for events that
/// are no input. Only the event itself is looked at, so pushed events act like real ones under every video
/// driver.
[[nodiscard]] std::optional<InputEvent> translate(const SDL_Event& event, float pixels);

}  // namespace ascendsim::gui
