// SPDX-License-Identifier: Apache-2.0
// A user's session with the real simulator: open a scenario, see the bubble, add a buffer, see the gain.
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "gui/panels/panel_list.hpp"
#include "gui/runs/workbench.hpp"
#include "gui/shell/testing.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::gui {
namespace {

namespace fs = std::filesystem;

class EndToEnd : public ::testing::Test {
protected:
    toolchain::Installation installation = toolchain::Installation::find();
    fs::path runs = fs::path{::testing::TempDir()} / fmt::format("end_to_end.{}", getpid());
    Workbench bench{{.program = installation.libraries.parent_path() / "bin" / "ascendsim",
                     .run_folder = runs,
                     .loading = Loading::at_once}};
    FixedLibrary library;
    Headless host{{.library = library,
                   .documents = &bench,
                   .runs = &bench,
                   .panels = make_all_panels(),
                   .output = runs},
                  1280,
                  720};

    void play(const std::string& text) {
        ScriptDriver script{text, "end_to_end", ::testing::TempDir()};
        host.play(script);
    }

    [[nodiscard]] std::string scenario(const char* name) const {
        return (installation.scenarios() / name).string();
    }

    void TearDown() override { fs::remove_all(runs); }
};

TEST_F(EndToEnd, BufferCountIsChangedAndTheComparisonShowsTheGain) {
    play("open " + scenario("lessons/1_double_buffering.toml") + R"(
        wait runs.status == complete 60
        wait draft.knobs > 20 20
        expect welcome == false
        expect lesson.solved == false
        expect text contains "not yet"
        set view.window [9000,14000]
        frames 3
        click @timeline/largest_bubble
        frames 3
        click @tab/inspector
        frames 3
        expect inspector.reason == flag_data
        expect inspector.cycles > 500
        expect text contains "waiting for data"
        expect inspector.root != ""
        click @tab/parameters
        click @knob/kernel.buffers
        click @knob/kernel.buffers/2
        expect draft.changes == 1
        key Ctrl+Enter
        wait runs.count == 2 20
        wait runs.running == false 60
        expect runs.a == 2
        expect runs.b == 1
        click @tab/compare
        frames 3
        expect compare.time_change < -0.4
        expect compare.parameters == 1
        expect text contains "buffers"
        expect timeline.compares == true
    )");
    EXPECT_LT(bench.entry_a()->figure("cycles"), 0.6 * bench.entry_b()->figure("cycles"));
    EXPECT_LT(host.shell().value("runs.a_cycles").get<double>(),
              host.shell().value("runs.b_cycles").get<double>());
}

TEST_F(EndToEnd, SolutionOfALessonIsOneClickAfterItsHints) {
    play("open " + scenario("lessons/4_alignment_and_banks.toml") + R"(
        wait runs.status == complete 60
        wait draft.knobs > 20 20
        size 1280x1400
        frames 3
        click @lesson/hint
        click @lesson/hint
        click @lesson/hint
        click @lesson/solution
        wait runs.count == 2 20
        wait runs.running == false 60
        frames 2
        expect lesson.solved == true
        expect text contains "All goals are met"
    )");
}

TEST_F(EndToEnd, WrongScenarioLeavesTheDashboardAndTheOldRun) {
    play("open " + scenario("lessons/1_double_buffering.toml") + R"(
        wait runs.status == complete 60
        wait draft.knobs > 20 20
    )");
    bench.set_knob("kernel.blocks", "70000");
    bench.request_run();
    play("frames 3\nexpect runs.count == 1\nexpect toast_count == 1\n");
    bench.reset_knobs();
    bench.set_knob("kernel.tile", "999999");
    bench.request_run();
    play(
        "wait runs.count == 2 10\nwait runs.running == false 20\nexpect runs.status == failed\n"
        "expect welcome == false\nexpect text contains \"kernel.tile\"\n");
}

}  // namespace
}  // namespace ascendsim::gui
