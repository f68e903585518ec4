// SPDX-License-Identifier: Apache-2.0
#include "gui/control/script.hpp"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/control/script_language.hpp"
#include "gui/shell/testing.hpp"
#include "gui/shell/widgets.hpp"

namespace ascendsim::gui {
namespace {

using testing::HasSubstr;

/// Counts what happens to a button and an area.
class ProbePanel final : public Panel {
public:
    [[nodiscard]] PanelInfo info() const override {
        return {.name = "probe", .title = "Probe", .hint = "For tests", .dock = Dock::centre};
    }

    void draw_content(PanelContext& context) override {
        if (ImGui::Button("Press")) {
            ++presses;
        }
        anchor_last_item(context, "probe/button");
        ImGui::InvisibleButton("area", {300, 200});
        if (ImGui::IsItemHovered() && ImGui::GetIO().KeyCtrl && ImGui::GetIO().MouseWheel != 0) {
            const float steps = ImGui::GetIO().MouseWheel;
            context.requests.change([steps](ViewState& view) { view.zoom(steps > 0 ? 2 : 0.5, 0); });
        }
        if (ImGui::IsItemActive()) {
            dragged = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left).x;
        }
        doubles += ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) ? 1 : 0;
        anchor_last_item(context, "probe/area");
        context.anchors.value("probe.presses", presses);
        context.anchors.value("probe.dragged", dragged);
        context.anchors.value("probe.doubles", doubles);
    }

private:
    int presses = 0;
    int doubles = 0;
    float dragged = 0;
};

std::string failure_of(std::string_view script) {
    TestBench bench;
    try {
        bench.play(script);
    } catch (const ScriptFailure& failure) {
        return failure.what();
    }
    return "no failure";
}

std::string mistake_of(std::string_view script) {
    try {
        const ScriptDriver driver{script, "s.txt", "."};
    } catch (const UserError& error) {
        return error.what();
    }
    return "no mistake";
}

TEST(Script, ClicksWheelsAndDragsReachWidgets) {
    std::vector<std::unique_ptr<Panel>> panels;
    panels.push_back(std::make_unique<ProbePanel>());
    TestBench bench{std::move(panels)};
    bench.play(R"(
        expect welcome == true
        open run.rec
        expect welcome == false
        expect anchor.probe/button == true
        click @probe/button
        click @probe/button
        expect probe.presses == 2
        wheel @probe/area 0 1 Ctrl
        expect view.window.1 == 50000
        wheel @probe/area 0 -1 Ctrl
        expect view.window == null
        drag @probe/area:0.2,0.5 120 0
        expect probe.dragged == 120
        click @probe/area double
        expect probe.doubles == 1
    )");
}

TEST(Script, KeysReachCommandsUnlessTextIsTyped) {
    TestBench bench;
    bench.play(R"(
        key T
        expect view.unit == ns
        key Ctrl+F
        text "tTt"
        key T
        expect view.unit == ns
        expect view.find == tTt
        key Ctrl+Shift+P
        expect palette == true
        text "dark or"
        key Enter
        expect palette == false
        expect view.theme == light
        key ?
        expect help == true
        key Esc
        expect help == false
    )");
}

TEST(Script, WelcomePageOpensWhatIsClicked) {
    TestBench bench;
    bench.play(
        "click @welcome/scenarios/matmul\nexpect welcome == false\nexpect text contains \"100,000 "
        "cycles\"\n");
}

TEST(Script, FailureToOpenIsAMessageThatStays) {
    TestBench bench;
    bench.play(
        "open missing.rec\nframes 400\nexpect toast_count == 1\nexpect text contains \"no such file\"\n"
        "click @toast/0\nexpect toast_count == 0\n");
}

TEST(Script, SplitterMovesThePanelBesideIt) {
    std::vector<std::unique_ptr<Panel>> panels;
    panels.push_back(std::make_unique<ProbePanel>());

    class Side final : public Panel {
    public:
        [[nodiscard]] PanelInfo info() const override {
            return {.name = "side", .title = "Side", .hint = "", .dock = Dock::right};
        }

        void draw_content(PanelContext& /*context*/) override {}
    };

    panels.push_back(std::make_unique<Side>());
    TestBench bench{std::move(panels)};
    bench.play(
        "open run.rec\nexpect view.layout.right == 300\ndrag @splitter/right -50 0\nexpect view.layout.right "
        "== 350\n"
        "key B\nexpect anchor.panel/side == false\nkey B\nexpect anchor.panel/side == true\n");
}

TEST(Script, ExpectationThatFailsNamesLineAndValue) {
    EXPECT_THAT(failure_of("key T\nexpect view.unit == ms\n"),
                testing::AllOf(HasSubstr("test:2"), HasSubstr("\"ns\"")));
    EXPECT_THAT(failure_of("click @welcome/scenarios/matmull\n"),
                HasSubstr("did you mean 'welcome/scenarios/matmul'?"));
    EXPECT_THAT(failure_of("wait view.unit == ms 0.05\n"), HasSubstr("test:1"));
}

TEST(Script, MistakesAreFoundBeforeAnythingRuns) {
    EXPECT_THAT(mistake_of("frames 2\nclikc @a\n"),
                testing::AllOf(HasSubstr("s.txt:2"), HasSubstr("'click'")));
    EXPECT_THAT(mistake_of("key Hyper+Q"), HasSubstr("expected 'key"));
    EXPECT_THAT(mistake_of("expect a ~ b"), HasSubstr("expected 'expect"));
    EXPECT_THAT(mistake_of("click a"), HasSubstr("expected 'click"));
    EXPECT_THAT(mistake_of("size 0x7"), HasSubstr("expected 'size"));
    EXPECT_THAT(mistake_of("drag @a one two"), HasSubstr("expected 'drag"));
    EXPECT_THAT(mistake_of("wheel @a 0 1 Hyper"), HasSubstr("expected 'wheel"));
}

TEST(Script, UnknownValueCannotBeSet) {
    TestBench bench;
    EXPECT_THROW(bench.play("set view.thme light\n"), UserError);
    EXPECT_THROW(bench.play("set view.theme pink\n"), UserError);
    EXPECT_THROW(bench.play("command view.zom\n"), UserError);
}

TEST(Script, RegisteredSetterTakesTheValue) {
    TestBench bench;
    nlohmann::json taken;
    bench.host.shell().on_set("knob.buffers", [&](const nlohmann::json& value) { taken = value; });
    bench.play("set knob.buffers 2\n");
    EXPECT_EQ(taken, 2);
}

TEST(Script, WritesPictureVectorsAndWords) {
    TestBench bench;
    bench.play("size 800x600\nshot script.png\nsvg script.svg\ndumptext script.txt\n");
    const std::filesystem::path& out = bench.output.path();
    EXPECT_EQ(read_png(out / "script.png").width, 800);
    std::stringstream svg;
    svg << std::ifstream{out / "script.svg"}.rdbuf();
    EXPECT_THAT(svg.str(),
                testing::AllOf(HasSubstr("viewBox=\"0 0 800 600\""), HasSubstr(">Scenarios</text>")));
    std::stringstream words;
    words << std::ifstream{out / "script.txt"}.rdbuf();
    EXPECT_THAT(words.str(),
                testing::AllOf(HasSubstr("Two buffers are better than one"),
                               HasSubstr("\u6ce8\u610f\u529b FlashAttention")));
}

TEST(Script, SameScriptGivesTheSameBytes) {
    const auto picture = [] {
        TestBench bench;
        bench.play("move @welcome/lessons/buffers\nkey Ctrl+Shift+P\ntext \"zoom\"\n");
        return bench.host.picture();
    };
    EXPECT_EQ(picture(), picture());
}

TEST(ScriptLanguage, WordsQuotesAndComments) {
    const std::vector<ScriptLine> lines =
        split_script("# head\n\nkey  Ctrl+F\ttext # tail\n text \"a \\\"b\\\" # c\"\n");
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].number, 3U);
    EXPECT_EQ(lines[0].words, (std::vector<std::string>{"key", "Ctrl+F", "text"}));
    EXPECT_EQ(lines[1].words, (std::vector<std::string>{"text", "a \"b\" # c"}));
}

TEST(ScriptLanguage, PlacesHaveSharesAndOffsets) {
    const PlaceSpec spec = parse_place("@timeline/c3/mte2:0.25,1+4,-2").value();
    EXPECT_EQ(spec.name, "timeline/c3/mte2");
    EXPECT_EQ(spec.share, (Point{0.25F, 1}));
    EXPECT_EQ(spec.offset, (Point{4, -2}));
    EXPECT_EQ(parse_place("@a+b")->name, "a+b");
    EXPECT_FALSE(parse_place("timeline").has_value());
}

}  // namespace
}  // namespace ascendsim::gui
