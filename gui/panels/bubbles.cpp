// SPDX-License-Identifier: Apache-2.0
#include "gui/document/bubbles.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "app/analysis/lane_use.hpp"
#include "gui/canvas/elide.hpp"
#include "gui/canvas/imgui_canvas.hpp"
#include "gui/document/latest.hpp"
#include "gui/document/search.hpp"
#include "gui/document/words.hpp"
#include "gui/shell/csv.hpp"
#include "gui/shell/widgets.hpp"
#include "gui/timeview/table.hpp"

namespace ascendsim::gui {
namespace {

enum class Scope : std::uint8_t { run, window, selection };

constexpr std::array<std::string_view, 3> scope_names{"Run", "Window", "Selection"};

/// Where the cycles of every pipe went, and what each bubble waited for.
class BubblesPanel final : public Panel {
public:
    [[nodiscard]] PanelInfo info() const override {
        return {.name = "bubbles",
                .title = "Bubble causes",
                .hint = "What every pipe waited for: the run, the window or the selected stretch",
                .dock = Dock::bottom,
                .order = 0,
                .table = true};
    }

    void draw_content(PanelContext& context) override {
        const Run* run = as_run(context.run_a);
        if (run == nullptr || !has_bubbles(*run)) {
            empty_run_panel(context,
                            "No bubbles yet",
                            run == nullptr                ? "open a recording with Ctrl+O"
                            : run->recording().complete() ? "no pipe of this recording works or waits"
                                                          : "this recording ends before any pipe worked");
            return;
        }
        add_up(*run, context.view);
        draw_scopes(context);
        if (report_ == nullptr) {
            dim_text(context, "Adding up \u2026");
            return;
        }
        const float width = ImGui::GetContentRegionAvail().x;
        const float bars = std::round(std::clamp(width * 0.28F, 120.0F, 520 * context.scale()));
        const float gap = std::round(14 * context.scale());
        const float least =
            std::round(480 * context.scale());  // pixels: where the table's columns can be read
        if (width - bars - gap >= least) {
            ImGui::BeginChild("bars", {bars, 0});
            draw_bars(context);
            ImGui::EndChild();
            ImGui::SameLine(0, gap);
        }
        ImGui::BeginChild("table", {0, 0});
        draw_table(context);
        ImGui::EndChild();
    }

    /// A step that had to wait for the sums is taken when they are there.
    void watch(PanelContext& context) override {
        const Run* run = as_run(context.run_a);
        run_ = run == nullptr ? nullptr : run->shared_from_this();
        if (run == nullptr || !has_bubbles(*run)) {
            report_ = nullptr;
            wanted_.reset();
        } else if (wanted_) {
            add_up(*run, context.view);
            if (report_ != nullptr && !latest_.busy()) {
                step(context.requests, *std::exchange(wanted_, std::nullopt));
            }
        }
    }

    void add_commands(CommandTable& commands, Requests& requests) override {
        const auto add =
            [&](std::string_view name, std::string_view title, std::string_view key, bool forward) {
                commands.add({std::string{name},
                              std::string{title},
                              "Timeline",
                              {*parse_chord(key)},
                              [this, &requests, forward] { step(requests, forward); },
                              [this] { return run_ != nullptr; },
                              true});
            };
        add("instance.next", "Next match of the search, or next smaller bubble of the cause", "N", true);
        add("instance.previous", "Previous match, or next larger bubble of the cause", "Shift+N", false);
    }

    [[nodiscard]] std::optional<std::string> table(const PanelContext& /*context*/) override {
        if (run_ == nullptr || report_ == nullptr) {
            return std::nullopt;
        }
        Csv csv{{"pipe",
                 "cores",
                 "cause",
                 "cycles of all cores",
                 "cycles on the critical path",
                 "cycles per core",
                 "share of the pipe's time",
                 "count",
                 "largest (cycles)",
                 "waits most for",
                 "source"}};
        for (const CauseTotal& cause : report_->causes) {
            const PipeTotal* const pipe = &report_->pipe_of(cause);
            csv.row({cause.pipe,
                     cause.core,
                     std::string{record::name(cause.reason)},
                     std::to_string(cause.cycles),
                     std::to_string(cause.path),
                     fmt::format("{:.1f}", static_cast<double>(cause.cycles) / pipe->lanes),
                     fmt::format("{:.6f}",
                                 static_cast<double>(cause.cycles) /
                                     static_cast<double>(std::max<std::uint64_t>(1, pipe->cycles.total()))),
                     std::to_string(cause.count),
                     std::to_string(cause.largest.front().cycles()),
                     std::string{cause.top.cycles > 0 ? run_->recording().name(cause.top.op) : ""},
                     cause.top.cycles > 0 ? place_text(run_->recording(), cause.top.site) : ""});
        }
        return csv.text();
    }

private:
    using Key = std::tuple<const void*, const void*, double, double>;

    static constexpr float label_gaps = 14;  // pixels beside a bar's name and its share

    void add_up(const Run& run, const ViewState& view) {
        const TimeRange range = range_of(run, view);
        const Key key{run.data().get(), run.analysis(), range.begin, range.end};
        report_ = latest_.get(
            key, run.at_once(), [held = run.shared_from_this(), range] { return bubbles_of(*held, range); });
        summed_ = key;
    }

    TimeRange range_of(const Run& run, const ViewState& view) const {
        if (scope_ == Scope::window) {
            return view.visible();
        }
        if (scope_ == Scope::selection && view.range) {
            return *view.range;
        }
        return {0, run.cycles()};
    }

    void draw_scopes(PanelContext& context) {
        for (std::size_t n = 0; n < scope_names.size(); ++n) {
            const auto scope = static_cast<Scope>(n);
            const bool off = scope == Scope::selection && !context.view.range;
            if (n > 0) {
                ImGui::SameLine(0, 2);
            }
            if (tool_button(
                    context,
                    scope_names.at(n),
                    scope_ == scope,
                    off ? "Drag over the timeline to select a stretch" : "Adds up this stretch of the run")) {
                scope_ = scope;
            }
            anchor_last_item(context, fmt::format("bubbles/scope/{}", scope_names.at(n)));
        }
        if (report_ != nullptr) {
            ImGui::SameLine(0, std::round(14 * context.scale()));
            coloured_text(context.theme.text_dim,
                          fmt::format("{}{}",
                                      format_time(report_->range.length(), context.time()),
                                      latest_.busy() ? ", adding up \u2026" : ""));
            tooltip("Length of the stretch that is added up below");
        }
        if (context.view.cause) {
            ImGui::SameLine(0, std::round(14 * context.scale()));
            const record::Word words =
                cause_words(*context.view.cause, report_ == nullptr || !report_->of_tracks);
            if (link(context, fmt::format("{} \u00d7", words.label), "Shows all causes again")) {
                context.requests.change([](ViewState& view) { view.cause.reset(); });
            }
            anchor_last_item(context, "bubbles/clear");
        }
    }

    /// The share of a pipe's time in which it worked.
    static std::string share_of(const PipeTotal& pipe) {
        return format_percent(static_cast<double>(pipe.cycles.busy()) /
                              static_cast<double>(std::max<std::uint64_t>(1, pipe.cycles.total())));
    }

    /// Pixels of names and shares beside the bars: what the widest takes, at most three fifths of `width`.
    [[nodiscard]] float label_width(const PanelContext& context, float width) const {
        const float least = std::round(100 * context.scale());
        float widest = least;
        for (const PipeTotal& pipe : report_->pipes) {
            const std::string label = label_of(context.theme, pipe.pipe, pipe.core);
            widest = std::max(widest,
                              std::ceil(context.fonts.measure(label, TextStyle::small).x +
                                        context.fonts.measure(share_of(pipe), TextStyle::small).x) +
                                  label_gaps);
        }
        return std::min(widest, std::max(least, std::floor(width * 0.6F)));
    }

    void draw_bars(PanelContext& context) {
        const float height = std::round(17 * context.scale());
        const float label = label_width(context, ImGui::GetContentRegionAvail().x);
        for (const PipeTotal& pipe : report_->pipes) {
            const ImVec2 place = ImGui::GetCursorScreenPos();
            const float width = std::max(label + 20, std::floor(ImGui::GetContentRegionAvail().x));
            ImGui::PushID((pipe.core + pipe.pipe).c_str());
            ImGui::InvisibleButton("bar", {width, height});
            ImGui::PopID();
            ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
            const PipeStyle& style = context.theme.pipe(pipe.pipe);
            const std::string share = share_of(pipe);
            const float room = label - label_gaps - canvas.measure(share, TextStyle::small).x;
            canvas.text_in(
                {place.x, place.y, place.x + label - 8, place.y + height},
                context.theme.text,
                without_middle(
                    context.fonts, label_of(context.theme, pipe.pipe, pipe.core), TextStyle::small, room),
                Align::left,
                TextStyle::small);
            canvas.text_in({place.x, place.y, place.x + label - 8, place.y + height},
                           context.theme.text_dim,
                           share,
                           Align::right,
                           TextStyle::small);
            if (ImGui::IsItemHovered() && ImGui::GetMousePos().x < place.x + label) {
                tooltip(report_->of_tracks
                            ? fmt::format("{}: share of the time in which it worked, over {} devices",
                                          pipe.pipe,
                                          pipe.lanes)
                            : fmt::format("{}: {}\nShare of the time in which it worked, over the {} cores "
                                          "that use it",
                                          style.label,
                                          style.meaning,
                                          pipe.lanes));
            }
            const Rect bar{std::round(place.x + label),
                           std::round(place.y) + 2,
                           std::round(place.x + width),
                           std::round(place.y + height) - 2};
            draw_stack(canvas, context, pipe, bar);
        }
    }

    void draw_stack(Canvas& canvas, PanelContext& context, const PipeTotal& pipe, Rect bar) {
        const double total = static_cast<double>(std::max<std::uint64_t>(1, pipe.cycles.total()));
        const ImVec2 mouse = ImGui::GetMousePos();
        const bool hovered = ImGui::IsItemHovered();
        double below = 0;
        for (std::size_t n = 0; n < record::reason_count; ++n) {
            const auto cycles = static_cast<double>(pipe.cycles.cycles.at(n));
            const Rect part{bar.left + std::round(static_cast<float>(below / total) * bar.width()),
                            bar.top,
                            bar.left + std::round(static_cast<float>((below + cycles) / total) * bar.width()),
                            bar.bottom};
            below += cycles;
            if (part.empty()) {
                continue;
            }
            const auto reason = static_cast<record::Reason>(n);
            if (reason == record::Reason::none) {
                canvas.fill(part, context.theme.pipe(pipe.pipe).colour);
            } else {
                draw_cause(canvas, part, context.theme.cause(reason), context.theme);
            }
            if (hovered && part.contains({mouse.x, mouse.y})) {
                tooltip(fmt::format("{}: {} of the time, {} a {}",
                                    cause_words(reason, !report_->of_tracks).label,
                                    format_percent(cycles / total),
                                    format_time(cycles / pipe.lanes, context.time()),
                                    report_->of_tracks ? "device" : "core"));
                if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && reason != record::Reason::none) {
                    choose(context.requests, pipe.pipe, pipe.core, reason, 0);
                }
            }
        }
    }

    /// A pipe's label; a stream has its name.
    [[nodiscard]] std::string label_of(const Theme& theme,
                                       std::string_view pipe,
                                       std::string_view core = {}) const {
        const std::string_view label = report_->of_tracks ? pipe : theme.pipe(pipe).label;
        return core.empty() ? std::string{label} : fmt::format("{} {}", core, label);
    }

    /// Whether there is a critical path that waits can be on: that of a step has none, a network has no path.
    [[nodiscard]] bool has_path() const {
        const RunAnalysis* const analysis = run_->analysis();
        return !report_->of_tracks && analysis != nullptr && !analysis->path.segments.empty();
    }

    void draw_table(PanelContext& context) {
        const bool tracks = report_->of_tracks;
        const std::string_view unit = unit_label(context.time().unit);
        const std::string per_core =
            fmt::format("Time waited by one {}, on average, {}", tracks ? "device" : "core", unit);
        const std::string largest = fmt::format("The longest single wait, {}", unit);
        const std::string on_path = fmt::format(
            "Of this waiting, where the critical path went on elsewhere meanwhile: it held up the run, {}",
            unit);
        if (!begin_table(
                context,
                "causes",
                {{tracks ? "Stream" : "Pipe",
                  tracks ? "The stream or copy engine that waits, over all devices"
                         : "The kind of pipe that waits, over all cores",
                  tracks ? 110.0F : 78.0F},
                 {.title = "Cause",
                  .meaning = "Why it waits; click for the largest, N for the next",
                  .width = 158,
                  .spare = true},
                 {.title = "On path", .meaning = on_path, .width = 72, .number = true, .absent = !has_path()},
                 {tracks ? "A device" : "Per core", per_core, 72, true},
                 {"Share",
                  tracks ? "Share of the stream's time over all devices"
                         : "Share of the pipe's time over all its cores",
                  56,
                  true},
                 {"Count",
                  tracks ? "Number of waits of all devices" : "Number of waits of all cores",
                  70,
                  true,
                  true},
                 {"Largest", largest, 64, true, true},
                 {"Waits most for",
                  tracks ? "The task that ends most of this waiting"
                         : "The instruction that ends most of this waiting"}})) {
            return;
        }
        for (const CauseTotal& cause : report_->causes) {
            draw_table_row(context, cause);
        }
        ImGui::EndTable();
    }

    void draw_table_row(PanelContext& context, const CauseTotal& cause) {
        const Theme& theme = context.theme;
        const PipeTotal* const pipe = &report_->pipe_of(cause);
        const CauseStyle& style = theme.cause(cause.reason);
        const bool outside = analysis::outside_program(cause.reason);
        const Pixel colour = outside ? theme.text_faint : theme.text;
        const bool lit = context.view.cause == cause.reason && pipe_ == cause.pipe && core_ == cause.core;
        const auto name = fmt::format("bubbles/row/{}{}{}/{}",
                                      cause.core,
                                      cause.core.empty() ? "" : ".",
                                      cause.pipe,
                                      record::name(cause.reason));
        if (table_row(context, name, lit)) {
            choose(context.requests, cause.pipe, cause.core, cause.reason, 0);
        }
        cell(context,
             label_of(theme, cause.pipe, cause.core),
             colour,
             report_->of_tracks ? std::string_view{cause.pipe} : theme.pipe(cause.pipe).meaning);
        ImGui::TableNextColumn();
        draw_swatch(context, style);
        const record::Word words = cause_words(cause.reason, !report_->of_tracks);
        cell(context, words.label, colour, words.meaning);
        ImGui::TableNextColumn();
        number_cell(context, format_time_value(static_cast<double>(cause.path), context.time()), colour);
        ImGui::TableNextColumn();
        number_cell(context,
                    format_time_value(static_cast<double>(cause.cycles) / pipe->lanes, context.time()),
                    colour);
        ImGui::TableNextColumn();
        const double total = static_cast<double>(std::max<std::uint64_t>(1, pipe->cycles.total()));
        number_cell(context, format_percent(static_cast<double>(cause.cycles) / total), colour);
        ImGui::TableNextColumn();
        number_cell(context, format_count(cause.count), colour);
        ImGui::TableNextColumn();
        const Pick& largest = cause.largest.front();
        number_cell(
            context, format_time_value(static_cast<double>(largest.cycles()), context.time()), colour);
        ImGui::TableNextColumn();
        if (cause.top.cycles > 0) {
            draw_top_cell(context, cause, colour);
        }
    }

    /// The instruction that ends most of the waiting.
    void draw_top_cell(PanelContext& context, const CauseTotal& cause, Pixel colour) {
        const std::string where = place_text(run_->recording(), cause.top.site);
        const std::string share =
            format_percent(static_cast<double>(cause.top.cycles) / static_cast<double>(cause.cycles));
        const std::string what = fmt::format("{} {}{}{}",
                                             label_of(context.theme, cause.top.pipe),
                                             run_->recording().name(cause.top.op),
                                             where.empty() ? "" : " at ",
                                             where);
        cell(context,
             fmt::format("{}, {}", what, share),
             colour,
             fmt::format("{} of this waiting ends with {}", share, what));
    }

    static void draw_swatch(PanelContext& context, const CauseStyle& style) {
        const float size = std::round(context.fonts.line_height(TextStyle::regular));
        const ImVec2 place = ImGui::GetCursorScreenPos();
        ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
        draw_cause(canvas,
                   whole_pixels({place.x, place.y + 1, place.x + 1.4F * size, place.y + size - 1}),
                   style,
                   context.theme);
        ImGui::Dummy({std::round(1.4F * size), size});
        ImGui::SameLine(0, std::round(6 * context.scale()));
    }

    /// Lights a cause up and goes to one of its bubbles, by size.
    void choose(Requests& requests,
                const std::string& pipe,
                const std::string& core,
                record::Reason reason,
                std::size_t instance) {
        pipe_ = pipe;
        core_ = core;
        instance_ = instance;
        for (const CauseTotal& cause : report_->causes) {
            if (cause.pipe == pipe && cause.core == core && cause.reason == reason &&
                instance < cause.largest.size()) {
                requests.change([reason, pick = cause.largest[instance]](ViewState& view) {
                    view.cause = reason;
                    select_and_show(view, pick);
                });
            }
        }
    }

    void step(Requests& requests, bool forward) {
        requests.change([this, forward](ViewState& view) {
            if (!view.find.empty()) {
                if (const auto found = next_match(*run_, view.find, selected(*run_, view), forward)) {
                    select_and_show(view, *found);
                }
                return;
            }
            if (report_ == nullptr || std::get<0>(summed_) != run_->data().get()) {
                wanted_ = forward;
                return;
            }
            if (report_->causes.empty()) {
                return;
            }
            const CauseTotal* cause = nullptr;
            for (const CauseTotal& one : report_->causes) {
                if (view.cause == one.reason &&
                    (cause == nullptr || (one.pipe == pipe_ && one.core == core_))) {
                    cause = &one;
                }
            }
            cause = cause == nullptr ? &first_to_look_at(*report_) : cause;
            const bool fresh = view.cause != cause->reason || pipe_ != cause->pipe || core_ != cause->core;
            const std::size_t count = cause->largest.size();
            instance_ = fresh ? 0 : (instance_ + (forward ? 1 : count - 1)) % count;
            pipe_ = cause->pipe;
            core_ = cause->core;
            view.cause = cause->reason;
            select_and_show(view, cause->largest[instance_]);
        });
    }

    std::shared_ptr<const Run> run_;
    Latest<Key, BubbleReport> latest_;
    const BubbleReport* report_ = nullptr;
    Key summed_{};                // what the report was asked for
    std::optional<bool> wanted_;  // a step, and its direction, that waits for the report
    Scope scope_ = Scope::run;
    std::string pipe_;
    std::string core_;
    std::size_t instance_ = 0;
};

}  // namespace

std::unique_ptr<Panel> make_bubbles_panel();

std::unique_ptr<Panel> make_bubbles_panel() {
    return std::make_unique<BubblesPanel>();
}

}  // namespace ascendsim::gui
