// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/exports.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ascendsim::gui {
namespace {

constexpr int frames_to_settle = 4;  // a menu has closed and a panel brought to the front has its size

}  // namespace

std::string_view suffix(ExportKind kind) {
    switch (kind) {
        case ExportKind::png:
            return ".png";
        case ExportKind::svg:
            return ".svg";
        case ExportKind::csv:
            return ".csv";
        case ExportKind::copy:
            return ".copy";
    }
    return "";
}

void Exports::add(ExportWish wish) {
    if (std::ranges::find(waiting_, wish, &Waiting::wish) == waiting_.end()) {
        waiting_.push_back({std::move(wish), frames_to_settle});
    }
}

std::vector<ExportWish> Exports::take_due() {
    std::vector<ExportWish> due;
    for (Waiting& waiting : waiting_) {
        if (--waiting.frames <= 0) {
            due.push_back(waiting.wish);
        }
    }
    std::erase_if(waiting_, [](const Waiting& waiting) { return waiting.frames <= 0; });
    return due;
}

std::filesystem::path Exports::file_for(const ExportWish& wish) const {
    const std::string stem = wish.panel.empty() ? "ascendsim" : "ascendsim_" + wish.panel;
    std::filesystem::path path = folder_ / fmt::format("{}{}", stem, suffix(wish.kind));
    std::error_code error;
    for (int n = 2; std::filesystem::exists(path, error); ++n) {
        path = folder_ / fmt::format("{}_{}{}", stem, n, suffix(wish.kind));
    }
    return path;
}

}  // namespace ascendsim::gui
