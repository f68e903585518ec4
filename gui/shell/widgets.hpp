// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gui/shell/panel.hpp"

namespace ascendsim::gui {

/// The box of the last widget.
[[nodiscard]] Rect last_item();
/// Names the last widget for scripts.
void anchor_last_item(const PanelContext& context, std::string_view name);
/// Shows a sentence while the pointer rests on the last widget.
void tooltip(std::string_view text);
/// The same of what is clicked: once the pointer has rested on it, above it, and not again after a click
/// until the pointer has left it, nor while anybody types. `id` is a name of its own among the widgets of the
/// window.
void click_tooltip(std::string_view id, std::string_view text);
/// Shows a sentence below `avoid`, or above it where there is no room below.
void tooltip_beside(Rect avoid, std::string_view text);
/// How long the pointer rests on something before hints that would be in the way come, seconds.
inline constexpr float rest_before_hints = 0.5F;
/// A dim line, wrapped.
void dim_text(const PanelContext& context, std::string_view text);
void coloured_text(Pixel colour, std::string_view text);
/// A heading inside a panel.
void heading(const PanelContext& context, std::string_view text);
/// A dim label and a value on one line of two columns; the meaning on hover.
void value_row(const PanelContext& context,
               std::string_view label,
               std::string_view value,
               std::string_view meaning);
/// Text that acts: true if clicked.
[[nodiscard]] bool link(const PanelContext& context, std::string_view text, std::string_view meaning);
/// A toolbar button; `on` draws it lit. True if clicked. Its hint is that of what is clicked. A label that a
/// click changes has a fixed name behind it, as in "cycles###unit": it stays the same button.
[[nodiscard]] bool tool_button(const PanelContext& context,
                               std::string_view label,
                               bool on,
                               std::string_view meaning);
/// A button no higher than a line of text, seen as one without the pointer on it; the same rules hold. True
/// if clicked.
[[nodiscard]] bool small_button(const PanelContext& context,
                                std::string_view label,
                                std::string_view meaning);
/// A head that folds what is below it; `id` tells heads of one panel apart. Open as last clicked, at first as
/// `open_at_first`; `keep_open` shows it open whatever was clicked. True if open.
[[nodiscard]] bool folding_head(const PanelContext& context,
                                std::string_view id,
                                std::string_view title,
                                bool open_at_first,
                                bool keep_open);
/// ImGui::BeginCombo with a mark of our own; the same rules hold.
[[nodiscard]] bool begin_choice(const PanelContext& context, const char* id, const std::string& value);
/// A swatch of a wait cause as in the timeline: tint, hatch and letter.
void draw_cause(Canvas& canvas, Rect box, const CauseStyle& style, const Theme& theme, bool letter = true);
/// The same without the letter.
void draw_cause_hatch(Canvas& canvas, Rect box, const CauseStyle& style, const Theme& theme);
/// The letter of a wait cause in the middle of `box`; none if it does not fit.
void draw_cause_letter(Canvas& canvas, Rect box, const CauseStyle& style, const Theme& theme);
/// The least box that has room for it, pixels.
[[nodiscard]] Point cause_letter_room(const Canvas& canvas, const CauseStyle& style);
/// A bar of a pipe as in the timeline.
void draw_pipe_bar(Canvas& canvas, Rect box, Pixel colour, std::string_view label);
/// A thin bar at the right of `view` that says which part of `all` pixels it shows; none if it shows
/// everything.
void draw_scroll_mark(Canvas& canvas, const PanelContext& context, Rect view, float all, float scroll);
/// Cuts a sentence into lines that are no wider than `width` pixels, where words allow it.
[[nodiscard]] std::vector<std::string_view> wrapped(const PanelContext& context,
                                                    std::string_view text,
                                                    float width);
/// The same of a panel of a run where none is shown: that it is coming, if it is, or else what is missing.
void empty_run_panel(const PanelContext& context, std::string_view what, std::string_view how);
/// Text for the middle of an empty panel: what is missing and how to get it.
void empty_panel(const PanelContext& context, std::string_view what, std::string_view how);

}  // namespace ascendsim::gui
