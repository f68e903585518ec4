// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gtest/gtest.h>

#include "gui/shell/random_user.hpp"
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
    RandomUser user{seed};
    std::vector<std::unique_ptr<Panel>> panels;
    for (std::size_t n = 0; n < dock_count; ++n) {
        panels.push_back(std::make_unique<BusyPanel>(static_cast<Dock>(n)));
    }
    TestBench bench{std::move(panels)};
    bench.host.shell().commands().rebind("session.save", {});  // writes files
    bench.host.shell().commands().rebind("file.open", {});     // reads folders
    for (int frame = 0; frame < 4000; ++frame) {
        user.act(bench.host);
        if (user.once_in(200)) {
            bench.host.open(user.once_in(2) ? "run.rec" : "missing.rec");
        }
        if (user.once_in(500)) {
            bench.documents.run.reset();
        }
        bench.host.frame();
        ASSERT_NO_FATAL_FAILURE(expect_sane(bench)) << "seed " << seed << ", frame " << frame;
    }
    EXPECT_EQ(bench.host.picture().width, bench.host.width());
}

}  // namespace
}  // namespace ascendsim::gui
