// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gui/shell/document.hpp"
#include "gui/shell/toasts.hpp"
#include "gui/shell/view_state.hpp"

namespace ascendsim::gui {

/// The runs that are open, A and B, and the source they come from.
class OpenDocuments {
public:
    /// Without a source nothing can be opened.
    explicit OpenDocuments(DocumentSource* source) : source_{source} {}

    /// Takes what the source has now; what opening it changes goes to the view, what went wrong to the
    /// toasts.
    void poll(ViewState& view, Toasts& toasts);
    /// True if the source has other runs now than poll() took, or is still opening some: a picture would be
    /// another.
    [[nodiscard]] bool has_news() const;
    /// Opens a recording, scenario, lesson or session file; a session replaces the view. Throws UserError.
    void open(const std::string& path, ViewState& view);
    /// Opens a recording as run B. Throws UserError.
    void open_b(const std::string& path, ViewState& view);
    /// Tells scripts how runs stand.
    void publish(Anchors& anchors) const;

    /// What is being opened and cannot be shown yet, as sentences.
    [[nodiscard]] std::vector<std::string> opening() const {
        return source_ == nullptr ? std::vector<std::string>{} : source_->opening();
    }

    /// True if a run is open.
    [[nodiscard]] bool any() const { return run_a_ != nullptr; }

    [[nodiscard]] const Document* run_a() const { return run_a_.get(); }

    [[nodiscard]] const Document* run_b() const { return run_b_.get(); }

private:
    DocumentSource* source_;
    std::shared_ptr<const Document> run_a_;
    std::shared_ptr<const Document> run_b_;
};

}  // namespace ascendsim::gui
