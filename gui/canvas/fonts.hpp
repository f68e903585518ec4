// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "gui/canvas/geometry.hpp"
#include "gui/canvas/pattern.hpp"
#include "gui/render/rasteriser.hpp"

namespace ascendsim::gui {

/// The kinds of text on screen.
enum class TextStyle : std::uint8_t { regular, small, bold, title, mono };

inline constexpr std::size_t text_style_count = 5;

/// The fonts and hatches of the dashboard in one texture.
///
/// Latin, Greek, arrows and mathematical signs are always there. Chinese, Japanese and Korean characters are
/// added when a text that holds them is announced, so the texture stays small; prepare() rebuilds it between
/// two frames.
class FontSet {
public:
    /// Finds the font files; the texture is built by prepare(). `scale` 1 is text on lines of 15 pixels, 0.5
    /// to 4 are accepted.
    FontSet(ImFontAtlas& atlas, float scale);

    /// Announces a UTF-8 text; true if characters are missing until the next prepare().
    bool require(std::string_view text);
    void set_scale(float scale);

    [[nodiscard]] float scale() const { return scale_; }

    /// Builds the texture if needed. Call between frames; true if it changed and must go to the renderer
    /// again.
    bool prepare();

    [[nodiscard]] ImFont* font(TextStyle style) const { return fonts_.at(static_cast<std::size_t>(style)); }

    /// Grows by one whenever texts may have changed their widths.
    [[nodiscard]] int version() const { return version_; }

    /// Width and height of one line, pixels.
    [[nodiscard]] Point measure(std::string_view text, TextStyle style) const;
    [[nodiscard]] float line_height(TextStyle style) const;
    [[nodiscard]] CoverageTexture texture() const;

    /// Where the hatch tile of a pattern lies in the texture, texels; it repeats every pattern_period.
    [[nodiscard]] Point hatch_origin(Pattern pattern) const;
    /// The largest box one hatch tile covers at any phase, pixels.
    static constexpr int hatch_width = 256;
    static constexpr int hatch_height = 32;

    /// What is missing on this machine, as sentences for the user; empty if every font file was found.
    [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

private:
    void build();
    void add_style(TextStyle style,
                   const std::filesystem::path& latin,
                   const std::filesystem::path& cjk,
                   float size);
    void draw_hatches();

    ImFontAtlas* atlas_;
    float scale_;
    bool stale_ = true;
    int version_ = 0;
    std::set<std::uint32_t> extra_;
    std::array<ImFont*, text_style_count> fonts_{};
    std::array<int, pattern_count> hatches_{};
    ImVector<ImWchar> extra_ranges_;
    std::vector<std::string> problems_;
};

}  // namespace ascendsim::gui
