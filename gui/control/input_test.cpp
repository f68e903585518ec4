// SPDX-License-Identifier: Apache-2.0
#include "gui/control/input.hpp"

#include <gtest/gtest.h>
#include <imgui.h>

namespace ascendsim::gui {
namespace {

struct Fixture : testing::Test {
    Fixture() : context{ImGui::CreateContext()}, adapter{ImGui::GetIO()} {}

    ~Fixture() override { ImGui::DestroyContext(context); }

    ImGuiIO& feed() {
        adapter.feed(ImGui::GetIO());
        return ImGui::GetIO();
    }

    ImGuiContext* context;
    InputAdapter adapter;
};

using InputTest = Fixture;

TEST_F(InputTest, PressAndReleaseReachDifferentFrames) {
    adapter.push(MouseMove{{10, 20}});
    adapter.push(MouseButton{0, true});
    adapter.push(MouseButton{0, false});
    EXPECT_TRUE(feed().MouseDown[0]);
    EXPECT_EQ(ImGui::GetIO().MousePos.x, 10);
    EXPECT_FALSE(adapter.idle());
    EXPECT_FALSE(feed().MouseDown[0]);
    EXPECT_TRUE(adapter.idle());
}

TEST_F(InputTest, MoveAfterAPressWaitsForTheNextFrame) {
    adapter.push(MouseMove{{10, 10}});
    adapter.push(MouseButton{0, true});
    adapter.push(MouseMove{{50, 50}});
    EXPECT_EQ(feed().MousePos.x, 10);
    EXPECT_EQ(feed().MousePos.x, 50);
}

TEST_F(InputTest, WheelSeesTheControlKeyHeldAroundIt) {
    adapter.push(KeyChange{Key::control, true});
    adapter.push(MouseWheel{0, 1});
    adapter.push(MouseWheel{0, 2});
    adapter.push(KeyChange{Key::control, false});
    EXPECT_EQ(feed().MouseWheel, 3);
    EXPECT_TRUE(ImGui::GetIO().KeyCtrl);
    EXPECT_EQ(feed().MouseWheel, 0);
    EXPECT_FALSE(ImGui::GetIO().KeyCtrl);
}

TEST_F(InputTest, ChordCarriesTheModifiersOfItsMoment) {
    adapter.push(KeyChange{Key::shift, true});
    adapter.push(KeyChange{key_of('p'), true});
    adapter.push(KeyChange{Key::shift, false});
    feed();
    ASSERT_EQ(adapter.pressed().size(), 1U);
    EXPECT_EQ(to_string(adapter.pressed()[0].chord), "Shift+P");
    EXPECT_FALSE(adapter.pressed()[0].repeated);
    adapter.push(KeyChange{key_of('p'), true});
    feed();
    feed();
    EXPECT_TRUE(adapter.pressed().empty() || adapter.pressed()[0].repeated);
}

TEST_F(InputTest, QuestionMarkIsAChordOnAnyLayout) {
    adapter.push(TextInput{"?"});
    feed();
    ASSERT_EQ(adapter.pressed().size(), 1U);
    EXPECT_EQ(to_string(adapter.pressed()[0].chord), "?");
}

TEST_F(InputTest, LosingFocusReleasesEverything) {
    adapter.push(KeyChange{Key::control, true});
    adapter.push(MouseButton{1, true});
    feed();
    adapter.push(FocusChange{false});
    const ImGuiIO& io = feed();
    EXPECT_FALSE(io.KeyCtrl);
    EXPECT_FALSE(io.MouseDown[1]);
    EXPECT_FALSE(io.KeysDown[static_cast<std::size_t>(Key::control)]);
}

TEST_F(InputTest, UnknownButtonsAndKeysAreIgnored) {
    adapter.push(MouseButton{17, true});
    adapter.push(KeyChange{static_cast<Key>(5000), true});
    feed();
    EXPECT_TRUE(adapter.idle());
    EXPECT_TRUE(adapter.pressed().empty());
}

TEST(Keys, NamesGoBothWays) {
    for (const char* text : {"Ctrl+Shift+P", "Alt+.", "Home", "F12", "?", "Ctrl+0", "Ctrl++", "Space", "["}) {
        const std::optional<Chord> chord = parse_chord(text);
        ASSERT_TRUE(chord.has_value()) << text;
        EXPECT_EQ(to_string(*chord), text);
    }
    EXPECT_EQ(parse_chord("ctrl+shift+p"), parse_chord("Ctrl+Shift+P"));
    EXPECT_FALSE(parse_chord("Hyper+P").has_value());
    EXPECT_FALSE(parse_chord("").has_value());
    EXPECT_FALSE(parse_chord("PP").has_value());
}

}  // namespace
}  // namespace ascendsim::gui
