// SPDX-License-Identifier: Apache-2.0
#include "gui/document/run_documents.hpp"

#include <utility>

namespace ascendsim::gui {

void RunDocuments::open(const std::string& path) {
    a_ = std::make_unique<RunFile>(path, loading_);
}

void RunDocuments::open_b(const std::string& path) {
    b_ = std::make_unique<RunFile>(path, loading_);
}

void RunDocuments::close_b() {
    b_.reset();
}

void RunDocuments::swap_runs() {
    std::swap(a_, b_);
}

std::shared_ptr<const Document> RunDocuments::run_a() {
    return a_ == nullptr ? nullptr : a_->latest();
}

std::shared_ptr<const Document> RunDocuments::run_b() {
    return b_ == nullptr ? nullptr : b_->latest();
}

std::vector<std::string> RunDocuments::take_messages() {
    std::vector<std::string> all;
    for (RunFile* file : {a_.get(), b_.get()}) {
        if (file != nullptr) {
            for (std::string& message : file->take_messages()) {
                all.push_back(std::move(message));
            }
        }
    }
    return all;
}

std::string RunDocuments::path_a() const {
    return a_ == nullptr ? std::string{} : a_->path().string();
}

std::string RunDocuments::path_b() const {
    return b_ == nullptr ? std::string{} : b_->path().string();
}

}  // namespace ascendsim::gui
