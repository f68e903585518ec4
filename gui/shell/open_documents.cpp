// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/open_documents.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/error.hpp"

namespace ascendsim::gui {

void OpenDocuments::poll(ViewState& view, Toasts& toasts) {
    if (source_ == nullptr) {
        return;
    }
    run_a_ = source_->run_a();
    run_b_ = source_->run_b();
    for (const ViewEdit& edit : source_->take_edits()) {
        edit(view);
    }
    for (std::string& message : source_->take_messages()) {
        toasts.add(ToastKind::error, std::move(message));
    }
    view.extent = run_a_ == nullptr ? 0.0 : run_a_->cycles();
    const bool b_has_its_own_length = view.compare && view.alignment != Alignment::length;
    if (run_b_ != nullptr && b_has_its_own_length) {
        view.extent = std::max(view.extent, run_b_->cycles());
    }
}

bool OpenDocuments::has_news() const {
    return source_ != nullptr &&
           (source_->run_a() != run_a_ || source_->run_b() != run_b_ || !source_->opening().empty());
}

void OpenDocuments::open(const std::string& path, ViewState& view) {
    if (path.ends_with(".json")) {
        view = load_session(path);
        const std::string run_b = view.run_b;
        if (!view.run_a.empty()) {
            open(std::string{view.run_a}, view);
        }
        if (!run_b.empty() && source_ != nullptr) {
            source_->open_b(run_b);
        }
        return;
    }
    if (source_ == nullptr) {
        throw UserError{"{}: there is nothing here that opens recordings or scenarios", path};
    }
    source_->open(path);
}

void OpenDocuments::open_b(const std::string& path, ViewState& view) {
    if (source_ == nullptr) {
        throw UserError{"{}: there is nothing here that opens recordings", path};
    }
    source_->open_b(path);
    view.compare = true;
}

void OpenDocuments::publish(Anchors& anchors) const {
    if (source_ != nullptr) {
        source_->publish(anchors);
    }
}

}  // namespace ascendsim::gui
