// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/canvas.hpp"

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/canvas/elide.hpp"
#include "gui/canvas/imgui_canvas.hpp"
#include "gui/canvas/replay.hpp"
#include "gui/canvas/svg_canvas.hpp"
#include "gui/canvas/text_canvas.hpp"
#include "gui/shell/testing.hpp"

namespace ascendsim::gui {
namespace {

using testing::HasSubstr;

/// Draws once into the background of a frame and gives back the picture.
template <class Draw>
Image drawn(TestBench& bench, Draw draw) {
    bench.host.settle();
    const FontSet& fonts = bench.host.shell().fonts();
    ImGui::NewFrame();
    ImGuiCanvas canvas{*ImGui::GetForegroundDrawList(), fonts};
    draw(canvas);
    ImGui::Render();
    return bench.host.picture();
}

TEST(ImGuiCanvas, HatchInksExactlyItsPatternAtAnyPlaceAndSize) {
    TestBench bench{{}, 640, 200};
    // Wider than a tile (256), higher than a tile (32), off the period (8).
    const Rect box{13, 21, 13 + 531, 21 + 75};
    const Pixel ink = rgba(255, 0, 0);
    const Image image = drawn(bench, [&](Canvas& canvas) {
        canvas.fill(box, rgba(0, 0, 0));
        canvas.hatch(box, Pattern::dashes, ink);
    });
    for (int y = 21; y < 21 + 75; ++y) {
        for (int x = 13; x < 13 + 531; ++x) {
            const bool expected = inked(Pattern::dashes, x % pattern_period, y % pattern_period);
            ASSERT_EQ(image.at(x, y), expected ? ink : rgba(0, 0, 0)) << x << ", " << y;
        }
    }
}

TEST(ImGuiCanvas, ClipCutsHatches) {
    TestBench bench{{}, 320, 200};
    const Image image = drawn(bench, [&](Canvas& canvas) {
        canvas.fill({0, 0, 320, 200}, rgba(0, 0, 0));
        canvas.push_clip({10, 10, 20, 20});
        canvas.hatch({0, 0, 320, 200}, Pattern::solid, rgba(0, 255, 0));
        canvas.pop_clip();
    });
    EXPECT_EQ(image.at(10, 10), rgba(0, 255, 0));
    EXPECT_EQ(image.at(19, 19), rgba(0, 255, 0));
    EXPECT_EQ(image.at(20, 19), rgba(0, 0, 0));
    EXPECT_EQ(image.at(9, 10), rgba(0, 0, 0));
}

TEST(ImGuiCanvas, UprightLineIsOnePixelWide) {
    TestBench bench{{}, 320, 200};
    const Image image = drawn(bench, [&](Canvas& canvas) {
        canvas.fill({0, 0, 320, 200}, rgba(0, 0, 0));
        canvas.line({50, 10}, {50, 20}, rgba(255, 255, 255));
    });
    EXPECT_EQ(image.at(49, 15), rgba(0, 0, 0));
    EXPECT_EQ(image.at(50, 15), rgba(255, 255, 255));
    EXPECT_EQ(image.at(51, 15), rgba(0, 0, 0));
    EXPECT_EQ(image.at(50, 20), rgba(0, 0, 0));
}

TEST(Elide, NamesThatDifferNeverLookTheSame) {
    TestBench bench;
    bench.host.settle();
    const FontSet& fonts = bench.host.shell().fonts();
    const std::string a = "SwiGLU of a long layer, tile 4096, two buffers, measured \u00b7 Ascend 910B1";
    const std::string b = "SwiGLU of a long layer, tile 8192, two buffers, measured \u00b7 Ascend 910B1";
    const float room = 120;
    ASSERT_EQ(without_middle(fonts, a, TextStyle::regular, room),
              without_middle(fonts, b, TextStyle::regular, room));
    const std::string shown = told_apart(fonts, a, b, TextStyle::regular, room);
    EXPECT_NE(shown, told_apart(fonts, b, a, TextStyle::regular, room));
    EXPECT_THAT(shown, HasSubstr("\u20264096\u2026"));
    EXPECT_LE(fonts.measure(shown, TextStyle::regular).x, room);
    EXPECT_EQ(told_apart(fonts, a, a, TextStyle::regular, room),
              without_middle(fonts, a, TextStyle::regular, room));
}

TEST(Elide, AllDifferencesStayWithTheirWordsAndTheEnds) {
    TestBench bench;
    bench.host.settle();
    const FontSet& fonts = bench.host.shell().fonts();
    const std::array<std::string_view, 3> others{
        "MTE2 of the first aiv, unused", "MTE3 of the first aic, unused", "MTE2 of the first aic, unused"};
    const std::string_view text = others[2];
    const auto shown = [&](float room) {
        std::string words = with_differences(fonts, text, others, TextStyle::regular, room);
        EXPECT_LE(fonts.measure(words, TextStyle::regular).x, room);
        return words;
    };
    EXPECT_EQ(shown(1000), text);
    const std::string some = shown(130);
    EXPECT_THAT(some, ::testing::StartsWith("MTE2"));
    EXPECT_THAT(some, HasSubstr("\u2026aic\u2026"));
    EXPECT_TRUE(text.ends_with(some.back())) << some;
    EXPECT_THAT(shown(75), ::testing::ContainsRegex("2.*c"));
    EXPECT_EQ(told_apart(fonts, text, others[0], TextStyle::regular, 3), "") << "no two characters fit";
}

/// "copy at add.cpp:12, 100.0 %" read as "copy\u20262, 100.0 %".
TEST(Elide, NamesOfAListDifferInANumberInTheirMiddle) {
    TestBench bench;
    bench.host.settle();
    const FontSet& fonts = bench.host.shell().fonts();
    std::vector<std::string> names;
    for (int layer = 0; layer < 12; ++layer) {
        names.push_back(fmt::format("MatMul 'encoder.layer.{}.attention.output.dense'", layer));
    }
    const std::vector<std::string_view> views{names.begin(), names.end()};
    const float whole = fonts.measure(names.front(), TextStyle::regular).x;
    const std::vector<std::string> shown = all_told_apart(fonts, views, TextStyle::regular, whole / 2);
    EXPECT_EQ(std::set(shown.begin(), shown.end()).size(), names.size())
        << fmt::format("{}", fmt::join(shown, "\n"));
    for (const std::string& one : shown) {
        EXPECT_LE(fonts.measure(one, TextStyle::regular).x, whole / 2) << one;
    }
}

TEST(Elide, NumbersAreThereWholeOrNotAtAll) {
    TestBench bench;
    bench.host.settle();
    const FontSet& fonts = bench.host.shell().fonts();
    const std::string text = "4096 elements of 1,234,567.5 in add.cpp:1234, 100.0 %";
    const std::string longer = "4096 elements of 1,234,567.5 in mul.cpp:1234, 100.0 %";
    const std::set<std::string> numbers{"4096", "1,234,567.5", "1234", "100.0"};
    for (float room = 30; room < 400; room += 3) {
        for (const std::string& shown : {without_middle(fonts, text, TextStyle::regular, room),
                                         told_apart(fonts, text, longer, TextStyle::regular, room)}) {
            for (std::size_t at = 0; at < shown.size();) {
                const std::size_t begin = std::min(shown.find_first_of("0123456789", at), shown.size());
                std::size_t end = std::min(shown.find_first_not_of("0123456789.,", begin), shown.size());
                while (end > begin && (shown[end - 1] == ',' || shown[end - 1] == '.')) {
                    --end;
                }
                if (end > begin) {
                    EXPECT_TRUE(numbers.contains(shown.substr(begin, end - begin))) << shown;
                }
                at = end + 1;
            }
        }
    }
}

TEST(Canvas, LongTextIsCutAndHopelessTextLeftOut) {
    TestBench bench;
    bench.host.settle();
    TextCanvas canvas{bench.host.shell().fonts()};
    const float full = canvas.measure("Mmad 128 x 64 x 256").x;
    canvas.text_in({0, 0, full, 20}, rgba(0, 0, 0), "Mmad 128 x 64 x 256");
    canvas.text_in({0, 30, full / 2, 50}, rgba(0, 0, 0), "Mmad 128 x 64 x 256");
    canvas.text_in({0, 60, 4, 80}, rgba(0, 0, 0), "Mmad 128 x 64 x 256");
    ASSERT_EQ(canvas.words().size(), 2U);
    EXPECT_EQ(canvas.words()[0].text, "Mmad 128 x 64 x 256");
    EXPECT_TRUE(canvas.words()[1].text.starts_with("Mmad"));
    EXPECT_TRUE(canvas.words()[1].text.ends_with("\u2026"));
    EXPECT_LE(canvas.words()[1].box.width(), full / 2);
}

TEST(TextCanvas, WordsAreReadFromTopToBottomAndLeftToRight) {
    TestBench bench;
    bench.host.settle();
    TextCanvas canvas{bench.host.shell().fonts()};
    canvas.text({100, 50}, rgba(0, 0, 0), "right");
    canvas.text({0, 100}, rgba(0, 0, 0), "below");
    canvas.text({0, 51}, rgba(0, 0, 0), "left");
    canvas.push_clip({0, 0, 10, 10});
    canvas.text({0, 200}, rgba(0, 0, 0), "hidden");
    canvas.pop_clip();
    EXPECT_EQ(canvas.lines(), "left  right\nbelow\n");
}

TEST(SvgCanvas, ShapesAndTextAreWellFormed) {
    TestBench bench;
    bench.host.settle();
    SvgCanvas canvas{100, 50, rgba(255, 255, 255), bench.host.shell().fonts()};
    canvas.push_clip({0, 0, 50, 50});
    canvas.fill({1, 2, 4, 8}, rgba(0x12, 0x34, 0x56, 51));
    canvas.hatch({10, 10, 20, 20}, Pattern::cross, rgba(255, 0, 0));
    canvas.hatch({30, 10, 40, 20}, Pattern::cross, rgba(255, 0, 0));
    canvas.text({0, 0}, rgba(0, 0, 0), "a < b & c");
    const std::string svg = canvas.document();
    EXPECT_THAT(svg,
                HasSubstr(R"(<rect x="1" y="2" width="3" height="6" fill="#123456" fill-opacity="0.2"/>)"));
    EXPECT_THAT(svg, HasSubstr("a &lt; b &amp; c</text>"));
    EXPECT_THAT(svg, HasSubstr("id=\"h0\""));
    EXPECT_THAT(svg, testing::Not(HasSubstr("id=\"h1\"")));  // one pattern serves both boxes
    EXPECT_THAT(svg, testing::EndsWith("</g>\n</svg>\n"));   // the open clip is closed
}

TEST(Replay, TextOfAFrameIsPutTogetherFromItsGlyphs) {
    TestBench bench;
    bench.host.settle();
    TextCanvas canvas{bench.host.shell().fonts()};
    ImGui::NewFrame();
    ImGuiCanvas screen{*ImGui::GetForegroundDrawList(), bench.host.shell().fonts()};
    screen.text({20, 500}, rgba(255, 255, 255), "L0A slot 1,  64 KiB (87.5 %)");
    screen.text({20, 520}, rgba(255, 255, 255), "bold words", TextStyle::bold);
    screen.fill({0, 0, 10, 10}, rgba(255, 0, 0));
    screen.hatch({0, 0, 300, 10}, Pattern::grid, rgba(255, 0, 0));
    ImGui::Render();
    replay(bench.host.shell().draw_data(), canvas);
    EXPECT_THAT(canvas.lines(), HasSubstr("L0A slot 1,  64 KiB (87.5 %)\nbold words"));
    EXPECT_EQ(canvas.counts().hatches, 2U);  // 300 pixels take two tiles of 256
}

TEST(FontSet, ChineseIsAddedWhenAnnounced) {
    TestBench bench;
    bench.library.scenario_list.clear();
    bench.host.settle();
    const int before = bench.host.shell().texture_version();
    const ImFont* font = bench.host.shell().fonts().font(TextStyle::regular);
    EXPECT_EQ(font->FindGlyphNoFallback(0x6ce8), nullptr);
    bench.library.lesson_list.push_back({"zh", "zh.toml", "\u6ce8\u610f\u529b", ""});
    bench.host.settle();
    EXPECT_EQ(bench.host.shell().texture_version(), before + 1);
    EXPECT_NE(bench.host.shell().fonts().font(TextStyle::regular)->FindGlyphNoFallback(0x6ce8), nullptr);
    EXPECT_THAT(bench.host.screen_text(), HasSubstr("\u6ce8\u610f\u529b"));
}

}  // namespace
}  // namespace ascendsim::gui
