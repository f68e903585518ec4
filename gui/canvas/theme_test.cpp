// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/theme.hpp"

#include <array>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace ascendsim::gui {
namespace {

using Vector = std::array<double, 3>;

Vector linear(Pixel colour) {
    Vector result{};
    for (unsigned i = 0; i < 3; ++i) {
        const double part = channel(colour, i) / 255.0;
        result.at(i) = part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    }
    return result;
}

/// CIE L*a*b* of linear sRGB under D65.
Vector lab(const Vector& rgb) {
    const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116.0; };
    const double x = f((0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.9505);
    const double y = f(0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]);
    const double z = f((0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.089);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

/// Vienot, Brettel, Mollon (1999): what protanopes and deuteranopes see of linear sRGB.
constexpr std::array<std::array<double, 9>, 3> eyes{
    {{1, 0, 0, 0, 1, 0, 0, 0, 1},
     {0.11238, 0.88762, 0, 0.11238, 0.88762, 0, 0.00401, -0.00401, 1},
     {0.29275, 0.70725, 0, 0.29275, 0.70725, 0, -0.02234, 0.02234, 1}}};

Vector seen_by(const std::array<double, 9>& eye, const Vector& rgb) {
    Vector result{};
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t i = 0; i < 3; ++i) {
            result.at(row) += eye.at(3 * row + i) * rgb.at(i);
        }
    }
    return result;
}

double difference(const std::array<double, 9>& eye, Pixel a, Pixel b) {
    const Vector x = lab(seen_by(eye, linear(a)));
    const Vector y = lab(seen_by(eye, linear(b)));
    return std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

TEST(Theme, PipesAreToldApartByEveryEye) {
    constexpr double clearly_different = 10;  // a difference of 2.3 is just noticeable side by side
    for (const ThemeName name : {ThemeName::dark, ThemeName::light}) {
        const Theme& colours = theme(name);
        for (const auto& eye : eyes) {
            for (std::size_t i = 0; i < colours.pipes.size(); ++i) {
                for (std::size_t k = i + 1; k < colours.pipes.size(); ++k) {
                    EXPECT_GT(difference(eye, colours.pipes.at(i).colour, colours.pipes.at(k).colour),
                              clearly_different)
                        << gui::name(name) << ": " << colours.pipes.at(i).pipe << " and "
                        << colours.pipes.at(k).pipe << ", eye " << (&eye - eyes.data());
                }
            }
        }
    }
}

TEST(Theme, TheTwoDirectionsOfL2AreToldApartByEveryEye) {
    constexpr double clearly_different = 10;
    for (const ThemeName name : {ThemeName::dark, ThemeName::light}) {
        for (const auto& eye : eyes) {
            EXPECT_GT(difference(eye, theme(name).l2_reads, theme(name).l2_writes), clearly_different)
                << gui::name(name) << ", eye " << (&eye - eyes.data());
        }
    }
}

TEST(Theme, CausesNeverDifferByColourAlone) {
    std::set<char> letters;
    std::set<Pattern> patterns;
    const Theme& colours = theme(ThemeName::dark);
    for (std::size_t n = 1; n < colours.causes.size(); ++n) {
        const CauseStyle& cause = colours.causes.at(n);
        EXPECT_EQ(cause.reason, static_cast<record::Reason>(n));
        EXPECT_TRUE(letters.insert(cause.letter).second) << cause.label;
        EXPECT_TRUE(patterns.insert(cause.pattern).second) << cause.label;
        EXPECT_FALSE(cause.meaning.empty());
    }
}

TEST(Theme, TextIsReadable) {
    constexpr double wcag_aa = 4.5;
    constexpr double wcag_large = 3.0;
    for (const ThemeName name : {ThemeName::dark, ThemeName::light}) {
        const Theme& t = theme(name);
        for (const Pixel background : {t.window, t.panel, t.raised, t.hover}) {
            EXPECT_GE(contrast(t.text, background), 7.0) << gui::name(name);
            EXPECT_GE(contrast(t.text_dim, background), wcag_aa) << gui::name(name);
            EXPECT_GE(contrast(t.text_faint, background), wcag_large) << gui::name(name);
        }
        for (const Pixel background : {t.window, t.panel, t.raised}) {  // numbers of tables are among it
            EXPECT_GE(contrast(t.text_faint, background), wcag_aa) << gui::name(name);
        }
        for (const Pixel colour : {t.accent, t.good, t.warning, t.bad, t.run_a, t.run_b}) {
            EXPECT_GE(contrast(colour, t.panel), wcag_aa) << gui::name(name);
        }
        for (const PipeStyle& pipe : t.pipes) {
            EXPECT_GE(contrast(readable_on(pipe.colour), pipe.colour), wcag_aa)
                << gui::name(name) << " " << pipe.pipe;
        }
    }
}

TEST(Theme, ContrastIsThatOfTheStandard) {
    EXPECT_DOUBLE_EQ(contrast(rgba(0, 0, 0), rgba(255, 255, 255)), 21.0);
    EXPECT_DOUBLE_EQ(contrast(rgba(9, 9, 9), rgba(9, 9, 9)), 1.0);
}

TEST(Theme, UnknownPipeHasAStyle) {
    EXPECT_EQ(theme(ThemeName::dark).pipe("dsp").pipe, "scalar");
}

TEST(Pattern, HatchesHaveDifferentInk) {
    std::set<std::uint64_t> pictures;
    for (std::size_t n = 0; n < pattern_count; ++n) {
        std::uint64_t picture = 0;
        for (int i = 0; i < 64; ++i) {
            picture |= inked(static_cast<Pattern>(n), i % 8, i / 8)
                           ? std::uint64_t{1} << static_cast<unsigned>(i)
                           : 0;
        }
        EXPECT_NE(picture, 0U);
        EXPECT_TRUE(pictures.insert(picture).second) << n;
    }
}

}  // namespace
}  // namespace ascendsim::gui
