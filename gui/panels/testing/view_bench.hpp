// SPDX-License-Identifier: Apache-2.0
// A dashboard over recordings made by hand, without a simulator.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gui/document/run_documents.hpp"
#include "gui/document/testing/runs.hpp"
#include "gui/panels/panel_list.hpp"
#include "gui/shell/testing.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim::gui {

/// Opens recordings before the next frame; what the user saves goes to a folder of its own.
struct ViewBench {
    explicit ViewBench(std::vector<std::unique_ptr<Panel>> panels, int width = 1280, int height = 720)
        : host{{.library = library,
                .documents = &documents,
                .panels = std::move(panels),
                .output = output.path()},
               width,
               height} {}

    void play(std::string_view text) {
        ScriptDriver script{text, "test", output.path()};
        host.play(script);
    }

    void open(const std::filesystem::path& file) {
        host.open(file.string());
        host.settle();
    }

    void open_b(const std::filesystem::path& file) {
        documents.open_b(file.string());
        host.shell().view().compare = true;
        host.settle();
    }

    FixedLibrary library;
    RunDocuments documents{Loading::at_once};
    TemporaryFolder output;
    Headless host;
};

/// All panels that show a run; those of runs to be made are left out.
inline std::vector<std::unique_ptr<Panel>> panels_of_a_run(const std::vector<std::string_view>& left_out) {
    std::vector<std::unique_ptr<Panel>> kept;
    for (std::unique_ptr<Panel>& panel : make_all_panels()) {
        if (std::ranges::find(left_out, panel->info().name) == left_out.end()) {
            kept.push_back(std::move(panel));
        }
    }
    return kept;
}

}  // namespace ascendsim::gui
