// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/anchors.hpp"

#include <utility>

namespace ascendsim::gui {

void Anchors::clear() {
    boxes_.clear();
    values_.clear();
}

void Anchors::add(std::string_view name, Rect box) {
    if (enabled_ && !box.empty()) {
        boxes_.insert_or_assign(std::string{name}, box);
    }
}

void Anchors::value(std::string_view path, nlohmann::json value) {
    if (enabled_) {
        values_.insert_or_assign(std::string{path}, std::move(value));
    }
}

std::optional<Rect> Anchors::find(std::string_view name) const {
    const auto found = boxes_.find(name);
    return found == boxes_.end() ? std::nullopt : std::optional{found->second};
}

const nlohmann::json* Anchors::find_value(std::string_view path) const {
    const auto found = values_.find(path);
    return found == values_.end() ? nullptr : &found->second;
}

}  // namespace ascendsim::gui
