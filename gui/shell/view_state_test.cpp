// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/view_state.hpp"

#include <fstream>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/base/error.hpp"

namespace ascendsim::gui {
namespace {

ViewState long_run() {
    ViewState view;
    view.extent = 1'000'000;
    return view;
}

TEST(ViewState, WithoutAWindowTheWholeRunIsVisible) {
    const ViewState view = long_run();
    EXPECT_EQ(view.visible(), (TimeRange{0, 1'000'000}));
}

TEST(ViewState, ZoomKeepsThePointUnderThePointer) {
    ViewState view = long_run();
    view.zoom(2, 250'000);
    // The visible length halves; 250,000 stays at a quarter of it: 250,000 - 0.25 * 500,000 = 125,000.
    EXPECT_EQ(view.visible(), (TimeRange{125'000, 625'000}));
    view.zoom(0.5, 250'000);
    EXPECT_FALSE(view.window.has_value());
}

TEST(ViewState, ZoomStopsAtOneCycle) {
    ViewState view = long_run();
    for (int n = 0; n < 200; ++n) {
        view.zoom(1.5, 777'777);
    }
    EXPECT_DOUBLE_EQ(view.visible().length(), shortest_window);
    EXPECT_LE(view.visible().begin, 777'777);
    EXPECT_GE(view.visible().end, 777'777);
}

TEST(ViewState, AnyStormOfZoomsAndPansStaysInsideTheRun) {
    std::mt19937 random{99};
    std::uniform_real_distribution<double> number{-1, 2};
    ViewState view = long_run();
    for (int n = 0; n < 5000; ++n) {
        view.zoom(number(random) > 0.5 ? 1.7 : 0.6, number(random) * 1e6);
        view.pan(number(random) - 0.5);
        const TimeRange seen = view.visible();
        ASSERT_GE(seen.begin, 0) << "seed 99, step " << n;
        ASSERT_LE(seen.end, 1'000'000 + 1e-6) << "seed 99, step " << n;
        ASSERT_GE(seen.length(), shortest_window * (1 - 1e-9)) << "seed 99, step " << n;
    }
}

TEST(ViewState, HistoryGoesBackAndForth) {
    ViewState view = long_run();
    view.show({100, 200});
    view.show({120, 130});
    EXPECT_TRUE(view.go_back());
    EXPECT_EQ(view.visible(), (TimeRange{100, 200}));
    EXPECT_TRUE(view.go_back());
    EXPECT_EQ(view.visible(), (TimeRange{0, 1'000'000}));
    EXPECT_FALSE(view.go_back());
    EXPECT_TRUE(view.go_forward());
    EXPECT_TRUE(view.go_forward());
    EXPECT_EQ(view.visible(), (TimeRange{120, 130}));
    EXPECT_FALSE(view.go_forward());
}

TEST(ViewState, ABurstOfZoomingIsOneStepOfTheHistory) {
    ViewState view = long_run();
    view.zoom(2, 0);
    view.rest(0.1);
    view.zoom(2, 0);
    view.pan(0.5);
    view.rest(1);  // long enough to begin anew
    view.zoom(2, 0);
    EXPECT_TRUE(view.go_back());
    EXPECT_EQ(view.visible(), (TimeRange{125'000, 375'000})) << "a quarter, moved by half of itself";
    EXPECT_TRUE(view.go_back());
    EXPECT_EQ(view.visible(), (TimeRange{0, 1'000'000}));
    EXPECT_FALSE(view.go_back());
}

TEST(ViewState, EmptyRangeIsShownAsOneCycleAroundIt) {
    ViewState view = long_run();
    view.show({500, 500});
    EXPECT_EQ(view.visible(), (TimeRange{499.5, 500.5}));
}

ViewState rich() {
    ViewState view;
    view.theme = ThemeName::light;
    view.text_scale = 1.5F;
    view.unit = TimeUnit::microseconds;
    view.layout.left = 333;
    view.layout.show_bottom = false;
    view.active_tabs["bottom"] = "summary";
    view.run_a = "a.rec";
    view.run_b = "b.rec";
    view.compare = true;
    view.window = TimeRange{10, 20.5};
    view.range = TimeRange{11, 12};
    view.cursor = 15;
    view.cause = record::Reason::flag_data;
    view.find = "DataCopy";
    view.selected = {{3, 512}, {4, 7}};
    view.bookmarks[3] = Bookmark{{1, 2}, TimeRange{1.5, 1.75}, {{2, 9}}, std::set<std::uint32_t>{1, 5}};
    view.alignment = Alignment::end;
    view.aligned_at = record::SpanId{1, 77};
    view.open_cores = std::set<std::uint32_t>{0, 7};
    view.play_speed = 4;
    view.marks = {{"tile 7", {100, 200}}};
    return view;
}

TEST(Session, WhatIsSavedIsLoaded) {
    const std::string path = testing::TempDir() + "session_round.json";
    save_session(path, rich());
    const ViewState loaded = load_session(path);
    EXPECT_EQ(to_json(loaded), to_json(rich()));
    EXPECT_EQ(loaded.layout, rich().layout);
    EXPECT_EQ(loaded.marks, rich().marks);
    EXPECT_EQ(loaded.bookmarks, rich().bookmarks);
    EXPECT_EQ(loaded.cause, record::Reason::flag_data);
}

TEST(Session, MissingKeysKeepTheirDefaults) {
    EXPECT_EQ(to_json(view_from_json(nlohmann::json::object())), to_json(ViewState{}));
}

TEST(Session, WrongValuesAreNamed) {
    const auto message = [](const char* key, const nlohmann::json& value) -> std::string {
        nlohmann::json session = to_json(ViewState{});
        session[key] = value;
        try {
            (void)view_from_json(session);
        } catch (const UserError& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_THAT(message("theme", "pink"),
                testing::AllOf(testing::HasSubstr("theme"), testing::HasSubstr("dark, light")));
    EXPECT_THAT(message("unit", 7), testing::HasSubstr("unit"));
    EXPECT_THAT(message("window", {5, 5}), testing::HasSubstr("window"));
    EXPECT_THAT(message("cause", "boredom"), testing::HasSubstr("flag_buffer"));
    EXPECT_THAT(message("selected", {1, 2}), testing::HasSubstr("selected"));
    EXPECT_THAT(message("version", 99), testing::HasSubstr("99"));
}

TEST(Session, FileThatIsNoSessionIsTheUsersError) {
    const std::string path = testing::TempDir() + "no_session.json";
    std::ofstream{path} << "{ not json";
    EXPECT_THROW((void)load_session(path), UserError);
    EXPECT_THROW((void)load_session("/nonexistent/session.json"), UserError);
    EXPECT_THROW(save_session("/nonexistent/session.json", ViewState{}), UserError);
}

}  // namespace
}  // namespace ascendsim::gui
