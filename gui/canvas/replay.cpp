// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/replay.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gui/canvas/utf8.hpp"

namespace ascendsim::gui {
namespace {

struct GlyphOfFont {
    TextStyle style = TextStyle::regular;
    const ImFontGlyph* glyph = nullptr;
};

/// Text in the making: glyphs of one style and colour on one line.
struct Run {
    TextStyle style = TextStyle::regular;
    Pixel colour = 0;
    float left = 0;
    float top = 0;
    float pen = 0;
    std::string text;
};

class Replay {
public:
    explicit Replay(Canvas& canvas) : canvas_{&canvas}, texture_{canvas.fonts().texture()} {
        for (std::size_t n = 0; n < text_style_count; ++n) {
            const auto style = static_cast<TextStyle>(n);
            for (const ImFontGlyph& glyph : canvas.fonts().font(style)->Glyphs) {
                if (glyph.Visible != 0) {
                    glyphs_.emplace(key(glyph.U0, glyph.V0), GlyphOfFont{style, &glyph});
                }
            }
        }
    }

    void draw(const ImDrawList& list, const ImDrawCmd& command, Point origin);

private:
    [[nodiscard]] std::uint64_t key(float u, float v) const {
        const auto x = static_cast<std::uint64_t>(std::lround(u * static_cast<float>(texture_.width)));
        const auto y = static_cast<std::uint64_t>(std::lround(v * static_cast<float>(texture_.height)));
        return (x << 32U) | y;
    }

    [[nodiscard]] std::optional<Pattern> pattern_at(float u, float v) const;
    bool draw_quad(const ImDrawVert& low, const ImDrawVert& high, Point origin);
    bool add_glyph(const ImDrawVert& low, const ImDrawVert& high, Point origin);
    void finish_run();

    Canvas* canvas_;
    CoverageTexture texture_;
    std::unordered_map<std::uint64_t, GlyphOfFont> glyphs_;
    Run run_;
};

std::optional<Pattern> Replay::pattern_at(float u, float v) const {
    const Point at{u * static_cast<float>(texture_.width) + 0.01F,
                   v * static_cast<float>(texture_.height) + 0.01F};
    for (std::size_t n = 0; n < pattern_count; ++n) {
        const auto pattern = static_cast<Pattern>(n);
        const Point origin = canvas_->fonts().hatch_origin(pattern);
        const Rect tile{origin.x,
                        origin.y,
                        origin.x + FontSet::hatch_width + pattern_period,
                        origin.y + FontSet::hatch_height + pattern_period};
        if (tile.contains(at)) {
            return pattern;
        }
    }
    return std::nullopt;
}

void Replay::finish_run() {
    if (!run_.text.empty()) {
        canvas_->text({run_.left, run_.top}, run_.colour, run_.text, run_.style);
        run_.text.clear();
    }
}

bool Replay::add_glyph(const ImDrawVert& low, const ImDrawVert& high, Point origin) {
    const auto found = glyphs_.find(key(low.uv.x, low.uv.y));
    if (found == glyphs_.end() ||
        key(found->second.glyph->U1, found->second.glyph->V1) != key(high.uv.x, high.uv.y)) {
        return false;
    }
    const auto& [style, glyph] = found->second;
    const float left = low.pos.x - origin.x - glyph->X0;
    const float top = low.pos.y - origin.y - glyph->Y0;
    const float space = canvas_->fonts().font(style)->GetCharAdvance(' ');
    const float gap = left - run_.pen;
    const bool joins = !run_.text.empty() && style == run_.style && low.col == run_.colour &&
                       std::abs(top - run_.top) < 0.5F && gap > -1.5F && gap < 3.2F * space;
    if (!joins) {
        finish_run();
        run_ = {style, low.col, left, top, left, {}};
    } else {
        run_.text.append(static_cast<std::size_t>(std::max(0L, std::lround(gap / space))), ' ');
    }
    append_utf8(run_.text, glyph->Codepoint);
    run_.pen = left + glyph->AdvanceX;
    return true;
}

bool Replay::draw_quad(const ImDrawVert& low, const ImDrawVert& high, Point origin) {
    const Rect box{low.pos.x - origin.x, low.pos.y - origin.y, high.pos.x - origin.x, high.pos.y - origin.y};
    if (low.uv.x == high.uv.x && low.uv.y == high.uv.y) {
        finish_run();
        canvas_->fill(box, low.col);
        return true;
    }
    if (add_glyph(low, high, origin)) {
        return true;
    }
    finish_run();
    if (const std::optional<Pattern> pattern = pattern_at(low.uv.x, low.uv.y)) {
        canvas_->hatch(box, *pattern, low.col);
        return true;
    }
    return low.uv.x != high.uv.x && low.uv.y != high.uv.y;  // a glyph cut by its clip box; nothing to say
}

void Replay::draw(const ImDrawList& list, const ImDrawCmd& command, Point origin) {
    const auto index = [&](unsigned i) { return list.IdxBuffer[static_cast<int>(command.IdxOffset + i)]; };
    const auto at = [&](unsigned i) -> const ImDrawVert& {
        return list.VtxBuffer[static_cast<int>(command.VtxOffset) + index(i)];
    };
    const auto point = [&](unsigned i) { return Point{at(i).pos.x - origin.x, at(i).pos.y - origin.y}; };
    for (unsigned i = 0; i + 2 < command.ElemCount;) {
        const bool pair =
            i + 5 < command.ElemCount && index(i) == index(i + 3) && index(i + 2) == index(i + 4);
        const bool upright = pair && at(i).pos.y == at(i + 1).pos.y && at(i + 1).pos.x == at(i + 2).pos.x &&
                             at(i + 5).pos.x == at(i).pos.x && at(i + 5).pos.y == at(i + 2).pos.y &&
                             at(i).col == at(i + 2).col && at(i).col == at(i + 1).col;
        if (upright && draw_quad(at(i), at(i + 2), origin)) {
            i += 6;
            continue;
        }
        finish_run();
        std::vector<Point> corners{point(i), point(i + 1), point(i + 2)};
        const Pixel colour = at(i).col;
        unsigned next = i + 3;
        while (next + 2 < command.ElemCount && index(next) == index(i) &&
               index(next + 1) == index(next - 1) && at(next).col == colour) {
            corners.push_back(point(next + 2));
            next += 3;
        }
        if (channel(colour, 3) != 0) {
            canvas_->polygon(corners, colour);
        }
        i = next;
    }
    finish_run();
}

}  // namespace

void replay(const ImDrawData& data, Canvas& canvas) {
    replay(data, canvas, {0, 0, data.DisplaySize.x, data.DisplaySize.y});
}

void replay(const ImDrawData& data, Canvas& canvas, Rect part) {
    Replay state{canvas};
    const Point origin{data.DisplayPos.x + part.left, data.DisplayPos.y + part.top};
    const Rect whole{0, 0, part.width(), part.height()};
    for (int n = 0; n < data.CmdListsCount; ++n) {
        const ImDrawList& list = *data.CmdLists[n];
        for (const ImDrawCmd& command : list.CmdBuffer) {
            const Rect clip = intersect({command.ClipRect.x - origin.x,
                                         command.ClipRect.y - origin.y,
                                         command.ClipRect.z - origin.x,
                                         command.ClipRect.w - origin.y},
                                        whole);
            if (command.UserCallback != nullptr || command.ElemCount == 0 || clip.empty()) {
                continue;
            }
            canvas.push_clip(clip);
            state.draw(list, command, origin);
            canvas.pop_clip();
        }
    }
}

}  // namespace ascendsim::gui
