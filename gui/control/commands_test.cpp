// SPDX-License-Identifier: Apache-2.0
#include "gui/control/commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/base/error.hpp"

namespace ascendsim::gui {
namespace {

Chord chord(std::string_view text) {
    return parse_chord(text).value();
}

struct CommandTest : testing::Test {
    CommandTest() {
        table.add({"view.zoom_in", "Zoom in", "Time", {chord("W")}, [this] { ++zoomed; }, {}, true});
        table.add(
            {"view.fit", "Show the whole run", "Time", {chord("Home")}, [] {}, [] { return false; }, false});
        table.add({"help.open", "Show all keys", "Window", {chord("?"), chord("F1")}, [] {}, {}, false});
    }

    int zoomed = 0;
    CommandTable table;
};

template <class Act>
std::string message_of(Act act) {
    try {
        act();
    } catch (const UserError& error) {
        return error.what();
    }
    return "no error";
}

TEST_F(CommandTest, KeyRunsItsCommand) {
    EXPECT_TRUE(table.press(chord("W")));
    EXPECT_EQ(zoomed, 1);
    EXPECT_FALSE(table.press(chord("Ctrl+W")));
}

TEST_F(CommandTest, UnavailableCommandDoesNotRun) {
    EXPECT_FALSE(table.press(chord("Home")));
}

TEST_F(CommandTest, KeyOrNameTakenTwiceIsADefect) {
    EXPECT_THROW(table.add({"other", "Other", "Time", {chord("W")}, [] {}, {}, false}), InternalError);
    EXPECT_THROW(table.add({"view.fit", "Other", "Time", {}, [] {}, {}, false}), InternalError);
}

TEST_F(CommandTest, UnknownNameIsHinted) {
    EXPECT_THAT(message_of([&] { table.run("view.zoom_on"); }),
                testing::HasSubstr("did you mean 'view.zoom_in'?"));
}

TEST_F(CommandTest, ReboundKeyLeavesItsFormerOwner) {
    table.rebind("help.open", {chord("W")});
    EXPECT_TRUE(table.press(chord("W")));
    EXPECT_EQ(zoomed, 0);
    EXPECT_FALSE(table.press(chord("F1")));
    EXPECT_TRUE(table.find("view.zoom_in")->keys.empty());
}

TEST_F(CommandTest, KeyFileGoesRound) {
    const nlohmann::json before = table.bindings();
    table.rebind(nlohmann::json{{"view.zoom_in", {"Ctrl+Up"}}});
    EXPECT_TRUE(table.press(chord("Ctrl+Up")));
    EXPECT_FALSE(table.press(chord("W")));
    table.rebind(before);
    EXPECT_EQ(table.bindings(), before);
}

TEST_F(CommandTest, MistakesInAKeyFileAreNamed) {
    EXPECT_THAT(message_of([&] {
                    table.rebind(nlohmann::json{{"view.zoom_in", {"Hyper+Q"}}});
                }),
                testing::AllOf(testing::HasSubstr("view.zoom_in"), testing::HasSubstr("Hyper+Q")));
    EXPECT_THAT(message_of([&] {
                    table.rebind(nlohmann::json{{"view.zoom_in", "W"}});
                }),
                testing::HasSubstr("list"));
    EXPECT_THAT(message_of([&] { table.rebind(nlohmann::json::array()); }), testing::HasSubstr("object"));
}

TEST_F(CommandTest, SearchFindsByLettersInOrder) {
    EXPECT_EQ(table.search("").size(), 3U);
    ASSERT_FALSE(table.search("zin").empty());
    EXPECT_EQ(table.search("zin").front()->name, "view.zoom_in");
    EXPECT_EQ(table.search("keys").front()->name, "help.open");
    EXPECT_TRUE(table.search("xyzzy").empty());
}

TEST(MatchScore, WordStartsBeatLettersInTheMiddle) {
    EXPECT_GT(match_score("zi", "Zoom in"), match_score("oo", "Zoom in"));
    EXPECT_GT(match_score("zoom", "Zoom in"), match_score("zoom", "Say what loom is: azooom"));
    EXPECT_LT(match_score("q", "Zoom in"), 0);
    EXPECT_GE(match_score("n", "A very long title that holds many words and the letter at its very end: n"),
              0);
}

}  // namespace
}  // namespace ascendsim::gui
