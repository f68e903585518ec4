// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "gui/panels/panel_list.hpp"
#include "gui/shell/testing.hpp"

namespace ascendsim::gui {
namespace {

std::filesystem::path golden(const char* name) {
    return std::filesystem::path{ASCENDSIM_GOLDEN} / name;
}

TEST(Golden, WelcomePageInTheDark) {
    TestBench bench;
    bench.host.settle();
    expect_golden(bench.host, golden("welcome_dark.png"));
}

TEST(Golden, WelcomePageInTheLightWithLargeText) {
    TestBench bench{{}, 1600, 900};
    bench.play("set view.theme light\nset view.text_scale 1.5\nmove @welcome/scenarios/matmul\n");
    expect_golden(bench.host, golden("welcome_light_large.png"));
}

TEST(Golden, LegendShowsEveryColourAndHatch) {
    for (const char* theme : {"dark", "light"}) {
        std::vector<std::unique_ptr<Panel>> panels;
        for (std::unique_ptr<Panel>& panel : make_all_panels()) {
            if (panel->info().name == "legend") {
                panels.push_back(std::move(panel));
            }
        }
        TestBench bench{std::move(panels), 1280, 720};
        bench.play(std::string{"open run.rec\nset view.theme "} + theme + "\nframes 2\n");
        expect_golden(bench.host, golden((std::string{"legend_"} + theme + ".png").c_str()));
    }
}

TEST(Golden, KeysAndPalette) {
    TestBench bench;
    bench.play("key ?\nframes 2\n");
    expect_golden(bench.host, golden("help.png"));
    bench.play("key Esc\nkey Ctrl+Shift+P\ntext \"zoom\"\nframes 2\n");
    expect_golden(bench.host, golden("palette.png"));
}

}  // namespace
}  // namespace ascendsim::gui
