// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "gui/canvas/anchors.hpp"
#include "gui/shell/view_state.hpp"

namespace ascendsim::gui {

/// What scripts read and set by dotted paths.
class ScriptValues {
public:
    /// `own` gives the shell's own values by name.
    ScriptValues(ViewState& view, const Anchors& anchors, std::function<nlohmann::json()> own)
        : view_{view}, anchors_{anchors}, own_{std::move(own)} {}

    /// A value: view.*, one of the shell's own, anchor.NAME, or what a panel published; null if there is
    /// none.
    [[nodiscard]] nlohmann::json get(std::string_view path) const;
    /// Sets view.* or a path registered with on_set(). Throws UserError for an unknown one.
    void set(std::string_view path, const nlohmann::json& value);
    void on_set(std::string path, std::function<void(const nlohmann::json&)> setter);

private:
    ViewState& view_;
    const Anchors& anchors_;
    std::function<nlohmann::json()> own_;
    std::map<std::string, std::function<void(const nlohmann::json&)>, std::less<>> setters_;
};

}  // namespace ascendsim::gui
