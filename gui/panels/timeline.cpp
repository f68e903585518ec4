// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gui/canvas/imgui_canvas.hpp"
#include "gui/panels/timeline/timeline_frame.hpp"
#include "gui/panels/timeline/timeline_mouse.hpp"
#include "gui/shell/widgets.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::gui {
namespace {

constexpr float smallest_lane = 9;
constexpr float largest_lane = 60;

/// Cores and their pipes over time: what ran, what waited, and why.
class TimelinePanel final : public Panel {
public:
    [[nodiscard]] PanelInfo info() const override {
        return {.name = "timeline",
                .title = "Timeline",
                .hint = "Every pipe of every core over time, with the cause of every bubble",
                .dock = Dock::centre,
                .order = 0};
    }

    void draw_content(PanelContext& context) override {
        const Run* run = as_run(context.run_a);
        if (run == nullptr) {
            empty_run_panel(context, "No recording", "open one with Ctrl+O");
            return;
        }
        follow(*run);
        const ImVec2 origin = ImGui::GetCursorScreenPos();
        const ImVec2 room = ImGui::GetContentRegionAvail();
        if ((run->cores().empty() && run->tracks().empty()) || room.x < 40 || room.y < 40) {
            empty_panel(context,
                        "Nothing ran yet",
                        run->recording().complete() ? "this recording holds no instruction"
                                                    : "this recording holds no instruction so far");
            return;
        }
        const Rect box = whole_pixels({origin.x, origin.y, origin.x + room.x, origin.y + room.y});
        ImGui::InvisibleButton("area",
                               {box.width(), box.height()},
                               ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight |
                                   ImGuiButtonFlags_MouseButtonMiddle);
        const bool hovered = ImGui::IsItemHovered();
        const bool active = ImGui::IsItemActive();
        pair_.follow(*run, context.view.compare ? as_run(context.run_b) : nullptr, context.view);
        arrange(*run, context, box);
        TimelineFrame frame = make_frame(*run, context, rows_, pair_, box, scroll_);
        show_selected(frame);
        follow_search(frame, context);
        make_room(*ImGui::GetWindowDrawList(), frame);
        ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
        draw(canvas, frame, context);
        apply(mouse_.handle(frame, context, hovered, active), frame);
        copy_selection(frame, context);
        if (context.anchors.enabled()) {
            name_places(context.anchors, frame);
            publish(context);
        }
    }

    void add_commands(CommandTable& commands, Requests& requests) override;

private:
    void add_compare_commands(CommandTable& commands, Requests& requests);
    void add_step_commands(CommandTable& commands, Requests& requests);

    /// A command of this panel, on offer while there is a run. `repeats` while its key is held.
    [[nodiscard]] Command command(std::string_view name,
                                  std::string_view title,
                                  std::string_view key,
                                  std::function<void()> act,
                                  bool repeats = false) const {
        return {std::string{name},
                std::string{title},
                "Timeline",
                keys({key}),
                std::move(act),
                [this] { return run_ != nullptr; },
                repeats};
    }

    void draw(Canvas& canvas, TimelineFrame& frame, PanelContext& context) {
        finer_.begin_frame(frame.run.at_once());
        frame.finer = &finer_;
        draw_timeline(canvas, frame, bars_);
        std::vector<std::shared_ptr<const void>> owners{frame.run.data()};
        if (frame.compares()) {
            owners.emplace_back(frame.pair.other()->data());
        }
        if (finer_.end_frame(std::move(owners))) {
            context.requests.animate();
        }
    }

    /// Another recording starts with folds of its own; a longer or repeated one keeps them.
    void follow(const Run& run) {
        if (run.recording().path() != path_) {
            path_ = run.recording().path();
            found_names_ = 0;
            rows_ = {};
            told_.reset();
            scroll_ = 0;
        }
        run_ = run.shared_from_this();
    }

    /// Lays out the rows; which cores are unfolded is the view's to say once anybody has chosen.
    void arrange(const Run& run, PanelContext& context, Rect box) {
        space_ = {lane_height_,
                  context.scale(),
                  make_frame(run, context, rows_, pair_, box, scroll_).tracks.height()};
        rows_.arrange(run, pair_.other(), space_);
        const auto& wanted = context.view.open_cores;
        if (wanted && wanted != told_) {
            told_ = wanted;
            rows_.set_open(*wanted);
            rows_.arrange(run, pair_.other(), space_);
        } else if (told_ && rows_.open() != *told_) {
            context.requests.change([open = rows_.open()](ViewState& view) { view.open_cores = open; });
            told_ = rows_.open();
        } else if (!told_) {
            told_ = rows_.open();
        }
    }

    /// Room for all that may be drawn, at once: a list that grows by and by is copied again and again within
    /// one frame.
    void make_room(ImDrawList& list, const TimelineFrame& frame) {
        constexpr std::size_t boxes_per_column =
            2;  // a density column has its busy share and a cause, mostly
        constexpr std::size_t most_boxes = 400'000;
        std::size_t lanes = 0;
        for (const TimelineCore& core : frame.rows.cores()) {
            lanes += core.lanes.size();
        }
        const auto columns = static_cast<std::size_t>(frame.tracks.width());
        const auto boxes = static_cast<int>(std::min(most_boxes, lanes * columns * boxes_per_column));
        list.VtxBuffer.reserve(4 * boxes);
        list.IdxBuffer.reserve(6 * boxes);
        warm_vertices_.step(list.VtxBuffer);
        warm_indices_.step(list.IdxBuffer);
    }

    /// Memory that was never written comes page by page, which would make the first dense frame a long one:
    /// each frame before it writes to some.
    class Warming {
    public:
        template <class Value>
        void step(ImVector<Value>& buffer) {
            constexpr int bytes = 1 << 20;  // a frame
            constexpr int enough = 12 * bytes;
            if (buffer.Data != memory_) {
                memory_ = buffer.Data;
                done_ = 0;
            }
            const int from = std::max(done_, buffer.Size);
            done_ = std::min({buffer.Capacity,
                              from + bytes / static_cast<int>(sizeof(Value)),
                              enough / static_cast<int>(sizeof(Value))});
            if (done_ > from) {
                std::memset(static_cast<void*>(buffer.Data + from),
                            0,
                            sizeof(Value) * static_cast<std::size_t>(done_ - from));
            }
        }

    private:
        const void* memory_ = nullptr;
        int done_ = 0;
    };

    void publish(PanelContext& context) const {
        context.anchors.value("timeline.rows", rows_.rows().size());
        context.anchors.value("timeline.compares", pair_.other() != nullptr);
        context.anchors.value("timeline.offset", pair_.mapping().offset);
        context.anchors.value("timeline.scale", pair_.mapping().scale);
        context.anchors.value("timeline.diverges", pair_.divergence().has_value());
        if (pair_.selected_in_b()) {
            context.anchors.value("timeline.cycles_in_b", pair_.selected_in_b()->cycles());
            context.anchors.value("timeline.start_in_b", pair_.selected_in_b()->stretch.start);
        }
    }

    /// When the selection changes, its lane comes into view.
    void show_selected(TimelineFrame& frame) {
        const std::optional<Pick> pick = selected(frame.run, frame.context.view);
        const std::optional<std::uint32_t> lane =
            pick ? std::optional{pick->lane} : std::optional<std::uint32_t>{};
        if (lane == shown_lane_) {
            scroll_ = frame.scroll;
            return;
        }
        shown_lane_ = lane;
        if (!lane) {
            return;
        }
        rows_.reveal(frame.run, *lane);
        rows_.arrange(frame.run, pair_.other(), space_);
        if (const TimelineRow* row = rows_.of_lane(*lane)) {
            const float room = frame.tracks.height();
            if (row->top < scroll_ || row->top + row->height > scroll_ + room) {
                scroll_ = row->top - room / 2;
            }
        }
        frame.scroll =
            std::round(std::clamp(scroll_, 0.0F, std::max(0.0F, rows_.height() - frame.tracks.height())));
        scroll_ = frame.scroll;
    }

    /// Lights up what the find field means; Enter goes to the next.
    void follow_search(TimelineFrame& frame, PanelContext& context) {
        const std::string& text = context.view.find;
        if (text != found_text_ || found_names_ != frame.run.recording().names().size()) {
            found_text_ = text;
            found_names_ = frame.run.recording().names().size();
            found_.reset();
            if (SpanFilter filter{frame.run.recording(), text}; filter.any()) {
                found_ = std::move(filter);
            }
        }
        frame.found = found_ ? &*found_ : nullptr;
        if (!text.empty() && ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Enter), false)) {
            context.requests.command("instance.next");
        }
    }

    /// Once, and not where the timeline comes into view long after the command.
    bool copy_wanted() {
        const std::optional<int> at = std::exchange(copy_at_, std::nullopt);
        return at && ImGui::GetFrameCount() - *at <= 1;
    }

    /// Puts what the status line says of the selection into the clipboard, if that was asked for.
    void copy_selection(const TimelineFrame& frame, PanelContext& context) {
        const std::optional<Pick> pick = copy_wanted() ? selected(frame.run, context.view) : std::nullopt;
        if (pick) {
            ImGui::SetClipboardText(describe(frame.run, *pick, context).c_str());
            context.requests.toast(ToastKind::success, "Copied: what is selected");
        }
    }

    void apply(const TimelineMouse::Result& result, const TimelineFrame& frame) {
        scroll_ = frame.scroll + result.scroll;
        lane_height_ = std::clamp(lane_height_ + result.lane_height, smallest_lane, largest_lane);
        if (result.toggle) {
            rows_.toggle(*result.toggle);
        }
    }

    std::shared_ptr<const Run> run_;
    std::filesystem::path path_;
    TimelineRows rows_;
    BusyBars bars_;  // of the minimap
    FinerBuckets finer_;
    TimelineMouse mouse_;
    TimelinePair pair_;
    std::optional<std::set<std::uint32_t>> told_;  // the unfolded cores the view knows of
    std::optional<std::uint32_t> shown_lane_;
    std::string found_text_;
    std::size_t found_names_ = 0;
    std::optional<SpanFilter> found_;
    RowSpace space_;
    Warming warm_vertices_;
    Warming warm_indices_;
    std::optional<int> copy_at_;  // the frame of the command
    float lane_height_ = 20;
    float scroll_ = 0;
};

void TimelinePanel::add_compare_commands(CommandTable& commands, Requests& requests) {
    const auto add = [&](std::string_view name, std::string_view title, std::string_view key, ViewEdit edit) {
        commands.add({std::string{name},
                      std::string{title},
                      "Compare",
                      keys({key}),
                      [&requests, edit] { requests.change(edit); },
                      [this] { return run_ != nullptr; },
                      false});
    };
    const auto align = [](Alignment alignment) {
        return [alignment](ViewState& view) {
            view.compare = true;
            view.alignment = alignment;
            if (!view.selected.empty()) {
                view.aligned_at = view.selected.back();
            }
        };
    };
    add("compare.toggle", "Run B below run A on the timeline, or not", "C", [](ViewState& view) {
        view.compare = !view.compare;
    });
    add("compare.align_start",
        "Align B at the start of the selected instruction",
        "L",
        align(Alignment::start));
    add("compare.align_end", "Align B at the end of the selected instruction", "R", align(Alignment::end));
    add("compare.align_time", "Align B cycle by cycle", "Shift+L", align(Alignment::time));
    add("compare.align_length", "Stretch B to the length of A", "Shift+R", align(Alignment::length));
}

void TimelinePanel::add_step_commands(CommandTable& commands, Requests& requests) {
    using Step = std::optional<Pick> (*)(const Run&, const Pick&);
    const auto step = [&](std::string_view name, std::string_view title, std::string_view key, Step next) {
        commands.add(command(
            name,
            title,
            key,
            [this, &requests, next] {
                requests.change([run = run_, next](ViewState& view) {
                    const std::optional<Pick> pick = selected(*run, view);
                    if (const std::optional<Pick> found = pick ? next(*run, *pick) : std::nullopt) {
                        select_and_show(view, *found);
                    }
                });
            },
            true));
    };
    step("timeline.next", "Next instruction of the lane", ".", [](const Run& run, const Pick& from) {
        return neighbour(run, from, true, false);
    });
    step("timeline.previous", "Previous instruction of the lane", ",", [](const Run& run, const Pick& from) {
        return neighbour(run, from, false, false);
    });
    step("timeline.next_bubble", "Next bubble of the lane", "Alt+.", [](const Run& run, const Pick& from) {
        return neighbour(run, from, true, true);
    });
    step("timeline.previous_bubble",
         "Previous bubble of the lane",
         "Alt+,",
         [](const Run& run, const Pick& from) { return neighbour(run, from, false, true); });
    step("timeline.producer", "What the selection waited for", "[", producer_of);
    step("timeline.consumer", "What waited for the selection", "]", consumer_of);
}

void TimelinePanel::add_commands(CommandTable& commands, Requests& requests) {
    const auto on_selection = [this, &requests](void (*act)(ViewState&, const Pick&)) {
        return [this, &requests, act] {
            requests.change([run = run_, act](ViewState& view) {
                if (const std::optional<Pick> pick = selected(*run, view)) {
                    act(view, *pick);
                }
            });
        };
    };
    add_step_commands(commands, requests);
    commands.add(command("timeline.focus",
                         "Zoom to the selection; again: exactly",
                         "F",
                         on_selection([](ViewState& view, const Pick& pick) {
                             const TimeRange exact = pick.range();
                             const double margin = std::max(exact.length(), 1.0);
                             const TimeRange loose{exact.begin - margin, exact.end + margin};
                             view.show(std::abs(view.visible().length() - loose.length()) < 1 ? exact
                                                                                              : loose);
                         })));
    commands.add(command("timeline.mark",
                         "Select the selection's stretch of time",
                         "M",
                         on_selection([](ViewState& view, const Pick& pick) {
                             if (pick.cycles() > 0) {
                                 view.range = pick.range();
                             }
                         })));
    commands.add(command("timeline.copy", "Copy what is said of the selection", "Ctrl+C", [this] {
        copy_at_ = ImGui::GetFrameCount();
    }));
    add_compare_commands(commands, requests);
    commands.add(command("timeline.unfold_all", "Unfold all cores", "E", [this] { rows_.set_all(true); }));
    commands.add(command("timeline.fold_all", "Fold all cores", "Shift+E", [this] { rows_.set_all(false); }));
}

}  // namespace

std::unique_ptr<Panel> make_timeline_panel();

std::unique_ptr<Panel> make_timeline_panel() {
    return std::make_unique<TimelinePanel>();
}

}  // namespace ascendsim::gui
