// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "gui/canvas/imgui_canvas.hpp"
#include "gui/runs/workbench.hpp"
#include "gui/shell/widgets.hpp"

namespace ascendsim::gui {
namespace {

constexpr double most_choices = 9;  // whole numbers of a small range are chosen, not typed

/// What can be chosen for a knob; empty if it is typed.
std::vector<std::string> choices_of(const Knob& knob) {
    std::vector<std::string> choices = knob.allowed;
    if (choices.empty() && knob.kind == KnobKind::integer && knob.min && knob.max &&
        *knob.max - *knob.min < most_choices) {
        for (double value = *knob.min; value <= *knob.max; ++value) {
            choices.push_back(fmt::format("{:.0f}", value));
        }
    }
    return choices;
}

std::string hint_of(const Knob& knob) {
    std::string hint = fmt::format("{}\n{}", knob.path, knob.meaning);
    hint += fmt::format("\nfrom the scenario: {}", knob.base);
    if (!range_text(knob).empty()) {
        hint += "\nallowed: " + range_text(knob);
    }
    if (!knob.tag.empty()) {
        hint += fmt::format("\nsource [{}]: {}", knob.tag, knob.source);
    }
    return hint;
}

/// The knobs of the next run, and the button that starts it.
class ParametersPanel final : public Panel {
public:
    [[nodiscard]] PanelInfo info() const override {
        return {.name = "parameters",
                .title = "Parameters",
                .hint = "Knobs of kernel and chip for the next run",
                .dock = Dock::right,
                .order = 20};
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
        add("run.start", "Run with the edits", "Ctrl+Enter", [](Workbench& w) { w.request_run(); });
        add("run.again", "Run again", "Ctrl+R", [](Workbench& w) { w.request_run(); });
        add("run.cancel", "Cancel the run", "Ctrl+.", [](Workbench& w) { w.cancel(); });
        add("run.reset", "Take all edits back", "", [](Workbench& w) { w.reset_knobs(); });
        add("run.auto", "Run by itself after an edit", "", [](Workbench& w) {
            w.set_auto_run(!w.auto_run());
        });
    }

    void draw_content(PanelContext& context) override {
        const Workbench* bench = workbench_of(context);
        const Draft* draft = bench == nullptr ? nullptr : bench->draft();
        if (draft == nullptr) {
            draw_without_draft(bench, context);
            return;
        }
        draw_head(*bench, *draft, context);
        ImGui::BeginChild("knobs");
        std::string group;
        bool open = true;
        std::size_t shown = 0;
        for (const Knob& knob : draft->knobs()) {
            if (!is_wanted(*draft, knob, context.view.find)) {
                continue;
            }
            if (knob.group != group) {
                group = knob.group;
                open = draw_group(*draft, group, context);
            }
            if (open) {
                draw_knob(*draft, knob, context);
            }
            ++shown;
        }
        if (shown == 0) {
            dim_text(
                context,
                draft->loading() ? "Asking the simulator for knobs \u2026" : "No knob matches the find box.");
        }
        ImGui::EndChild();
    }

private:
    static bool is_wanted(const Draft& draft, const Knob& knob, std::string_view find) {
        if (draft.lesson()) {
            const std::vector<std::string>& offered = draft.lesson()->knobs;
            return std::ranges::find(offered, knob.path) != offered.end();
        }
        return find.empty() || match_score(find, knob.path) >= 0 || draft.changed(knob.path);
    }

    /// A recording's scenario can be taken up where advice can be tried; else the same reason is told.
    static void draw_without_draft(const Workbench* bench, PanelContext& context) {
        const RunOrigin* origin = bench == nullptr ? nullptr : bench->origin();
        if (origin == nullptr || origin->missing) {
            empty_panel(context,
                        origin == nullptr ? std::string{"No scenario is open."} : *origin->missing + ".",
                        "Open a scenario or a lesson to turn its knobs.");
            return;
        }
        empty_panel(context,
                    fmt::format("A recording is open. {} made it.", origin->scenario.filename().string()),
                    "Its knobs start at the values of this run.");
        const char* label = "Edit and run";
        const float wide =
            context.fonts.measure(label, TextStyle::regular).x + std::round(16 * context.scale());
        ImGui::SetCursorPosX(ImGui::GetCursorPosX() +
                             std::max(0.0F, std::round((ImGui::GetContentRegionAvail().x - wide) / 2)));
        if (tool_button(context, label, true, origin->scenario.string())) {
            ask_workbench(context.requests, [](Workbench& w) { w.edit_run(); });
        }
        anchor_last_item(context, "parameters/edit_run");
    }

    void draw_head(const Workbench& bench, const Draft& draft, PanelContext& context) {
        ImGui::PushTextWrapPos(0);
        coloured_text(context.theme.text, draft.title());
        ImGui::PopTextWrapPos();
        tooltip(draft.scenario().string());
        draw_other_run(bench, draft, context);
        if (bench.running()) {
            if (tool_button(context, "Cancel", false, "Ends the run; what it has recorded stays  (Ctrl+.)")) {
                ask_workbench(context.requests, [](Workbench& w) { w.cancel(); });
            }
            anchor_last_item(context, "run/cancel");
            ImGui::SameLine();
            draw_progress(*bench.progress(), context);
        } else {
            draw_buttons(bench, draft, context);
        }
        if (const std::optional<std::string> problem = draft.problem()) {
            ImGui::PushTextWrapPos(0);
            coloured_text(context.theme.bad, *problem);
            ImGui::PopTextWrapPos();
        }
        ImGui::Separator();
    }

    /// The way from the knobs of one scenario to those of the run that is shown, if another made it.
    static void draw_other_run(const Workbench& bench, const Draft& draft, PanelContext& context) {
        const RunOrigin* origin = bench.origin();
        const RunEntry* run = bench.entry_a();
        const bool made_here = run != nullptr && !run->scenario.empty();
        if (bench.running() || origin == nullptr || origin->missing ||
            (made_here ? run->scenario : origin->scenario).filename() == draft.scenario().filename()) {
            return;
        }
        if (link(context,
                 fmt::format("edit {} of run A", origin->scenario.filename().string()),
                 "Run A was made by another scenario than these knobs are of")) {
            ask_workbench(context.requests, [](Workbench& w) { w.edit_run(); });
        }
        anchor_last_item(context, "parameters/edit_run");
    }

    static void draw_buttons(const Workbench& bench, const Draft& draft, PanelContext& context) {
        if (tool_button(
                context, "Run", !draft.problem(), "Runs the scenario with these values  (Ctrl+Enter)")) {
            ask_workbench(context.requests, [](Workbench& w) { w.request_run(); });
        }
        anchor_last_item(context, "run/button");
        ImGui::SameLine();
        if (tool_button(context, "Reset", false, "Takes all edits back")) {
            ask_workbench(context.requests, [](Workbench& w) { w.reset_knobs(); });
        }
        anchor_last_item(context, "run/reset");
        ImGui::SameLine();
        if (tool_button(context, "Auto", bench.auto_run(), "Runs by itself a moment after an edit")) {
            ask_workbench(context.requests, [](Workbench& w) { w.set_auto_run(!w.auto_run()); });
        }
        anchor_last_item(context, "run/auto");
        ImGui::SameLine();
        ImGui::AlignTextToFramePadding();
        const std::size_t edits = draft.changes().size();
        coloured_text(
            edits == 0 ? context.theme.text_faint : context.theme.accent,
            edits == 0 ? std::string{"no edits"} : fmt::format("{} edit{}", edits, edits == 1 ? "" : "s"));
        tooltip("Values that differ from those of the scenario");
    }

    /// A bar of how far the run has come, measured by the last one of its scenario.
    static void draw_progress(const RunProgress& progress, const PanelContext& context) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float width = std::max(1.0F, ImGui::GetContentRegionAvail().x);
        const float height = ImGui::GetFrameHeight();
        ImGui::Dummy({width, height});
        const Rect box{at.x, at.y, at.x + width, at.y + height};
        ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
        canvas.fill(box, context.theme.raised);
        const float share = static_cast<float>(progress.share.value_or(0));
        canvas.fill(whole_pixels({box.left, box.top, box.left + share * width, box.bottom}),
                    context.theme.accent_soft);
        canvas.text_in(box.shrunk(2),
                       context.theme.text,
                       fmt::format("{} cycles, {:.1f} s", format_count(progress.cycles), progress.seconds),
                       Align::centre,
                       TextStyle::small);
        tooltip(fmt::format("{} instructions and waits recorded so far", format_count(progress.spans)));
    }

    /// The head of a group; false if it is folded.
    bool draw_group(const Draft& draft, const std::string& group, PanelContext& context) {
        std::size_t edits = 0;
        for (const Knob& knob : draft.knobs()) {
            edits += knob.group == group && draft.changed(knob.path) ? 1U : 0U;
        }
        const bool open = folding_head(context,
                                       group,
                                       edits == 0 ? group : fmt::format("{} ({} edited)", group, edits),
                                       group == "kernel" || group == "chip" || draft.lesson().has_value(),
                                       !context.view.find.empty());
        anchor_last_item(context, "knob_group/" + group);
        return open;
    }

    void draw_knob(const Draft& draft, const Knob& knob, PanelContext& context) {
        const bool changed = draft.changed(knob.path);
        const float unit_width = std::round(64 * context.scale());
        const float reset_width = std::round(20 * context.scale());
        const float whole = ImGui::GetContentRegionAvail().x;
        const float label_width = std::round((whole - unit_width - reset_width) * 0.48F);
        ImGui::PushID(knob.path.c_str());
        const ImVec2 at = ImGui::GetCursorScreenPos();
        ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
        const float height = ImGui::GetFrameHeight();
        ImGui::Dummy({label_width, height});
        tooltip(hint_of(knob));
        const Rect label{at.x, at.y, at.x + label_width, at.y + height};
        if (changed) {
            canvas.fill({label.left, label.top, label.left + std::round(2 * context.scale()), label.bottom},
                        context.theme.accent);
        }
        canvas.text_in({label.left + std::round(6 * context.scale()), label.top, label.right, label.bottom},
                       changed ? context.theme.accent : context.theme.text,
                       knob.label);
        ImGui::SameLine(0, 0);
        ImGui::SetNextItemWidth(std::max(20.0F, whole - label_width - unit_width - reset_width));
        draw_value(draft, knob, context);
        ImGui::SameLine();
        ImGui::AlignTextToFramePadding();
        coloured_text(context.theme.text_dim, knob.unit);
        tooltip(hint_of(knob));
        if (changed) {
            ImGui::SameLine(whole - reset_width);
            if (link(context, "\u00d7", fmt::format("Back to {}", knob.base))) {
                ask_workbench(context.requests, [path = knob.path](Workbench& w) { w.reset_knob(path); });
            }
            anchor_last_item(context, fmt::format("knob/{}/reset", knob.path));
        }
        ImGui::PopID();
    }

    void draw_value(const Draft& draft, const Knob& knob, PanelContext& context) {
        const std::string& value = draft.value(knob);
        const std::vector<std::string> choices = choices_of(knob);
        const std::string anchor = "knob/" + knob.path;
        if (choices.empty()) {
            draw_typed(knob, value, context);
            anchor_last_item(context, anchor);
            tooltip(hint_of(knob));
            return;
        }
        const bool open = begin_choice(context, "##value", value);
        anchor_last_item(context, anchor);
        if (!open) {
            tooltip(hint_of(knob));
            return;
        }
        for (const std::string& choice : choices) {
            if (ImGui::Selectable(choice.c_str(), choice == value)) {
                ask_workbench(context.requests,
                              [path = knob.path, choice](Workbench& w) { w.set_knob(path, choice); });
            }
            anchor_last_item(context, fmt::format("{}/{}", anchor, choice));
        }
        ImGui::EndCombo();
    }

    /// A field that hands its text over when it loses the keyboard.
    void draw_typed(const Knob& knob, const std::string& value, PanelContext& context) {
        const std::string& shown = editing_ == knob.path ? text_ : value;
        std::array<char, 256> buffer{};
        shown.copy(buffer.data(), buffer.size() - 1);
        const bool wrong = problem_with(knob, shown).has_value();
        if (wrong) {
            ImGui::PushStyleColor(ImGuiCol_Text, context.theme.bad);
        }
        if (ImGui::InputText("##value", buffer.data(), buffer.size())) {
            editing_ = knob.path;
            text_ = buffer.data();
        }
        if (wrong) {
            ImGui::PopStyleColor();
        }
        if (ImGui::IsItemDeactivatedAfterEdit() && editing_ == knob.path) {
            ask_workbench(context.requests,
                          [path = knob.path, text = text_](Workbench& w) { w.set_knob(path, text); });
        }
        if (ImGui::IsItemDeactivated()) {
            editing_.clear();
        }
    }

    std::string editing_;  // path of the knob being typed
    std::string text_;
};

}  // namespace

std::unique_ptr<Panel> make_parameters_panel();

std::unique_ptr<Panel> make_parameters_panel() {
    return std::make_unique<ParametersPanel>();
}

}  // namespace ascendsim::gui
