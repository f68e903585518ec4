// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/shell/chrome/docks.hpp"
#include "gui/shell/chrome/overlays.hpp"
#include "gui/shell/chrome/toolbar.hpp"
#include "gui/shell/open_documents.hpp"

namespace ascendsim::gui {

/// Commands of the window itself: files, overlays, looks, arrangement, panels and saving them.
class WindowCommands {
public:
    /// What they act on; it must outlive the command table.
    struct Targets {
        ViewState& view;
        const OpenDocuments& documents;
        Toasts& toasts;
        Exports& exports;
        Docks& docks;
        Overlays& overlays;
        Toolbar& toolbar;
    };

    explicit WindowCommands(const Targets& targets)
        : view_{targets.view},
          documents_{targets.documents},
          toasts_{targets.toasts},
          exports_{targets.exports},
          docks_{targets.docks},
          overlays_{targets.overlays},
          toolbar_{targets.toolbar} {}

    void add_to(CommandTable& commands);

    /// Whether the user wants the program to end.
    [[nodiscard]] bool quit() const { return quit_; }

private:
    void add_files(CommandTable& commands);
    void add_looks(CommandTable& commands);
    void add_presets(CommandTable& commands);
    void add_panels(CommandTable& commands);
    void add_exports(const PanelInfo& info, CommandTable& commands);
    void save_session() const;
    /// Closes what lies over the panels; if nothing does, clears what is selected.
    void press_escape();

    ViewState& view_;
    const OpenDocuments& documents_;
    Toasts& toasts_;
    Exports& exports_;
    Docks& docks_;
    Overlays& overlays_;
    Toolbar& toolbar_;
    bool quit_ = false;
};

}  // namespace ascendsim::gui
