// SPDX-License-Identifier: Apache-2.0
// The dashboard: a window, or pictures without one.
#include <algorithm>
#include <cctype>
#include <chrono>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/version/version.hpp"
#include "gui/control/script_language.hpp"
#include "gui/panels/panel_list.hpp"
#include "gui/runs/workbench.hpp"
#include "gui/shell/headless.hpp"
#include "gui/window/window.hpp"
#include "sim/base/error.hpp"
#include "sim/base/portable_arithmetic.hpp"
#include "sim/process/file_text.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::gui {
namespace {

struct Options {
    std::string run;
    bool headless = false;
    std::string shot;
    std::string svg;
    std::string text;
    std::string base;
    std::string csv;
    std::string panel;
    std::string script;
    std::string out = ".";
    std::string size = "1280x720";
    float scale = 1;
    std::string theme = "dark";
    std::string scenarios;
    std::string runs = "out";
    std::string simulator;
    std::string key_file;
    bool software = false;
    std::optional<long> frames;
};

std::vector<std::string> panel_names() {
    std::vector<std::string> names;
    for (const std::unique_ptr<Panel>& panel : make_all_panels()) {
        names.emplace_back(panel->info().name);
    }
    return names;
}

/// The name of a view given by its name or by the title on its tab, in capitals or not. Throws UserError if
/// none has it.
std::string panel_named(const std::string& given) {
    const auto same = [&](std::string_view word) {
        return std::ranges::equal(
            given,
            word,
            {},
            [](unsigned char c) { return std::tolower(c); },
            [](unsigned char c) { return std::tolower(c); });
    };
    for (const std::unique_ptr<Panel>& panel : make_all_panels()) {
        if (same(panel->info().name) || same(panel->info().title)) {
            return std::string{panel->info().name};
        }
    }
    const std::vector<std::string> names = panel_names();
    throw UserError{
        "--panel {}: no such view{} (known: {})", given, nearest_hint(given, names), fmt::join(names, ", ")};
}

void declare(CLI::App& app, Options& o) {
    app.add_option("RUN", o.run, "recording, scenario, lesson, kernel or session to open");
    app.add_flag("--headless", o.headless, "make pictures without a display");
    app.add_option("--shot", o.shot, "write the picture as PNG");
    app.add_option("--svg", o.svg, "write the picture as SVG");
    app.add_option("--base", o.base, "recording to compare with: run B");
    app.add_option("--csv", o.csv, "write the table of --panel as comma-separated text");
    app.add_option(
        "--panel",
        o.panel,
        fmt::format(
            "bring a view to the front, by its name or its tab's title ({}); pictures are of it alone",
            fmt::join(panel_names(), ", ")));
    app.add_option("--text", o.text, "write the words on the screen");
    app.add_option("--script", o.script, "play user actions from a file");
    app.add_option("--out", o.out, "folder of what a script or the user saves")->capture_default_str();
    app.add_option("--size", o.size, "pixels of the window or picture")->capture_default_str();
    app.add_option("--scale", o.scale, "size of text, 0.5 to 4")
        ->check(CLI::Range(0.5F, 4.0F))
        ->capture_default_str();
    app.add_option("--theme", o.theme, "colours")
        ->check(CLI::IsMember({"dark", "light"}))
        ->capture_default_str();
    app.add_option("--scenarios", o.scenarios, "folder of scenarios and lessons");
    app.add_option("--runs", o.runs, "folder of recordings")->capture_default_str();
    app.add_option("--simulator", o.simulator, "program that runs scenarios, if not the one beside this");
    app.add_option("--keys", o.key_file, "key file: {\"view.zoom_in\": [\"W\"], ...}");
    app.add_flag("--software", o.software, "draw the window without OpenGL");
    app.add_option("--frames", o.frames, "close the window after that many frames")
        ->check(CLI::PositiveNumber);
}

/// The given folder, else `scenarios` here, else the one of this program's installation.
std::filesystem::path scenario_folder(const Options& options) {
    if (!options.scenarios.empty()) {
        return options.scenarios;
    }
    const std::filesystem::path here = "scenarios";
    return std::filesystem::is_directory(here) ? here : toolchain::Installation::find().scenarios();
}

void set_up(ShellHost& host, const Options& options) {
    Shell& shell = host.shell();
    shell.view().theme = theme_from_name(options.theme).value_or(ThemeName::dark);
    shell.view().text_scale = options.scale;
    if (!options.key_file.empty()) {
        const nlohmann::json keys =
            nlohmann::json::parse(process::read_text(options.key_file), nullptr, false);
        if (keys.is_discarded()) {
            throw UserError{"{}: not a key file: no JSON", options.key_file};
        }
        shell.commands().rebind(keys);
    }
    if (!options.run.empty()) {
        shell.open_or_throw(options.run);
    }
    if (!options.base.empty()) {
        host.open_b(options.base);
    }
}

void write_outputs(ShellHost& host, const Options& options) {
    if (!options.csv.empty()) {
        host.save_table(options.csv, options.panel);
    }
    if (!options.text.empty()) {
        write_text(options.text, host.screen_text());
    }
    if (!options.shot.empty()) {
        host.save_picture(options.shot, options.panel);
    }
    if (!options.svg.empty()) {
        host.save_svg(options.svg, options.panel);
    }
}

/// A picture of nothing is no answer. In a window a recording may still be one that is being written.
void check_holds_something(const std::shared_ptr<const Document>& document, const std::string& name) {
    const Run* run = as_run(document.get());
    const bool recording = std::filesystem::path{name}.extension() == ".rec";
    if (recording && (run == nullptr || run->recording().lanes().empty())) {
        throw UserError{"{}: holds nothing: no run, or one that ended before it began", name};
    }
}

/// Nor is one of a scenario that could not be run: whoever asked for a picture alone sees no message.
void check_ran(Workbench& workbench, const std::string& name) {
    if (workbench.run_a() == nullptr && !workbench.runs().empty() &&
        workbench.runs().back().status == RunStatus::failed) {
        throw UserError{"{}: {}", name, workbench.runs().back().error};
    }
}

/// Makes frames until a run that was asked for has ended.
void finish_run(Headless& host, Workbench& workbench, const Options& options) {
    constexpr std::chrono::milliseconds pause{5};
    host.settle();
    if (!options.panel.empty()) {
        host.shell().commands().run("panel.show_" + options.panel);
    }
    while (workbench.busy()) {
        std::this_thread::sleep_for(pause);
        host.frame();
    }
    host.settle();
    check_ran(workbench, options.run);
    check_holds_something(workbench.run_a(), options.run);
    check_holds_something(workbench.run_b(), options.base);
}

int show(const Options& options) {
    const std::optional<Point> size = parse_size(options.size);
    if (!size) {
        throw UserError{"--size {}: write it like 1280x720, at most 16384 on a side", options.size};
    }
    const auto width = static_cast<int>(size->x);
    const auto height = static_cast<int>(size->y);
    FolderLibrary library{scenario_folder(options), options.runs};
    library.refresh();
    Workbench workbench{{.program = options.simulator.empty() ? simulator_beside_this()
                                                              : std::filesystem::path{options.simulator},
                         .run_folder = options.runs,
                         .loading = options.headless ? Loading::at_once : Loading::background}};
    ShellParts parts{.library = library,
                     .documents = &workbench,
                     .runs = &workbench,
                     .panels = make_all_panels(),
                     .output = options.out};
    std::optional<ScriptDriver> script;
    if (!options.script.empty()) {
        std::filesystem::create_directories(options.out);
        script.emplace(process::read_text(options.script), options.script, options.out);
    }
    if (options.headless) {
        Headless host{std::move(parts), width, height};
        set_up(host, options);
        if (script) {
            host.play(*script);
        } else {
            finish_run(host, workbench, options);
        }
        write_outputs(host, options);
        return 0;
    }
    Window host{std::move(parts), {width, height, options.software, options.frames}};
    set_up(host, options);
    host.run(script ? &*script : nullptr);
    write_outputs(host, options);
    return 0;
}

}  // namespace
}  // namespace ascendsim::gui

int main(int argc, char** argv) {
    ascendsim::use_portable_arithmetic(argv);
    namespace gui = ascendsim::gui;
    try {
        CLI::App app{"AscendSim dashboard: where every cycle of an Ascend C kernel went, and why"};
        gui::Options options;
        gui::declare(app, options);
        app.set_version_flag("--version", "ascendsim-gui " + ascendsim::version());
        try {
            app.parse(argc, argv);
        } catch (const CLI::ParseError& error) {
            return app.exit(error) == 0 ? 0 : 2;
        }
        options.panel = options.panel.empty() ? options.panel : gui::panel_named(options.panel);
        return gui::show(options);
    } catch (const gui::ScriptFailure& failure) {
        std::cerr << failure.what() << '\n';
        return 1;
    } catch (const ascendsim::UserError& error) {
        std::cerr << error.what() << '\n';
        return 2;
    } catch (const std::exception& error) {
        std::cerr << "defect: " << error.what() << '\n';
        return 4;
    }
}
