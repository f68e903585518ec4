// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ascendsim::gui {

enum class ToastKind : std::uint8_t { note, success, warning, error };

/// A message that blocks nothing.
struct Toast {
    ToastKind kind = ToastKind::note;
    std::string text;
    double seconds_left = 0;
    int times = 1;  ///< how often it was said while shown
};

/// The messages on screen. Notes go by themselves; errors stay until clicked.
class Toasts {
public:
    void add(ToastKind kind, std::string text);
    /// Lets time pass.
    void advance(double seconds);
    void dismiss(std::size_t index);

    [[nodiscard]] const std::vector<Toast>& shown() const { return shown_; }

private:
    std::vector<Toast> shown_;
};

}  // namespace ascendsim::gui
