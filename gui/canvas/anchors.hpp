// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "gui/canvas/geometry.hpp"

namespace ascendsim::gui {

/// Names for places on the screen, filled anew in every frame, so scripts survive a change of layout:
/// "tab/summary", "timeline/c3/mte2/512", "run/button". Off unless a script runs, so frames build no strings.
class Anchors {
public:
    void enable(bool on) { enabled_ = on; }

    /// Ask before building a name.
    [[nodiscard]] bool enabled() const { return enabled_; }

    void clear();
    /// Names a box. An empty box is not clickable and thus not named; a second box of one name replaces the
    /// first.
    void add(std::string_view name, Rect box);
    /// Publishes a value that scripts may expect, by a dotted path: "timeline.visible_spans".
    void value(std::string_view path, nlohmann::json value);

    [[nodiscard]] std::optional<Rect> find(std::string_view name) const;
    [[nodiscard]] const nlohmann::json* find_value(std::string_view path) const;

    [[nodiscard]] const std::map<std::string, Rect, std::less<>>& all() const { return boxes_; }

    [[nodiscard]] const std::map<std::string, nlohmann::json, std::less<>>& values() const { return values_; }

private:
    bool enabled_ = false;
    std::map<std::string, Rect, std::less<>> boxes_;
    std::map<std::string, nlohmann::json, std::less<>> values_;
};

}  // namespace ascendsim::gui
