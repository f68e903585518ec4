// SPDX-License-Identifier: Apache-2.0
// A dashboard that makes runs, with a simulator that says the same in every build.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gui/panels/panel_list.hpp"
#include "gui/runs/testing/fake_simulator.hpp"
#include "gui/shell/testing.hpp"

namespace ascendsim::gui {

/// A dashboard with a few panels over the fake simulator; none named means all.
class RunBench {
public:
    RunBench(const std::vector<std::string_view>& names, int width, int height)
        : host_{{.library = library_,
                 .documents = &bench_,
                 .runs = &bench_,
                 .panels = panels(names),
                 .output = simulator.folder()},
                width,
                height} {}

    void play(std::string_view text) {
        ScriptDriver script{text, "test", simulator.folder()};
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

    fake::FakeSimulator simulator;

    [[nodiscard]] Headless& host() { return host_; }

private:
    static std::vector<std::unique_ptr<Panel>> panels(const std::vector<std::string_view>& names) {
        std::vector<std::unique_ptr<Panel>> chosen;
        for (std::unique_ptr<Panel>& panel : make_all_panels()) {
            if (names.empty() || std::ranges::find(names, panel->info().name) != names.end()) {
                chosen.push_back(std::move(panel));
            }
        }
        return chosen;
    }

    FixedLibrary library_;
    Workbench bench_{simulator.options()};
    Headless host_;
};

}  // namespace ascendsim::gui
