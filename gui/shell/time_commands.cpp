// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/time_commands.hpp"

#include <fmt/format.h>

namespace ascendsim::gui {
namespace {

struct Step {
    std::string_view name;
    std::string_view title;
    std::initializer_list<std::string_view> keys;
    double zoom;  ///< factor, or 1
    double pan;   ///< share of the visible stretch, or 0
};

}  // namespace

void TimeCommands::add_to(CommandTable& commands) {
    add_zoom_and_pan(commands);
    add_views(commands);
    add_bookmarks(commands);
}

void TimeCommands::add_zoom_and_pan(CommandTable& commands) {
    const auto has_run = [this] { return documents_.any(); };
    for (const Step& step :
         {Step{"view.zoom_in", "Zoom in", {"W", "Up"}, 1.5, 0},
          Step{"view.zoom_out", "Zoom out", {"S", "Down"}, 1 / 1.5, 0},
          Step{"view.zoom_in_far", "Zoom in far", {"Shift+W"}, 4, 0},
          Step{"view.zoom_out_far", "Zoom out far", {"Shift+S"}, 0.25, 0},
          Step{"view.pan_left", "Pan left", {"A", "Left"}, 1, -0.1},
          Step{"view.pan_right", "Pan right", {"D", "Right"}, 1, 0.1},
          Step{"view.pan_left_far", "Pan left by a page", {"Shift+A", "Shift+Left"}, 1, -0.8},
          Step{"view.pan_right_far", "Pan right by a page", {"Shift+D", "Shift+Right"}, 1, 0.8},
          Step{"view.pan_left_fine", "Pan left a little", {"Ctrl+Left"}, 1, -0.02},
          Step{"view.pan_right_fine", "Pan right a little", {"Ctrl+Right"}, 1, 0.02}}) {
        commands.add({std::string{step.name},
                      std::string{step.title},
                      "Time",
                      keys(step.keys),
                      [this, zoom = step.zoom, pan = step.pan] {
                          const TimeRange seen = view_.visible();
                          const double middle = view_.cursor.value_or((seen.begin + seen.end) / 2);
                          view_.zoom(zoom, middle);
                          view_.pan(pan);
                      },
                      has_run,
                      true});
    }
}

void TimeCommands::add_views(CommandTable& commands) {
    const auto has_run = [this] { return documents_.any(); };
    const auto add = [&](std::string_view name,
                         std::string_view title,
                         std::vector<Chord> chords,
                         std::function<void()> run) {
        commands.add({std::string{name},
                      std::string{title},
                      "Time",
                      std::move(chords),
                      std::move(run),
                      has_run,
                      false});
    };
    add("view.fit", "Show the whole run", keys({"Home", "Ctrl+0"}), [this] { view_.show_all(); });
    add("view.range", "Zoom to the selected stretch", keys({"Z"}), [this] {
        if (view_.range) {
            view_.show(*view_.range);
        }
    });
    add("view.back", "Previous view", keys({"Backspace"}), [this] { view_.go_back(); });
    add("view.forward", "Next view", keys({"Shift+Backspace"}), [this] { view_.go_forward(); });
    commands.add({"view.unit",
                  "Time unit: cycles, ns, \u00b5s, ms",
                  "Time",
                  keys({"T"}),
                  [this] { view_.unit = next_unit(view_.unit); },
                  {},
                  false});
}

void TimeCommands::recall_bookmark(std::size_t n) {
    if (const std::optional<Bookmark>& bookmark = view_.bookmarks.at(n)) {
        view_.range = bookmark->range;
        view_.selected = bookmark->selected;
        view_.selected_gap.reset();
        view_.open_cores = bookmark->open_cores;
        view_.show(bookmark->window);
    } else {
        toasts_.add(ToastKind::note, fmt::format("Bookmark {} is empty; Ctrl+{} stores it", n, n));
    }
}

void TimeCommands::add_bookmarks(CommandTable& commands) {
    const auto has_run = [this] { return documents_.any(); };
    for (std::size_t n = 1; n <= 9; ++n) {
        commands.add({fmt::format("bookmark.store_{}", n),
                      fmt::format("Store bookmark {}", n),
                      "Bookmarks",
                      keys({fmt::format("Ctrl+{}", n)}),
                      [this, n] {
                          view_.bookmarks.at(n) =
                              Bookmark{view_.visible(), view_.range, view_.selected, view_.open_cores};
                          toasts_.add(ToastKind::note, fmt::format("Bookmark {} stored", n));
                      },
                      has_run,
                      false});
        commands.add({fmt::format("bookmark.recall_{}", n),
                      fmt::format("Go to bookmark {}", n),
                      "Bookmarks",
                      keys({fmt::format("{}", n)}),
                      [this, n] { recall_bookmark(n); },
                      has_run,
                      false});
    }
    commands.add({"mark.add",
                  "Mark the selected stretch",
                  "Bookmarks",
                  keys({"Shift+M"}),
                  [this] {
                      view_.marks.push_back({fmt::format("Mark {}", view_.marks.size() + 1), *view_.range});
                  },
                  [this] { return view_.range.has_value(); },
                  false});
}

}  // namespace ascendsim::gui
