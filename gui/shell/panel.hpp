// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/canvas/anchors.hpp"
#include "gui/canvas/canvas.hpp"
#include "gui/control/commands.hpp"
#include "gui/shell/document.hpp"
#include "gui/shell/layout.hpp"
#include "gui/shell/run_maker.hpp"
#include "gui/shell/toasts.hpp"
#include "gui/shell/view_state.hpp"

namespace ascendsim::gui {

/// What panels ask for while they draw; the shell does it after the frame is drawn, in order.
class Requests {
public:
    /// Changes what the user has chosen.
    void change(std::function<void(ViewState&)> edit) { edits_.push_back(std::move(edit)); }

    /// Runs a command of the table by name.
    void command(std::string name) { commands_.push_back(std::move(name)); }

    void toast(ToastKind kind, std::string text) { toasts_.emplace_back(kind, std::move(text)); }

    /// Opens a recording, scenario or lesson.
    void open(std::string path) { paths_.push_back(std::move(path)); }

    /// Has the maker of runs do something: run, cancel, turn a knob. Nothing happens without one.
    void work(std::function<void(RunMaker&)> act) { works_.push_back(std::move(act)); }

    /// Asks for another frame soon, without input: something on the panel moves by itself.
    void animate() { animated_ = true; }

    struct Taken {
        std::vector<std::function<void(ViewState&)>> edits;
        std::vector<std::string> commands;
        std::vector<std::pair<ToastKind, std::string>> toasts;
        std::vector<std::string> paths;
        std::vector<std::function<void(RunMaker&)>> works;
        bool animated = false;
    };

    /// Hands all over and starts empty.
    [[nodiscard]] Taken take() {
        return {std::exchange(edits_, {}),
                std::exchange(commands_, {}),
                std::exchange(toasts_, {}),
                std::exchange(paths_, {}),
                std::exchange(works_, {}),
                std::exchange(animated_, false)};
    }

private:
    std::vector<std::function<void(ViewState&)>> edits_;
    std::vector<std::string> commands_;
    std::vector<std::pair<ToastKind, std::string>> toasts_;
    std::vector<std::string> paths_;
    std::vector<std::function<void(RunMaker&)>> works_;
    bool animated_ = false;
};

/// Everything a panel may read while it draws, and where it puts its requests.
struct PanelContext {
    const ViewState& view;
    const Theme& theme;
    const FontSet& fonts;
    const CommandTable& commands;
    Anchors& anchors;
    Requests& requests;
    const Document* run_a = nullptr;  ///< the run under study, or none
    const Document* run_b = nullptr;  ///< the run it is compared with, or none
    const RunMaker* runs = nullptr;   ///< where runs are made, or none
    std::string* status = nullptr;    ///< a panel may say here what the pointer is over

    /// How cycles of the run under study are shown.
    [[nodiscard]] TimeScale time() const {
        return run_a == nullptr ? TimeScale{view.unit, 1.0} : run_a->time(view.unit);
    }

    [[nodiscard]] float scale() const { return fonts.scale(); }
};

/// What the shell needs to know to place a panel.
struct PanelInfo {
    std::string_view name;   ///< stable, as the file: "timeline"
    std::string_view title;  ///< "Timeline"
    std::string_view hint;   ///< one sentence, shown on hover
    Dock dock = Dock::bottom;
    int order = 0;          ///< among the tabs of its dock
    bool needs_run = true;  ///< whether it is hidden until a run is open
    bool table = false;     ///< whether table() has something to say
};

/// One view of the run. The shell owns the window around it; the panel draws inside and changes nothing but
/// its own scroll and filter state.
class Panel {
public:
    Panel() = default;
    Panel(const Panel&) = delete;
    Panel& operator=(const Panel&) = delete;
    virtual ~Panel() = default;

    [[nodiscard]] virtual PanelInfo info() const = 0;

    /// Whether it has anything to say about what is open; else it has no tab.
    [[nodiscard]] virtual bool applies(const PanelContext& /*context*/) const { return true; }

    /// Draws with Dear ImGui's widgets and an ImGuiCanvas; no I/O and no allocation per span.
    virtual void draw_content(PanelContext& context) = 0;

    /// The height, pixels, at which nothing has to be scrolled; 0 if any height will do. The dock may give
    /// less.
    [[nodiscard]] virtual float wished_height(const PanelContext& /*context*/) const { return 0; }

    /// What the panel shows as comma-separated text, all rows, units in the head; nothing if it is not added
    /// up yet.
    [[nodiscard]] virtual std::optional<std::string> table(const PanelContext& /*context*/) {
        return std::nullopt;
    }

    /// Looks at what is open, once a frame even while the panel is not on the screen, so that its commands
    /// work.
    virtual void watch(PanelContext& /*context*/) {}

    /// Adds the panel's own commands, once at start.
    virtual void add_commands(CommandTable& /*commands*/, Requests& /*requests*/) {}
};

}  // namespace ascendsim::gui
