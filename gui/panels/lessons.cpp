// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "gui/canvas/imgui_canvas.hpp"
#include "gui/runs/workbench.hpp"
#include "gui/shell/widgets.hpp"

namespace ascendsim::gui {
namespace {

using lessons::Goal;
using lessons::Lesson;

void paragraph(Pixel colour, std::string_view text) {
    ImGui::PushTextWrapPos(0);
    coloured_text(colour, text);
    ImGui::PopTextWrapPos();
}

/// Text whose paragraphs are parted by empty lines.
void paragraphs(const PanelContext& context, std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find("\n\n"), text.size());
        paragraph(context.theme.text, text.substr(0, end));
        ImGui::Dummy({0, std::round(3 * context.scale())});
        text.remove_prefix(std::min(end + 2, text.size()));
    }
}

/// A value with the unit that the name of its figure tells: "time_us", "memory.gm_read_bytes", "waits.tail".
std::string goal_value(std::string_view path, double value) {
    const auto says = [path](std::string_view word) { return path.find(word) != std::string_view::npos; };
    if (says("utilization") || says("fraction") || says("rate") || says("efficiency")) {
        return format_percent(value);
    }
    if (says("bytes")) {
        return fmt::format("{} ({} B)",
                           format_bytes(static_cast<std::uint64_t>(std::max(0.0, value))),
                           format_number(value, 0));
    }
    const std::string number =
        format_number(value, std::abs(value) < 1000 && std::floor(value) != value ? 2 : 0);
    const std::string_view unit = path.ends_with("_us")              ? " \u00b5s"
                                  : says("waits.") || says("cycles") ? " cycles"
                                  : says("gbps")                     ? " GB/s"
                                  : says("tflops")                   ? " TFLOP/s"
                                                                     : "";
    return number + std::string{unit};
}

/// A guided lesson: what to understand, what to reach, and how far the last run came.
class LessonsPanel final : public Panel {
public:
    [[nodiscard]] PanelInfo info() const override {
        return {.name = "lessons",
                .title = "Lesson",
                .hint = "A guided lesson with a task that is checked by running",
                .dock = Dock::left,
                .order = 20};
    }

    void draw_content(PanelContext& context) override {
        const Workbench* bench = workbench_of(context);
        const Draft* draft = bench == nullptr ? nullptr : bench->draft();
        if (draft == nullptr || !draft->lesson()) {
            ImGui::PushTextWrapPos(0);
            empty_panel(context, "No lesson is open.", "The welcome page lists them (Ctrl+W).");
            ImGui::PopTextWrapPos();
            return;
        }
        const Lesson& lesson = *draft->lesson();
        if (lesson.name != name_) {
            name_ = lesson.name;
            hints_ = 0;
            solution_ = false;
        }
        ImGui::PushFont(context.fonts.font(TextStyle::bold));
        paragraph(context.theme.text, lesson.title);
        ImGui::PopFont();
        ImGui::Dummy({0, std::round(4 * context.scale())});
        paragraphs(context, lesson.text);
        draw_task(lesson, *bench, context);
        draw_help(lesson, *bench, context);
    }

private:
    static void draw_task(const Lesson& lesson, const Workbench& bench, PanelContext& context) {
        heading(context, "Task");
        paragraph(context.theme.text, lesson.task);
        const RunEntry* entry = bench.entry_a();
        for (const Goal& goal : lesson.goals) {
            draw_goal(goal, entry, context);
        }
        if (bench.running()) {
            dim_text(context, "Running \u2026");
        } else if (tool_button(
                       context, "Run and check", true, "Runs with the values at the right  (Ctrl+Enter)")) {
            ask_workbench(context.requests, [](Workbench& w) { w.request_run(); });
        }
        anchor_last_item(context, "lesson/run");
        if (entry != nullptr && lessons::solved(lesson, entry->figures)) {
            heading(context, "Reached");
            paragraph(context.theme.good, "All goals are met.");
            paragraphs(context, lesson.after.substr(lesson.after.starts_with('\n') ? 1 : 0));
        }
    }

    static void draw_goal(const Goal& goal, const RunEntry* entry, PanelContext& context) {
        const lessons::GoalState state =
            entry == nullptr ? lessons::GoalState{} : lessons::state_of(goal, entry->figures);
        const float scale = context.scale();
        const float size = std::round(10 * scale);
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float top = at.y + std::round((ImGui::GetTextLineHeight() - size) / 2);
        const Rect box{at.x, top, at.x + size, top + size};
        ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
        if (state.met) {
            canvas.fill(box, context.theme.good);
        } else {
            canvas.outline(box, context.theme.warning, std::max(1.0F, std::round(2 * scale)));
        }
        ImGui::SetCursorPosX(ImGui::GetCursorPosX() + size + std::round(8 * scale));
        ImGui::BeginGroup();
        paragraph(context.theme.text, goal.words);
        coloured_text(state.met ? context.theme.good : context.theme.warning,
                      state.value ? fmt::format("{}: now {}",
                                                state.met ? "met" : "not yet",
                                                goal_value(goal.path, *state.value))
                                  : std::string{"no run yet"});
        ImGui::EndGroup();
        tooltip(goal.path);
    }

    void draw_help(const Lesson& lesson, const Workbench& bench, PanelContext& context) {
        if (hints_ > 0) {
            heading(context, "Hints");
        }
        for (std::size_t n = 0; n < std::min(hints_, lesson.hints.size()); ++n) {
            paragraph(context.theme.text, fmt::format("{}. {}", n + 1, lesson.hints[n]));
        }
        ImGui::Dummy({0, std::round(4 * context.scale())});
        if (hints_ < lesson.hints.size()) {
            if (tool_button(context,
                            fmt::format("Hint {} of {}###hint", hints_ + 1, lesson.hints.size()),
                            false,
                            "Shows the next hint")) {
                ++hints_;
            }
            anchor_last_item(context, "lesson/hint");
        } else if (!solution_) {
            solution_ = tool_button(
                context, "Show a solution", false, "Sets the knobs to values that reach the goals");
            anchor_last_item(context, "lesson/solution");
            if (solution_ && !bench.running()) {
                ask_workbench(context.requests, [settings = lesson.solution](Workbench& w) {
                    for (const auto& [path, value] : settings) {
                        w.set_knob(path, value);
                    }
                    w.request_run();
                });
            }
        } else {
            dim_text(context, "The knobs are set to a solution; other values may reach the goals too.");
        }
    }

    std::string name_;
    std::size_t hints_ = 0;
    bool solution_ = false;
};

}  // namespace

std::unique_ptr<Panel> make_lessons_panel();

std::unique_ptr<Panel> make_lessons_panel() {
    return std::make_unique<LessonsPanel>();
}

}  // namespace ascendsim::gui
