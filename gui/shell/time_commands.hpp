// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/control/commands.hpp"
#include "gui/shell/open_documents.hpp"

namespace ascendsim::gui {

/// Commands that move through the run's time: zoom, pan, views before, bookmarks. They change the view.
class TimeCommands {
public:
    /// What they act on must outlive the command table.
    TimeCommands(ViewState& view, const OpenDocuments& documents, Toasts& toasts)
        : view_{view}, documents_{documents}, toasts_{toasts} {}

    void add_to(CommandTable& commands);

private:
    void add_zoom_and_pan(CommandTable& commands);
    void add_views(CommandTable& commands);
    void add_bookmarks(CommandTable& commands);
    void recall_bookmark(std::size_t n);

    ViewState& view_;
    const OpenDocuments& documents_;
    Toasts& toasts_;
};

}  // namespace ascendsim::gui
