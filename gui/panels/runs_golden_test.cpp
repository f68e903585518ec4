// SPDX-License-Identifier: Apache-2.0
// Pictures of the panels around runs, with a simulator that says the same in every build.
#include <algorithm>
#include <array>
#include <random>

#include <gtest/gtest.h>

#include "gui/panels/panel_list.hpp"
#include "gui/runs/testing/fake_simulator.hpp"
#include "gui/shell/testing.hpp"

namespace ascendsim::gui {
namespace {

/// A dashboard with a few panels over the fake simulator.
class RunBench {
public:
    RunBench(const std::vector<std::string_view>& names, int width, int height)
        : host_{{.library = library_,
                 .documents = &bench_,
                 .workbench = &bench_,
                 .panels = panels(names),
                 .output = ::testing::TempDir()},
                width,
                height} {}

    void play(std::string_view text) {
        ScriptDriver script{text, "test", ::testing::TempDir()};
        host_.play(script);
    }

    void open(const std::string& path) {
        host_.shell().open(path);
        settle();
    }

    void settle() {
        ASSERT_TRUE(fake::turn_until([&] { host_.frame(); }, [&] { return !bench_.busy(); }));
        host_.settle();
    }

    void expect(const char* golden) {
        host_.settle();
        expect_golden(host_.picture(), std::filesystem::path{ASCENDSIM_GOLDEN} / golden);
    }

    fake::FakeSimulator simulator;

    [[nodiscard]] Headless& host() { return host_; }

private:
    static std::vector<std::unique_ptr<Panel>> panels(const std::vector<std::string_view>& names) {
        std::vector<std::unique_ptr<Panel>> chosen;
        for (std::unique_ptr<Panel>& panel : make_all_panels()) {
            if (std::ranges::find(names, panel->info().name) != names.end()) {
                chosen.push_back(std::move(panel));
            }
        }
        return chosen;
    }

    FixedLibrary library_;
    Workbench bench_{simulator.options()};
    Headless host_;
};

const std::vector<std::string_view> run_panels{"parameters", "runs", "lessons", "compare", "chip_view"};

TEST(RunGolden, LessonSolvedByAnEditComparedWithItsStart) {
    RunBench bench{run_panels, 1280, 720};
    bench.open(bench.simulator.scenario_file("lesson"));
    bench.play(
        "expect lesson.solved == false\nclick @knob/kernel.buffers\nclick @knob/kernel.buffers/2\n"
        "click @lesson/run\nwait runs.count == 2 10\nwait runs.running == false 10\n"
        "expect lesson.solved == true\nexpect compare.time_change < -0.1\n"
        "click @chip/step\nmove @dock/right:0.5,0.9\nframes 3\n");
    bench.expect("runs_lesson.png");
}

TEST(RunGolden, ParametersAndHistoryInTheLight) {
    RunBench bench{{"parameters", "runs", "chip_view"}, 1280, 720};
    bench.open(bench.simulator.scenario_file("add"));
    bench.play(
        "set view.theme light\nclick \"@knob_group/chip hbm\"\nclick @knob/kernel.tile double\n"
        "text \"9999999\"\nkey Enter\nframes 2\nexpect draft.changes == 1\n"
        "click @run/button\nframes 3\nexpect runs.count == 1\nclick @toast/0\n"
        "move @dock/right:0.5,0.95\nframes 3\n");
    bench.expect("runs_parameters_light.png");
}

TEST(RunGolden, NothingOpenSaysWhatToDo) {
    RunBench bench{run_panels, 1280, 720};
    bench.open((bench.simulator.folder() / "run1.rec").string());
    bench.play("click @tab/lessons\nmove @dock/right:0.5,0.9\nframes 3\n");
    bench.expect("runs_recording_only.png");
}

TEST(RunGolden, ManyCoresAndTilesOnALargeScreen) {
    RunBench bench{{"chip_view", "runs"}, 2560, 1440};
    const std::filesystem::path file = bench.simulator.folder() / "huge.rec";
    fake::write_recording(file, {.tiles = 20'000, .buffers = 2, .cores = 48});
    bench.open(file.string());
    bench.play("click @chip/core/aiv17\nmove @dock/left:0.5,0.9\nframes 3\nexpect chip.core == aiv17\n");
    bench.expect("runs_chip_huge.png");
}

TEST(RunPanels, FailureShowsItsTextAndTheDashboardGoesOn) {
    RunBench bench{run_panels, 1280, 720};
    bench.open(bench.simulator.scenario_file("crash"));
    bench.play(
        "expect runs.status == failed\nexpect text contains \"signal 11\"\nexpect welcome == false\n"
        "click @tab/runs\nframes 2\nexpect anchor.runs/1 == true\n");
    bench.open(bench.simulator.scenario_file("wrong"));
    bench.play("expect text contains \"must be even\"\n");
}

TEST(RunPanels, PlayerStepsPlaysAndGoesBack) {
    RunBench bench{{"chip_view"}, 1280, 720};
    bench.open((bench.simulator.folder() / "run1.rec").string());
    bench.play("drag @chip/strip:0.1,0.5 3 0\nclick @chip/step\n");
    const double first = bench.host().shell().value("chip.cycle").get<double>();
    bench.play("click @chip/step\n");
    const double second = bench.host().shell().value("chip.cycle").get<double>();
    EXPECT_GT(second, first);
    bench.play("click @chip/step_back\n");
    EXPECT_EQ(bench.host().shell().value("chip.cycle").get<double>(), first);
    bench.play("click @chip/play\nexpect chip.playing == true\nframes 20\n");
    EXPECT_GT(bench.host().shell().value("chip.cycle").get<double>(), first);
    bench.play("click @chip/play\nexpect chip.playing == false\n");
}

TEST(RunPanels, HistorySelectsRenamesAndSwaps) {
    RunBench bench{run_panels, 1280, 720};
    bench.open(bench.simulator.scenario_file("add"));
    bench.play(
        "click @run/button\nwait runs.count == 2 10\nwait runs.running == false 10\n"
        "expect runs.a == 2\nexpect runs.b == 1\nkey X\nexpect runs.a == 1\n"
        "click @runs/2\nexpect runs.a == 2\nkey Shift+X\nexpect runs.b == 0\n"
        "click @runs/1 Shift\nexpect runs.b == 1\n"
        "click @runs/1 double\nframes 2\nkey Ctrl+A\ntext \"first try\"\nkey Enter\nframes 2\n"
        "expect text contains \"first try\"\nkey Ctrl+W\nexpect welcome == true\n");
}

TEST(RunPanels, RandomEventsNeverBreakThem) {
    constexpr unsigned seed = 20261121;
    std::mt19937 random{seed};
    RunBench bench{run_panels, 1280, 720};
    bench.open(bench.simulator.scenario_file("lesson"));
    const std::array<const char*, 10> keys{
        "X", "Ctrl+Enter", "Ctrl+R", "T", "Q", "B", "Esc", "Ctrl+.", "Home", "Ctrl+Shift+T"};
    for (int n = 0; n < 250; ++n) {
        const double x = std::uniform_real_distribution{0.0, 1.0}(random);
        const double y = std::uniform_real_distribution{0.0, 1.0}(random);
        const char* dock = std::array{"left", "centre", "right", "bottom"}[random() % 4];
        if (!bench.host().shell().anchors().find(std::string{"dock/"} + dock)) {
            bench.play("set view.layout.show_bottom true\nset view.layout.show_right true\nframes 2\n");
            continue;
        }
        bench.play(random() % 3 == 0 ? fmt::format("key {}\n", keys[random() % keys.size()])
                                     : fmt::format("click @dock/{}:{:.3f},{:.3f}\n", dock, x, y));
        ASSERT_LE(bench.host().shell().value("runs.b").get<int>(),
                  bench.host().shell().value("runs.count").get<int>())
            << "seed " << seed << ", step " << n;
    }
    bench.settle();
}

}  // namespace
}  // namespace ascendsim::gui
