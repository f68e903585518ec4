// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/svg_canvas.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace ascendsim::gui {
namespace {

/// DejaVu's em square as a share of its line height: 2048 of 1901 + 483 units.
constexpr float em_share = 2048.0F / 2384.0F;

std::string paint(std::string_view property, Pixel colour) {
    std::string text = fmt::format(
        R"({}="#{:02x}{:02x}{:02x}")", property, channel(colour, 0), channel(colour, 1), channel(colour, 2));
    if (channel(colour, 3) != 255) {
        text += fmt::format(R"( {}-opacity="{:.3g}")", property, channel(colour, 3) / 255.0);
    }
    return text;
}

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            default:
                result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
        }
    }
    return result;
}

std::string path_of(std::span<const Point> points) {
    std::string text;
    for (const Point p : points) {
        fmt::format_to(std::back_inserter(text), "{}{:.6g},{:.6g}", text.empty() ? "" : " ", p.x, p.y);
    }
    return text;
}

std::string_view font_attributes(TextStyle style) {
    switch (style) {
        case TextStyle::regular:
        case TextStyle::small:
        case TextStyle::title:
            return "";
        case TextStyle::bold:
            return R"( font-weight="bold")";
        case TextStyle::mono:
            return R"( font-family="DejaVu Sans Mono,monospace")";
    }
    return "";
}

}  // namespace

SvgCanvas::SvgCanvas(int width, int height, Pixel background, const FontSet& fonts)
    : Canvas{fonts}, width_{width}, height_{height}, background_{background} {}

void SvgCanvas::fill(Rect box, Pixel colour) {
    if (box.empty() || channel(colour, 3) == 0) {
        return;
    }
    body_ += fmt::format("<rect x=\"{:.6g}\" y=\"{:.6g}\" width=\"{:.6g}\" height=\"{:.6g}\" {}/>\n",
                         box.left,
                         box.top,
                         box.width(),
                         box.height(),
                         paint("fill", colour));
}

std::string SvgCanvas::pattern_url(Pattern pattern, Pixel colour) {
    const std::pair key{pattern, colour};
    const auto found = std::ranges::find(patterns_, key);
    const auto number = found - patterns_.begin();
    if (found == patterns_.end()) {
        patterns_.push_back(key);
        definitions_ +=
            fmt::format("<pattern id=\"h{0}\" width=\"{1}\" height=\"{1}\" patternUnits=\"userSpaceOnUse\">",
                        number,
                        pattern_period);
        std::string cells;
        for (int y = 0; y < pattern_period; ++y) {
            for (int x = 0; x < pattern_period; ++x) {
                if (inked(pattern, x, y)) {
                    cells += fmt::format("M{},{}h1v1h-1z", x, y);
                }
            }
        }
        definitions_ += fmt::format("<path d=\"{}\" {}/></pattern>\n", cells, paint("fill", colour));
    }
    return fmt::format("url(#h{})", number);
}

void SvgCanvas::hatch(Rect box, Pattern pattern, Pixel colour) {
    if (box.empty()) {
        return;
    }
    const std::string url = pattern_url(pattern, colour);
    body_ += fmt::format("<rect x=\"{:.6g}\" y=\"{:.6g}\" width=\"{:.6g}\" height=\"{:.6g}\" fill=\"{}\"/>\n",
                         box.left,
                         box.top,
                         box.width(),
                         box.height(),
                         url);
}

void SvgCanvas::draw_line(Point from, Point to, Pixel colour, float thickness) {
    const std::array points{from, to};
    polyline(points, colour, thickness);
}

void SvgCanvas::draw_polyline(std::span<const Point> points, Pixel colour, float thickness) {
    body_ += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke-width=\"{:.6g}\" {}/>\n",
                         path_of(points),
                         thickness,
                         paint("stroke", colour));
}

void SvgCanvas::polygon(std::span<const Point> points, Pixel colour) {
    body_ += fmt::format("<polygon points=\"{}\" {}/>\n", path_of(points), paint("fill", colour));
}

void SvgCanvas::draw_text(Point place, Pixel colour, std::string_view text, TextStyle style) {
    const ImFont* font = fonts().font(style);
    body_ += fmt::format(
        "<text x=\"{:.6g}\" y=\"{:.6g}\" font-size=\"{:.6g}\"{} textLength=\"{:.6g}\" {}>{}</text>\n",
        place.x,
        place.y + font->Ascent,
        font->FontSize * em_share,
        font_attributes(style),
        fonts().measure(text, style).x,
        paint("fill", colour),
        escaped(text));
}

void SvgCanvas::push_clip(Rect box) {
    definitions_ += fmt::format(
        "<clipPath id=\"c{}\"><rect x=\"{:.6g}\" y=\"{:.6g}\" width=\"{:.6g}\" "
        "height=\"{:.6g}\"/></clipPath>\n",
        clips_,
        box.left,
        box.top,
        std::max(box.width(), 0.0F),
        std::max(box.height(), 0.0F));
    body_ += fmt::format("<g clip-path=\"url(#c{})\">\n", clips_);
    ++clips_;
    ++open_clips_;
}

void SvgCanvas::pop_clip() {
    if (open_clips_ > 0) {
        --open_clips_;
        body_ += "</g>\n";
    }
}

std::string SvgCanvas::document() const {
    std::string text = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"DejaVu Sans,Noto Sans CJK SC,sans-serif\" xml:space=\"preserve\">\n",
        width_,
        height_);
    text += fmt::format("<defs>\n{}</defs>\n", definitions_);
    text +=
        fmt::format("<rect width=\"{}\" height=\"{}\" {}/>\n", width_, height_, paint("fill", background_));
    text += body_;
    for (int n = 0; n < open_clips_; ++n) {
        text += "</g>\n";
    }
    return text + "</svg>\n";
}

}  // namespace ascendsim::gui
