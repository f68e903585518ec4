// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "gui/shell/testing.hpp"
#include "gui/shell/widgets.hpp"

namespace ascendsim::gui {
namespace {

/// A panel that reacts to everything a view of time reacts to.
class BusyPanel final : public Panel {
public:
    explicit BusyPanel(Dock dock) : dock_{dock} {}

    [[nodiscard]] PanelInfo info() const override {
        return {.name = name(dock_), .title = name(dock_), .hint = "For tests", .dock = dock_};
    }

    void draw_content(PanelContext& context) override {
        ImGui::InvisibleButton("area", {std::max(1.0F, ImGui::GetContentRegionAvail().x), 100});
        const float wheel = ImGui::GetIO().MouseWheel;
        if (ImGui::IsItemHovered() && wheel != 0) {
            const double about = ImGui::GetMousePos().x * 100;
            context.requests.change(
                [wheel, about](ViewState& view) { view.zoom(std::pow(1.3, wheel), about); });
        }
        value_row(context, "cycles", format_time(context.run_a->cycles(), context.time()), "length");
        if (link(context, "open", "opens")) {
            context.requests.open("another.rec");
        }
    }

private:
    Dock dock_;
};

InputEvent random_event(std::mt19937& random) {
    const auto number = [&](int low, int high) {
        return std::uniform_int_distribution<int>{low, high}(random);
    };
    switch (number(0, 6)) {
        case 0:
        case 1:
            return MouseMove{{static_cast<float>(number(-50, 1400)), static_cast<float>(number(-50, 800))}};
        case 2:
            return MouseButton{static_cast<unsigned>(number(0, 3)), number(0, 1) == 1};
        case 3:
            return MouseWheel{static_cast<float>(number(-3, 3)), static_cast<float>(number(-30, 30))};
        case 4:
            return KeyChange{key_of(static_cast<char>(number(' ', '~'))), number(0, 1) == 1};
        case 5:
            return KeyChange{static_cast<Key>(number(256, static_cast<int>(Key::count) - 1)),
                             number(0, 1) == 1};
        default:
            return number(0, 3) == 0 ? InputEvent{FocusChange{number(0, 1) == 1}}
                                     : InputEvent{TextInput{"a?\u6ce8\xff"}};
    }
}

void expect_sane(TestBench& bench) {
    const ViewState& view = bench.host.shell().view();
    const TimeRange seen = view.visible();
    ASSERT_TRUE(std::isfinite(seen.begin) && std::isfinite(seen.end));
    ASSERT_GE(seen.begin, 0);
    ASSERT_GE(seen.length(), shortest_window * 0.999);
    ASSERT_LE(bench.host.shell().toasts().shown().size(), 5U);
    ASSERT_GE(view.text_scale, 0.5F);
    ASSERT_LE(view.text_scale, 4.0F);
}

TEST(Fuzz, ThousandsOfRandomEventsLeaveTheShellSane) {
    constexpr unsigned seed = 20261121;
    std::mt19937 random{seed};
    std::vector<std::unique_ptr<Panel>> panels;
    for (std::size_t n = 0; n < dock_count; ++n) {
        panels.push_back(std::make_unique<BusyPanel>(static_cast<Dock>(n)));
    }
    TestBench bench{std::move(panels)};
    bench.host.shell().commands().rebind("session.save", {});  // writes files
    const auto number = [&](int low, int high) {
        return std::uniform_int_distribution<int>{low, high}(random);
    };
    for (int frame = 0; frame < 4000; ++frame) {
        for (int n = number(0, 4); n > 0; --n) {
            bench.host.push(random_event(random));
        }
        if (number(0, 99) == 0) {
            bench.host.resize(number(0, 1) == 0 ? number(1, 60) : number(200, 2600), number(1, 1500));
        }
        if (number(0, 199) == 0) {
            bench.host.open(number(0, 1) == 0 ? "run.rec" : "missing.rec");
        }
        if (number(0, 499) == 0) {
            bench.documents.run.reset();
        }
        bench.host.frame();
        ASSERT_NO_FATAL_FAILURE(expect_sane(bench)) << "seed " << seed << ", frame " << frame;
    }
    EXPECT_EQ(bench.host.picture().width, bench.host.width());
}

}  // namespace
}  // namespace ascendsim::gui
