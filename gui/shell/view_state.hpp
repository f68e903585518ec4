// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "gui/canvas/format.hpp"
#include "gui/canvas/theme.hpp"
#include "gui/shell/layout.hpp"
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
    std::vector<record::SpanId> selected;
    std::optional<std::set<std::uint32_t>> open_cores;

    friend bool operator==(const Bookmark& a, const Bookmark& b) {
        return a.window == b.window && a.range == b.range && a.open_cores == b.open_cores &&
               std::ranges::equal(a.selected, b.selected, [](record::SpanId left, record::SpanId right) {
                   return left.lane == right.lane && left.index == right.index;
               });
    }
};

/// A named stretch of the run.
struct Mark {
    std::string name;
    TimeRange range;

    friend bool operator==(const Mark&, const Mark&) = default;
};

/// How run B is laid over the time of run A where both are shown.
enum class Alignment : std::uint8_t {
    time,    ///< cycle by cycle
    length,  ///< B stretched to the length of A
    start,   ///< a chosen instruction of A and the same of B begin together
    end      ///< they end together
};

inline constexpr std::array<std::string_view, 4> alignment_names{"time", "length", "start", "end"};

/// All that the user has chosen: one selection and one time window shared by every panel. A plain value; what
/// is stored in a session file is everything but the history of windows.
struct ViewState {
    ThemeName theme = ThemeName::dark;
    float text_scale = 1;
    TimeUnit unit = TimeUnit::cycles;
    LayoutState layout;
    std::map<std::string, std::string> active_tabs;  ///< by dock name

    std::string run_a;     ///< path of the run under study; empty if none
    std::string run_b;     ///< path of the run it is compared with
    bool compare = false;  ///< whether time views show both runs, B below A
    Alignment alignment = Alignment::time;
    std::optional<record::SpanId> aligned_at;  ///< the instruction of A that Alignment::start and end mean

    double extent = 0;                ///< length of the longest open run, cycles; not stored
    std::optional<TimeRange> window;  ///< visible stretch; nothing shows all
    std::optional<double> cursor;     ///< cycle under the pointer or of the player
    std::vector<record::SpanId> selected;
    std::optional<record::SpanId>
        selected_gap;                ///< the wait before this span, if no span stands for it; not stored
    std::optional<TimeRange> range;  ///< selected stretch
    std::optional<record::Reason> cause;
    std::string find;
    std::optional<std::set<std::uint32_t>> open_cores;  ///< unfolded on the timeline, by index; nothing: the
                                                        ///< first of each kind
    double play_speed = 1;                              ///< of the chip view: 1 plays a run in a minute
    std::array<std::optional<Bookmark>, 10> bookmarks;
    std::vector<Mark> marks;
    std::vector<std::optional<TimeRange>> back;
    std::vector<std::optional<TimeRange>> forward;
    bool gliding = false;  ///< a burst of zooming or panning is under way; not stored
    double still = 0;      ///< seconds since its last step; not stored

    /// What is visible: the window, or the whole run.
    [[nodiscard]] TimeRange visible() const;
    /// Shows a stretch, cut to the run and never shorter than one cycle; the former one goes on the history.
    void show(TimeRange range);
    void show_all();
    /// Zooms so that one visible cycle becomes 1 / factor of what it was; `about` keeps its place on the
    /// screen. A burst of zooming and panning is one step of the history.
    void zoom(double factor, double about);
    /// Moves by a share of the visible stretch; right is positive.
    void pan(double share);
    /// Lets time pass: after a pause, the next zoom or pan begins another burst.
    void rest(double seconds);
    /// The former and the next stretch of the history; false if there is none.
    bool go_back();
    bool go_forward();

private:
    void glide_to(std::optional<TimeRange> next);
};

/// The shortest stretch that can be shown, cycles.
inline constexpr double shortest_window = 1.0;

/// The limits of ViewState::play_speed.
inline constexpr double least_play_speed = 1.0 / 4096;
inline constexpr double most_play_speed = 64;

[[nodiscard]] nlohmann::json to_json(const ViewState& view);
/// Reads what to_json() wrote. Missing keys keep their defaults; throws UserError naming a key whose value is
/// wrong.
[[nodiscard]] ViewState view_from_json(const nlohmann::json& json);

/// A session file holds the view state and the paths of its runs. Throw UserError naming the file.
void save_session(const std::filesystem::path& path, const ViewState& view);
[[nodiscard]] ViewState load_session(const std::filesystem::path& path);

}  // namespace ascendsim::gui
