// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "gui/shell/format.hpp"
#include "gui/shell/layout.hpp"
#include "gui/shell/theme.hpp"
#include "sim/record/span.hpp"

namespace ascendsim::gui {

/// A stretch of the run, cycles; begin is below end.
struct TimeRange {
    double begin = 0;
    double end = 0;

    [[nodiscard]] double length() const { return end - begin; }

    friend bool operator==(TimeRange, TimeRange) = default;
};

/// A place to come back to, kept under a digit.
struct Bookmark {
    TimeRange window;
    std::optional<TimeRange> range;

    friend bool operator==(const Bookmark&, const Bookmark&) = default;
};

/// A named stretch of the run.
struct Mark {
    std::string name;
    TimeRange range;

    friend bool operator==(const Mark&, const Mark&) = default;
};

/// All that the user has chosen: one selection and one time window shared by every panel. A plain value; what
/// is stored in a session file is everything but the history of windows.
struct ViewState {
    ThemeName theme = ThemeName::dark;
    float text_scale = 1;
    TimeUnit unit = TimeUnit::cycles;
    LayoutState layout;
    std::map<std::string, std::string> active_tabs;  ///< by dock name

    std::string run_a;  ///< path of the run under study; empty if none
    std::string run_b;  ///< path of the run it is compared with
    bool compare = false;

    double extent = 0;                ///< length of the longest open run, cycles; not stored
    std::optional<TimeRange> window;  ///< visible stretch; nothing shows all
    std::optional<double> cursor;     ///< cycle under the pointer or of the player
    std::vector<record::SpanId> selected;
    std::optional<record::SpanId>
        selected_gap;                ///< the wait before this span, if no span stands for it; not stored
    std::optional<TimeRange> range;  ///< selected stretch
    std::optional<record::Reason> cause;
    std::string find;
    std::array<std::optional<Bookmark>, 10> bookmarks;
    std::vector<Mark> marks;
    std::vector<std::optional<TimeRange>> back;
    std::vector<std::optional<TimeRange>> forward;

    /// What is visible: the window, or the whole run.
    [[nodiscard]] TimeRange visible() const;
    /// Shows a stretch, cut to the run and never shorter than one cycle; the former one goes on the history.
    void show(TimeRange range);
    void show_all();
    /// Zooms so that one visible cycle becomes 1 / factor of what it was; `about` keeps its place on the
    /// screen.
    void zoom(double factor, double about);
    /// Moves by a share of the visible stretch; right is positive.
    void pan(double share);
    /// The former and the next stretch of the history; false if there is none.
    bool go_back();
    bool go_forward();
};

/// The shortest stretch that can be shown, cycles.
inline constexpr double shortest_window = 1.0;

[[nodiscard]] nlohmann::json to_json(const ViewState& view);
/// Reads what to_json() wrote. Missing keys keep their defaults; throws UserError naming a key whose value is
/// wrong.
[[nodiscard]] ViewState view_from_json(const nlohmann::json& json);

/// A session file holds the view state and the paths of its runs. Throw UserError naming the file.
void save_session(const std::filesystem::path& path, const ViewState& view);
[[nodiscard]] ViewState load_session(const std::filesystem::path& path);

}  // namespace ascendsim::gui
