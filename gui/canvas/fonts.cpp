// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/fonts.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <imgui_freetype.h>

#include "gui/canvas/utf8.hpp"

namespace ascendsim::gui {
namespace {

constexpr std::uint32_t first_extra = 0x2e80;  // CJK radicals and all that follows
constexpr std::uint32_t last_glyph = 0xffff;   // what the packaged library can address
constexpr float cjk_growth = 1.24F;            // line heights in em: 1.448 of Noto CJK, 1.164 of DejaVu
constexpr int cjk_face_sc = 2;                 // the simplified Chinese face of the Noto collection

/// Latin-1, Latin Extended-A, Greek, punctuation, arrows, mathematics, box drawing and shapes.
constexpr std::array<ImWchar, 19> always{0x0020,
                                         0x017f,
                                         0x0370,
                                         0x03ff,
                                         0x2010,
                                         0x2027,
                                         0x2030,
                                         0x205e,
                                         0x2070,
                                         0x209f,
                                         0x2190,
                                         0x21ff,
                                         0x2200,
                                         0x22ff,
                                         0x2300,
                                         0x23ff,
                                         0x2500,
                                         0x25ff,
                                         0};

struct Face {
    TextStyle style;
    const char* latin;
    const char* cjk;
    float size;
};

constexpr std::array faces{Face{TextStyle::regular, "DejaVuSans.ttf", "NotoSansCJK-Regular.ttc", 15},
                           Face{TextStyle::small, "DejaVuSans.ttf", "NotoSansCJK-Regular.ttc", 13},
                           Face{TextStyle::bold, "DejaVuSans-Bold.ttf", "NotoSansCJK-Bold.ttc", 15},
                           Face{TextStyle::title, "DejaVuSans.ttf", "NotoSansCJK-Regular.ttc", 26},
                           Face{TextStyle::mono, "DejaVuSansMono.ttf", "NotoSansCJK-Regular.ttc", 14}};

std::filesystem::path find_file(const char* file) {
    for (const char* folder : {"/usr/share/fonts/truetype/dejavu",
                               "/usr/share/fonts/opentype/noto",
                               "/usr/share/fonts/dejavu",
                               "/usr/share/fonts/noto-cjk",
                               "/usr/share/fonts/TTF"}) {
        std::filesystem::path path = std::filesystem::path{folder} / file;
        if (std::filesystem::exists(path)) {
            return path;
        }
    }
    return {};
}

}  // namespace

FontSet::FontSet(ImFontAtlas& atlas, float scale) : atlas_{&atlas}, scale_{std::clamp(scale, 0.5F, 4.0F)} {
    if (find_file("DejaVuSans.ttf").empty()) {
        problems_.emplace_back("DejaVu Sans is not installed (Debian: fonts-dejavu-core); text is plain");
    }
}

bool FontSet::require(std::string_view text) {
    bool missing = false;
    for (const std::uint32_t code : Utf8{text}) {
        if (code >= first_extra && code <= last_glyph && extra_.insert(code).second) {
            missing = true;
        }
    }
    stale_ = stale_ || missing;
    return missing;
}

void FontSet::set_scale(float scale) {
    const float bounded = std::clamp(scale, 0.5F, 4.0F);
    stale_ = stale_ || bounded != scale_;
    scale_ = bounded;
}

bool FontSet::prepare() {
    if (!stale_) {
        return false;
    }
    stale_ = false;
    ++version_;
    build();
    return true;
}

void FontSet::build() {
    atlas_->Clear();
    atlas_->Flags = ImFontAtlasFlags_NoMouseCursors | ImFontAtlasFlags_NoBakedLines;
    atlas_->FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
    atlas_->FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
    atlas_->TexGlyphPadding = 1;
    extra_ranges_.clear();
    for (const std::uint32_t code : extra_) {
        extra_ranges_.push_back(static_cast<ImWchar>(code));
        extra_ranges_.push_back(static_cast<ImWchar>(code));
    }
    extra_ranges_.push_back(0);
    for (const Face& face : faces) {
        add_style(face.style, find_file(face.latin), find_file(face.cjk), std::round(face.size * scale_));
    }
    for (int& hatch : hatches_) {
        hatch = atlas_->AddCustomRectRegular(hatch_width + pattern_period, hatch_height + pattern_period);
    }
    atlas_->Build();
    draw_hatches();
}

void FontSet::add_style(TextStyle style,
                        const std::filesystem::path& latin,
                        const std::filesystem::path& cjk,
                        float size) {
    ImFontConfig config;
    config.PixelSnapH = true;
    config.OversampleH = 1;
    config.GlyphRanges = always.data();
    ImFont*& font = fonts_.at(static_cast<std::size_t>(style));
    if (latin.empty()) {
        config.SizePixels = size;
        font = atlas_->AddFontDefault(&config);
    } else {
        font = atlas_->AddFontFromFileTTF(latin.c_str(), size, &config);
    }
    if (extra_.empty()) {
        return;
    }
    if (cjk.empty()) {
        const std::string problem = "Chinese text needs a font (Debian: fonts-noto-cjk)";
        if (std::ranges::find(problems_, problem) == problems_.end()) {
            problems_.push_back(problem);
        }
        return;
    }
    config.MergeMode = true;
    config.FontNo = cjk_face_sc;
    config.GlyphRanges = extra_ranges_.Data;
    atlas_->AddFontFromFileTTF(cjk.c_str(), std::round(size * cjk_growth), &config);
}

void FontSet::draw_hatches() {
    unsigned char* texels = nullptr;
    int width = 0;
    int height = 0;
    atlas_->GetTexDataAsAlpha8(&texels, &width, &height);
    for (std::size_t n = 0; n < pattern_count; ++n) {
        const Point origin = hatch_origin(static_cast<Pattern>(n));
        for (int y = 0; y < hatch_height + pattern_period; ++y) {
            const auto row = static_cast<std::size_t>((static_cast<int>(origin.y) + y) * width);
            for (int x = 0; x < hatch_width + pattern_period; ++x) {
                const bool ink = inked(static_cast<Pattern>(n), x % pattern_period, y % pattern_period);
                texels[row + static_cast<std::size_t>(static_cast<int>(origin.x) + x)] = ink ? 255 : 0;
            }
        }
    }
}

Point FontSet::measure(std::string_view text, TextStyle style) const {
    const ImFont* face = font(style);
    const ImVec2 size =
        face->CalcTextSizeA(face->FontSize, 1e9F, 0.0F, text.data(), text.data() + text.size());
    return {std::ceil(size.x), size.y};
}

float FontSet::line_height(TextStyle style) const {
    return font(style)->FontSize;
}

CoverageTexture FontSet::texture() const {
    unsigned char* texels = nullptr;
    int width = 0;
    int height = 0;
    atlas_->GetTexDataAsAlpha8(&texels, &width, &height);
    return {width, height, {texels, static_cast<std::size_t>(width) * static_cast<std::size_t>(height)}};
}

Point FontSet::hatch_origin(Pattern pattern) const {
    const ImFontAtlasCustomRect* rect =
        atlas_->GetCustomRectByIndex(hatches_.at(static_cast<std::size_t>(pattern)));
    return {static_cast<float>(rect->X), static_cast<float>(rect->Y)};
}

}  // namespace ascendsim::gui
