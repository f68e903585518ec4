// SPDX-License-Identifier: Apache-2.0
#include "gui/document/run_documents.hpp"

#include <chrono>
#include <utility>

namespace ascendsim::gui {

void RunDocuments::open(const std::string& path) {
    auto opened = std::make_unique<RunFile>(path, loading_);
    close(std::exchange(a_, std::move(opened)));
}

void RunDocuments::open_b(const std::string& path) {
    auto opened = std::make_unique<RunFile>(path, loading_, analysis::Explained::figures);
    close(std::exchange(b_, std::move(opened)));
}

void RunDocuments::close_b() {
    close(std::move(b_));
}

void RunDocuments::close(std::unique_ptr<RunFile> file) {
    std::erase_if(closing_, [](const std::future<void>& done) {
        return done.wait_for(std::chrono::seconds{0}) == std::future_status::ready;
    });
    if (file != nullptr && loading_ == Loading::background) {
        closing_.push_back(
            std::async(std::launch::async, [old = std::move(file)]() mutable { old.reset(); }));
    }
}

void RunDocuments::close() {
    a_.reset();
    b_.reset();
}

void RunDocuments::hurry() {
    if (a_ != nullptr) {
        a_->hurry();
    }
}

bool RunDocuments::settled() const {
    return a_ == nullptr || a_->settled();
}

void RunDocuments::swap_runs() {
    std::swap(a_, b_);
    if (a_ != nullptr) {
        a_->explain_all();
    }
}

std::shared_ptr<const Document> RunDocuments::run_a() {
    return a_ == nullptr ? nullptr : a_->latest();
}

std::shared_ptr<const Document> RunDocuments::run_b() {
    if (b_ == nullptr) {
        return nullptr;
    }
    // Path and advice of B are not seen before the runs are swapped: A's come first.
    const std::shared_ptr<const Run> a = a_ == nullptr ? nullptr : a_->latest();
    if (a_ == nullptr || (a != nullptr && a->analysis() != nullptr)) {
        b_->explain_all();
    }
    return b_->latest();
}

std::vector<std::string> RunDocuments::opening() const {
    std::vector<std::string> all;
    for (const RunFile* file : {a_.get(), b_.get()}) {
        if (std::string sentence = file == nullptr ? std::string{} : file->opening(); !sentence.empty()) {
            all.push_back(std::move(sentence));
        }
    }
    return all;
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
