// SPDX-License-Identifier: Apache-2.0
// Advice that is tried with the real simulator: what the summary says is what separate runs say.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "gui/panels/panel_list.hpp"
#include "gui/panels/summary/advice_view.hpp"
#include "gui/runs/child_process.hpp"
#include "gui/runs/workbench.hpp"
#include "gui/shell/testing.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::gui {
namespace {

namespace fs = std::filesystem;

class Advice : public ::testing::Test {
protected:
    toolchain::Installation installation = toolchain::Installation::find();
    fs::path program = installation.libraries.parent_path() / "bin" / "ascendsim";
    fs::path folder = fs::path{::testing::TempDir()} / fmt::format("advice.{}", getpid());
    Workbench bench{{.program = program, .run_folder = folder / "runs", .loading = Loading::at_once}};
    FixedLibrary library;
    Headless host{{.library = library,
                   .documents = &bench,
                   .runs = &bench,
                   .panels = make_all_panels(),
                   .output = folder},
                  1280,
                  1400};

    void SetUp() override { fs::create_directories(folder); }

    void TearDown() override { fs::remove_all(folder); }

    void play(const std::string& text) {
        ScriptDriver script{text, "advice", folder};
        host.play(script);
    }

    /// Runs the simulator; returns its exit code.
    [[nodiscard]] int simulate(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), program.string());
        ChildProcess child{arguments, folder / "out.txt", folder / "error.txt"};
        for (;;) {
            if (const std::optional<int> exit = child.poll()) {
                return *exit;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds{5});
        }
    }

    [[nodiscard]] std::string path(const char* name) const { return (folder / name).string(); }

    void open_and_try_all(const std::string& file) {
        play("open " + file + R"(
            frames 3
            command panel.show_summary
            frames 3
            click @summary/try_all
            frames 2
            wait trials.busy == false 120
            frames 3
        )");
    }
};

TEST_F(Advice, OfAScenarioGainsWhatASeparateRunGains) {
    const std::string lesson = (installation.lessons() / "1_double_buffering.toml").string();
    ASSERT_EQ(simulate({"run", lesson, "--quiet", "--record", path("one.rec")}), 0);
    open_and_try_all(path("one.rec"));
    const Trial* trial = bench.trials()->find("kernel.buffers=2");
    ASSERT_NE(trial, nullptr);
    ASSERT_EQ(trial->result.problem, "");
    ASSERT_EQ(simulate({"run",
                        lesson,
                        "--quiet",
                        "--set",
                        "kernel.buffers=2",
                        "--record",
                        path("two.rec"),
                        "--json",
                        path("two.json")}),
              0);
    const double before = bench.trials()->before_us();
    const double after = read_figures(path("two.rec")).at("time_us").get<double>();
    EXPECT_DOUBLE_EQ(trial->result.time_us, after);
    EXPECT_LT(after, 0.6 * before) << "with one buffer copies and additions take turns";
    bool shown = false;
    for (int n = 0; n < 8; ++n) {
        const nlohmann::json words = host.shell().value(fmt::format("summary.tried.{}.0", n));
        shown =
            shown || (words.is_string() && words == "tried kernel.buffers=2:\n" + gain_text(before, after));
    }
    EXPECT_TRUE(shown);
}

TEST_F(Advice, OfAKernelSourceIsShownHoweverSmallItsCauseAndKeepsWhatTheRunWasMadeWith) {
    ASSERT_EQ(simulate({"new", path("my_add.cpp")}), 0);
    ASSERT_EQ(simulate({"run",
                        path("my_add.cpp"),
                        "--quiet",
                        "--chip",
                        "910b1",
                        "--set",
                        "launch.blocks=6",
                        "--record",
                        path("six.rec")}),
              0);
    open_and_try_all(path("six.rec"));
    ASSERT_FALSE(bench.trials()->trials().empty());
    for (const std::unique_ptr<Trial>& trial : bench.trials()->trials()) {
        EXPECT_EQ(trial->result.problem, "") << trial->setting;
        play("expect text contains \"tried " + trial->setting + "\"\n");
    }
    play(R"(
        click @tab/parameters
        frames 3
        click @parameters/edit_run
        wait draft.knobs > 20 20
        expect draft.changes == 0
        key Ctrl+Enter
        frames 3
        wait runs.running == false 60
    )");
    EXPECT_EQ(bench.draft()->find("launch.blocks")->base, "6");
    EXPECT_EQ(bench.draft()->find("scenario.chip")->base, "910b1");
    EXPECT_EQ(bench.entry_a()->figure("cycles"), bench.entry_b()->figure("cycles")) << "nothing was changed";
}

TEST_F(Advice, OfARunWhoseSourceIsGoneSaysSoWhereItWouldBeTriedAndEdited) {
    ASSERT_EQ(simulate({"new", path("my_add.cpp")}), 0);
    ASSERT_EQ(simulate({"run", path("my_add.cpp"), "--quiet", "--record", path("gone.rec")}), 0);
    fs::remove(folder / "my_add.toml");  // which the recording names
    play("open " + path("gone.rec") + R"(
        frames 3
        command panel.show_summary
        frames 3
        expect anchor.summary/try_all == false
        expect text contains "Cannot be tried."
        click @tab/parameters
        frames 3
        expect anchor.parameters/edit_run == false
        expect text contains "is not there any more"
    )");
}

TEST_F(Advice, OfASourceThatHasChangedIsNotTried) {
    ASSERT_EQ(simulate({"new", path("my_add.cpp")}), 0);
    ASSERT_EQ(simulate({"run", path("my_add.cpp"), "--quiet", "--record", path("broken.rec")}), 0);
    std::ofstream{folder / "my_add.cpp", std::ios::app} << "int lost = nowhere;\n";
    play("open " + path("broken.rec") + R"(
        frames 3
        command panel.show_summary
        frames 3
        expect anchor.summary/try_all == false
        expect text contains "Cannot be tried."
    )");
}

TEST_F(Advice, OfAHostProgramHasItsArgumentsWhenItRunsAgain) {
    const fs::path example = installation.root / "runtime/acl/examples/vector_add.cpp";
    ASSERT_EQ(simulate({"run", example.string(), "--quiet", "--record", path("words.rec"), "--", "16384"}),
              0);
    play("open " + path("words.rec") + R"(
        frames 3
        click @tab/parameters
        frames 3
        click @parameters/edit_run
        frames 3
        key Ctrl+Enter
        frames 3
        wait runs.count == 2 60
        wait runs.running == false 60
        expect runs.status == complete
    )");
    // Without its word the program adds another number of elements, in another time.
    EXPECT_EQ(bench.entry_a()->figure("cycles"), bench.entry_b()->figure("cycles"));
}

}  // namespace
}  // namespace ascendsim::gui
