// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "gui/canvas/elide.hpp"
#include "gui/canvas/imgui_canvas.hpp"
#include "gui/runs/workbench.hpp"
#include "gui/shell/widgets.hpp"

namespace ascendsim::gui {
namespace {

Pixel status_colour(RunStatus status, const Theme& theme) {
    switch (status) {
        case RunStatus::running:
            return theme.accent;
        case RunStatus::complete:
            return theme.text_dim;
        case RunStatus::failed:
            return theme.bad;
        case RunStatus::cancelled:
        case RunStatus::incomplete:
            return theme.warning;
    }
    return theme.text;
}

/// "57.16 \u00b5s  -48.8 %": the time of a run, and how it compares with the one under study.
std::string time_of(const RunEntry& entry, const RunEntry* other) {
    const double us = entry.figure("time_us");
    if (us <= 0) {
        return std::string{name(entry.status)};
    }
    std::string text = fmt::format("{} \u00b5s", format_number(us, us < 100 ? 2 : 0));
    if (other != nullptr && other != &entry && other->figure("time_us") > 0) {
        text += fmt::format("   {:+.1f} %", (us / other->figure("time_us") - 1) * 100);
    }
    return text;
}

/// The runs of this session: which are shown as A and B, how long each took.
class RunsPanel final : public Panel {
public:
    [[nodiscard]] PanelInfo info() const override {
        return {.name = "runs",
                .title = "Runs",
                .hint = "Runs so far; click shows one as A, Shift+click as B",
                .dock = Dock::left,
                .order = 10};
    }

    void add_commands(CommandTable& commands, Requests& requests) override {
        const auto add = [&](const char* name, const char* title, const char* key, auto act) {
            commands.add({name,
                          title,
                          "Runs",
                          keys({key}),
                          [&requests, act] { ask_workbench(requests, act); },
                          {},
                          false});
        };
        add("runs.swap", "Swap A and B", "X", [](Workbench& w) { w.swap_runs(); });
        add("runs.close_b", "Stop comparing", "Shift+X", [](Workbench& w) { w.close_b(); });
        add("runs.close", "Back to the welcome page", "Ctrl+W", [](Workbench& w) { w.close(); });
    }

    void draw_content(PanelContext& context) override {
        const Workbench* bench = workbench_of(context);
        if (bench == nullptr || bench->runs().empty()) {
            empty_panel(context, "No run yet", "Ctrl+Enter runs the scenario that is open.");
            return;
        }
        const std::vector<RunEntry>& runs = bench->runs();
        for (auto entry = runs.rbegin(); entry != runs.rend(); ++entry) {
            draw_entry(*entry, *bench, context);
        }
        const RunEntry& last = runs.back();
        if (!last.error.empty()) {
            ImGui::Separator();
            ImGui::PushTextWrapPos(0);
            coloured_text(status_colour(last.status, context.theme), last.error);
            ImGui::PopTextWrapPos();
        }
        ImGui::Dummy({0, std::round(6 * context.scale())});
        dim_text(context, "Click: run A. Shift+click: run B. Double click: rename.");
    }

private:
    void draw_entry(const RunEntry& entry, const Workbench& bench, PanelContext& context) {
        ImGui::PushID(entry.number);
        if (renaming_ == entry.number) {
            draw_rename(entry, context);
            ImGui::PopID();
            return;
        }
        const float height = std::round(context.fonts.line_height(TextStyle::regular) +
                                        context.fonts.line_height(TextStyle::small) + 10 * context.scale());
        const bool clicked =
            ImGui::InvisibleButton("run", {std::max(1.0F, ImGui::GetContentRegionAvail().x), height});
        const Rect box = last_item();
        const bool hovered = ImGui::IsItemHovered();
        anchor_last_item(context, fmt::format("runs/{}", entry.number));
        draw_row(entry, bench, box, hovered, context);
        tooltip(fmt::format(
            "{}\n{}, simulated in {:.1f} s\nThe time is that of the chip, the change that against run A.{}{}",
            entry.recording.string(),
            name(entry.status),
            entry.seconds,
            entry.error.empty() ? "" : "\n",
            entry.error));
        press(entry, clicked, hovered, context);
        ImGui::PopID();
    }

    static void draw_row(
        const RunEntry& entry, const Workbench& bench, Rect box, bool hovered, PanelContext& context) {
        const float scale = context.scale();
        const float line = context.fonts.line_height(TextStyle::regular);
        const float small = context.fonts.line_height(TextStyle::small);
        const float badge = std::round(20 * scale);
        ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
        const bool is_a = &entry == bench.entry_a();
        const bool is_b = &entry == bench.entry_b();
        if (hovered || is_a || is_b) {
            canvas.fill(box, hovered ? context.theme.hover : context.theme.raised);
        }
        if (is_a || is_b) {
            const Pixel colour = is_a ? context.theme.run_a : context.theme.run_b;
            const Rect mark{box.left, box.top, box.left + badge, box.bottom};
            canvas.fill(mark, colour);
            canvas.text_in(mark, readable_on(colour), is_a ? "A" : "B", Align::centre, TextStyle::bold);
        }
        const float left = box.left + badge + std::round(6 * scale);
        const float top = box.top + std::round(4 * scale);
        const std::string number = fmt::format("{}  ", entry.number);
        const float room = box.right - 2 - left - canvas.measure(number).x;
        canvas.text_in(
            {left, top, box.right - 2, top + line},
            context.theme.text,
            number + without_middle(context.fonts, entry.name, TextStyle::regular, std::max(0.0F, room)));
        canvas.text_in({left, top + line + 2 * scale, box.right - 2, top + line + 2 * scale + small},
                       status_colour(entry.status, context.theme),
                       time_of(entry, bench.entry_a()),
                       Align::left,
                       TextStyle::small);
    }

    void press(const RunEntry& entry, bool clicked, bool hovered, PanelContext& context) {
        if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
            renaming_ = entry.number;
            name_ = entry.name;
            focus_ = true;
        } else if (clicked && ImGui::GetIO().KeyShift) {
            ask_workbench(context.requests, [number = entry.number](Workbench& w) { w.select_b(number); });
        } else if (clicked) {
            ask_workbench(context.requests, [number = entry.number](Workbench& w) { w.select_a(number); });
        }
    }

    void draw_rename(const RunEntry& entry, PanelContext& context) {
        std::array<char, 128> buffer{};
        name_.copy(buffer.data(), buffer.size() - 1);
        ImGui::SetNextItemWidth(-1);
        if (focus_) {
            ImGui::SetKeyboardFocusHere();
        }
        if (ImGui::InputText("##name", buffer.data(), buffer.size(), ImGuiInputTextFlags_AutoSelectAll)) {
            name_ = buffer.data();
        }
        anchor_last_item(context, fmt::format("runs/{}/name", entry.number));
        if (ImGui::IsItemDeactivated() && !focus_) {
            ask_workbench(context.requests,
                          [number = entry.number, text = name_](Workbench& w) { w.rename(number, text); });
            renaming_ = 0;
        }
        focus_ = false;
    }

    int renaming_ = 0;
    std::string name_;
    bool focus_ = false;
};

}  // namespace

std::unique_ptr<Panel> make_runs_panel();

std::unique_ptr<Panel> make_runs_panel() {
    return std::make_unique<RunsPanel>();
}

}  // namespace ascendsim::gui
