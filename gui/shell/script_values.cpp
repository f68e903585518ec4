// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/script_values.hpp"

#include <utility>

#include "sim/base/error.hpp"

namespace ascendsim::gui {
namespace {

using nlohmann::json;

/// Walks a dotted path; null if a part is missing.
const json* walk(const json& root, std::string_view path) {
    const json* at = &root;
    while (!path.empty()) {
        const std::size_t dot = std::min(path.find('.'), path.size());
        const std::string key{path.substr(0, dot)};
        path.remove_prefix(std::min(dot + 1, path.size()));
        if (at->is_array()) {
            const std::size_t index = static_cast<std::size_t>(std::strtoull(key.c_str(), nullptr, 10));
            if (index >= at->size()) {
                return nullptr;
            }
            at = &(*at)[index];
        } else if (at->is_object() && at->contains(key)) {
            at = &(*at)[key];
        } else {
            return nullptr;
        }
    }
    return at;
}

}  // namespace

json ScriptValues::get(std::string_view path) const {
    constexpr std::string_view view_prefix = "view.";
    constexpr std::string_view anchor_prefix = "anchor.";
    if (path.starts_with(anchor_prefix)) {
        return anchors_.find(path.substr(anchor_prefix.size())).has_value();
    }
    if (path.starts_with(view_prefix)) {
        const json state = to_json(view_);
        const json* found = walk(state, path.substr(view_prefix.size()));
        return found == nullptr ? json() : *found;
    }
    if (const json* published = anchors_.find_value(path)) {
        return *published;
    }
    const json own = own_();
    const json* found = walk(own, path);
    return found == nullptr ? json() : *found;
}

void ScriptValues::on_set(std::string path, std::function<void(const json&)> setter) {
    setters_.insert_or_assign(std::move(path), std::move(setter));
}

void ScriptValues::set(std::string_view path, const json& value) {
    const auto setter = setters_.find(path);
    if (setter != setters_.end()) {
        setter->second(value);
        return;
    }
    constexpr std::string_view prefix = "view.";
    json state = to_json(view_);
    if (!path.starts_with(prefix) || walk(state, path.substr(prefix.size())) == nullptr) {
        std::vector<std::string> known;
        for (const auto& [key, unused] : state.items()) {
            known.push_back("view." + key);
        }
        for (const auto& [key, unused] : setters_) {
            known.push_back(key);
        }
        throw UserError{"nothing called '{}' can be set{}", path, nearest_hint(path, known)};
    }
    std::string pointer;
    for (const char c : path.substr(prefix.size() - 1)) {
        pointer += c == '.' ? '/' : c;
    }
    state[json::json_pointer{pointer}] = value;
    ViewState next = view_from_json(state);
    next.extent = view_.extent;
    next.back = view_.back;
    next.forward = view_.forward;
    view_ = std::move(next);
}

}  // namespace ascendsim::gui
