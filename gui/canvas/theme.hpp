// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "gui/canvas/pattern.hpp"
#include "gui/render/image.hpp"
#include "sim/record/span.hpp"

struct ImGuiStyle;

namespace ascendsim::gui {

enum class ThemeName : std::uint8_t { dark, light };

/// "dark" or "light".
[[nodiscard]] std::string_view name(ThemeName theme);
[[nodiscard]] std::optional<ThemeName> theme_from_name(std::string_view name);

/// How the bars of one kind of pipe look.
struct PipeStyle {
    std::string_view pipe;   ///< as in the recording: "mte2"
    std::string_view label;  ///< as shown: "MTE2"
    Pixel colour = 0;
    std::string_view meaning;
};

/// How one wait cause looks: never by colour alone.
struct CauseStyle {
    record::Reason reason = record::Reason::none;
    std::string_view label;  ///< "waiting for data"
    char letter = ' ';
    Pattern pattern = Pattern::solid;
    Pixel colour = 0;
    std::string_view meaning;
};

/// Every colour of the dashboard. State colours come from here only.
struct Theme {
    ThemeName name = ThemeName::dark;
    Pixel window = 0;  ///< behind everything
    Pixel panel = 0;   ///< panel background
    Pixel raised = 0;  ///< buttons, table heads, odd rows
    Pixel hover = 0;   ///< below the pointer
    Pixel border = 0;  ///< lines between panels
    Pixel grid = 0;    ///< lines in plots
    Pixel text = 0;
    Pixel text_dim = 0;     ///< labels, units
    Pixel text_faint = 0;   ///< disabled, hints
    Pixel accent = 0;       ///< selection, links, focus
    Pixel accent_soft = 0;  ///< area of a selection
    Pixel guide = 0;        ///< the cursor's line
    Pixel good = 0;
    Pixel warning = 0;
    Pixel bad = 0;
    Pixel run_a = 0;      ///< the run under study
    Pixel run_b = 0;      ///< the run it is compared with
    Pixel l2_reads = 0;   ///< what L2 gives to the cores
    Pixel l2_writes = 0;  ///< what it takes from them
    std::array<PipeStyle, 7> pipes;
    std::array<CauseStyle, record::reason_count> causes;

    /// The style of a pipe by its recorded name; an unknown pipe looks like the scalar unit.
    [[nodiscard]] const PipeStyle& pipe(std::string_view recorded_name) const;
    [[nodiscard]] const CauseStyle& cause(record::Reason reason) const;
    /// The colour of a series of a plot; readers with any colour vision tell it from the five before it.
    [[nodiscard]] Pixel series(std::size_t number) const;
    /// The colour of what is done outside of cores, the same for the same kind of work: by the words in front
    /// of a quoted name ("MatMul" of "MatMul 'layer 1'").
    [[nodiscard]] Pixel task(std::string_view what) const;
};

[[nodiscard]] const Theme& theme(ThemeName name);

/// Black or white, whichever reads better on `background`.
[[nodiscard]] Pixel readable_on(Pixel background);
/// The same colour with another alpha (0 to 255).
[[nodiscard]] Pixel with_alpha(Pixel colour, unsigned alpha);
/// `share` (0 to 1) of `b`, the rest of `a`.
[[nodiscard]] Pixel mix(Pixel a, Pixel b, float share);
/// Contrast of two opaque colours as WCAG defines it, 1 to 21.
[[nodiscard]] double contrast(Pixel a, Pixel b);

/// Sets colours and sizes of Dear ImGui's widgets; `scale` as in FontSet.
void apply(const Theme& theme, float scale, ImGuiStyle& style);

}  // namespace ascendsim::gui
