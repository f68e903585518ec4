// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/summary/advice_view.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/analysis/advice/setting_advice.hpp"
#include "gui/canvas/imgui_canvas.hpp"
#include "gui/runs/workbench.hpp"
#include "gui/shell/widgets.hpp"
#include "gui/timeview/table.hpp"

namespace ascendsim::gui {
namespace {

constexpr std::size_t most_advice = 4;  // at first
constexpr double least_gain = 0.0005;   // less would read 1.00 times as fast
constexpr const char* arrow = "\u2192";

/// Settings of the advice that are worth a run and have not been asked for.
std::vector<std::string> untried(const analysis::Advice& advice, const AdviceTrials* trials) {
    std::vector<std::string> settings;
    for (const std::string& setting : advice.tries) {
        const Trial* trial = trials == nullptr ? nullptr : trials->find(setting);
        if (trial == nullptr || (trial->state == TrialState::done && !trial->result.problem.empty())) {
            settings.push_back(setting);
        }
    }
    return settings;
}

bool was_tried(const analysis::Advice& advice, const AdviceTrials* trials) {
    return trials != nullptr && std::ranges::any_of(advice.tries, [&](const std::string& one) {
               return trials->find(one) != nullptr;
           });
}

std::vector<std::string> steps_behind(const analysis::Advice& advice, const AdviceTrials* trials) {
    return trials == nullptr ? std::vector<std::string>{} : trials->steps_behind(advice);
}

/// Adds settings of an advice that are not in a list yet.
void add_others(std::vector<std::string>& all, const std::vector<std::string>& settings) {
    for (const std::string& setting : settings) {
        if (std::ranges::find(all, setting) == all.end()) {
            all.push_back(setting);
        }
    }
}

/// The settings of an advice, and those behind them where one gains.
std::vector<std::string> settings_with_steps(const analysis::Advice& advice) {
    std::vector<std::string> all = advice.tries;
    for (const auto& [first, further] : advice.further) {
        add_others(all, further);
    }
    return all;
}

/// "base_n 256 \u2192 512": the step from the last value that gained.
std::string step_text(const analysis::Advice& advice, const std::string& step) {
    const auto value = [](const std::string& setting) { return setting.substr(setting.find('=') + 1); };
    for (const auto& [first, further] : advice.further) {
        const auto here = std::ranges::find(further, step);
        if (here != further.end()) {
            const std::string parameter = analysis::parameter_of(step);
            return fmt::format("{} {} {} {}",
                               parameter.substr(parameter.rfind('.') + 1),
                               value(here == further.begin() ? first : *std::prev(here)),
                               arrow,
                               value(step));
        }
    }
    return step;
}

void draw_progress(const PanelContext& context, const TrialProgress& progress) {
    dim_text(
        context,
        fmt::format("Trying: {} of {} runs done, {:.1f} s", progress.done, progress.all, progress.seconds));
    constexpr std::string_view meaning =
        "Each setting is simulated by itself, and the run without any once more to compare with";
    tooltip(meaning);
    share_bar(context, progress.share, context.theme.accent, std::round(4 * context.scale()), meaning);
}

/// What is said of a trial, and in which colour.
std::pair<std::string, Pixel> words_of(const Trial& trial, double before_us, const Theme& theme) {
    const std::string& setting = trial.setting;
    if (trial.state == TrialState::waiting) {
        return {fmt::format("{}: waits for its turn", setting), theme.text_dim};
    }
    if (trial.state == TrialState::running) {
        return {fmt::format("{}: running, {:.1f} s", setting, trial.run.seconds), theme.text_dim};
    }
    const analysis::AdviceTrial& result = trial.result;
    if (!result.problem.empty()) {
        return {fmt::format("tried {}: {}", setting, result.problem), theme.bad};
    }
    return {fmt::format("tried {}:\n{}", setting, gain_text(before_us, result.time_us)),
            result.gain >= least_gain ? theme.good : theme.text_dim};
}

std::string meaning_of(const Trial& trial) {
    if (trial.state != TrialState::done) {
        return "Simulated beside the dashboard, which goes on";
    }
    if (!trial.result.problem.empty()) {
        return trial.run.error.empty() ? "Its time says nothing then" : trial.run.error;
    }
    return "Simulated with this change alone, and without it: how many times as fast, and both times of the "
           "chip";
}

/// "kernel.base_n: 256 → 128, or 512": what it is and what is worth a try; the value alone where nothing is.
std::string change_text(const analysis::Advice& advice) {
    const std::size_t sign = advice.knob.find(" = ");
    if (sign == std::string::npos || advice.tries.empty()) {
        return advice.knob;
    }
    const std::string now = advice.knob.substr(sign + 3);
    std::string text =
        fmt::format("{}: {} {} ", advice.knob.substr(0, sign), now == "0" ? "0 (what fits)" : now, arrow);
    for (const std::string& setting : advice.tries) {
        text += &setting == &advice.tries.front() ? "" : ", or ";
        text += setting.substr(setting.find('=') + 1);
    }
    return text;
}

/// Microseconds with three digits that count: "92", "9.21", "0.921".
std::string micros(double us) {
    return format_number(us, us < 1 ? 3 : us < 10 ? 2 : us < 100 ? 1 : 0);
}

const RunOrigin* origin_of(const PanelContext& context) {
    const Workbench* const bench = workbench_of(context);
    return bench == nullptr ? nullptr : bench->origin();
}

const AdviceTrials* trials_of(const PanelContext& context) {
    const Workbench* const bench = workbench_of(context);
    return bench == nullptr ? nullptr : bench->trials();
}

}  // namespace

std::string gain_text(double before_us, double after_us) {
    return fmt::format("{:.2f}\u00d7, {}\u00a0{}\u00a0{}\u00a0\u00b5s",
                       after_us > 0 ? before_us / after_us : 0.0,
                       micros(before_us),
                       arrow,
                       micros(after_us));
}

std::optional<Pick> evidence_of(const Run& run, const RunAnalysis& analysis, const analysis::Root& root) {
    const analysis::PathSegment* best = nullptr;
    for (const analysis::PathSegment& segment : analysis.path.segments) {
        if (segment.kind != root.kind || !run.recording().contains(segment.span)) {
            continue;
        }
        const record::Lane& lane = run.recording().lane(segment.span.lane);
        const std::size_t i = segment.span.index;
        if (lane.op[i] == root.op && lane.site[i] == root.site &&
            (best == nullptr || segment.cycles() > best->cycles())) {
            best = &segment;
        }
    }
    return best == nullptr ? std::nullopt : pick_span(run, best->span);
}

/// Looks the evidence up once for every analysis: the path may have many pieces.
void AdviceView::find_evidence(const Run& run, const RunAnalysis& analysis) {
    if (evidence_of_ == run.analysis_pointer()) {
        return;
    }
    evidence_of_ = run.analysis_pointer();
    evidence_.clear();
    for (const analysis::Advice& advice : analysis.advice) {
        evidence_.push_back(evidence_of(run, analysis, advice.root));
    }
}

void AdviceView::draw(PanelContext& context, const Run& run, const RunAnalysis& analysis) {
    if (analysis.advice.empty()) {
        return;
    }
    find_evidence(run, analysis);
    const RunOrigin* origin = origin_of(context);
    const bool can_try = origin != nullptr && !origin->missing && run.recording().complete();
    draw_head(context, analysis, can_try);
    const AdviceTrials* trials = trials_of(context);
    std::size_t hidden = 0;
    for (std::size_t n = 0; n < analysis.advice.size(); ++n) {
        // What has been tried shows what came of it, small cause or not.
        if (!all_shown_ && n >= most_advice && !was_tried(analysis.advice[n], trials)) {
            ++hidden;
            continue;
        }
        ImGui::PushID(static_cast<int>(n));
        draw_advice(context, analysis, n, can_try);
        ImGui::PopID();
    }
    if (hidden > 0 || (all_shown_ && analysis.advice.size() > most_advice)) {
        if (link(context,
                 all_shown_ ? std::string{"fewer"} : fmt::format("{} more", hidden),
                 "Advice for smaller causes")) {
            all_shown_ = !all_shown_;
        }
        anchor_last_item(context, "summary/more_advice");
    }
}

void AdviceView::draw_head(PanelContext& context, const RunAnalysis& analysis, bool can_try) {
    heading(context, "What to try");
    const AdviceTrials* trials = trials_of(context);
    if (trials != nullptr && trials->busy()) {
        draw_progress(context, trials->progress());
        if (link(context, "stop trying", "Ends the runs that are under way; what has been tried stays")) {
            ask_workbench(context.requests, [](Workbench& bench) { bench.cancel_trials(); });
        }
        anchor_last_item(context, "summary/stop_trying");
        context.requests.animate();
        return;
    }
    std::vector<std::string> settings;
    for (const analysis::Advice& advice : analysis.advice) {
        add_others(settings, untried(advice, trials));
    }
    const bool goes_on = settings.empty();
    for (std::size_t n = 0; goes_on && n < analysis.advice.size(); ++n) {
        add_others(settings, steps_behind(analysis.advice[n], trials));
    }
    if (!can_try || settings.empty()) {
        const RunOrigin* origin = origin_of(context);
        if (!settings.empty() && origin != nullptr && origin->missing) {
            dim_text(context, fmt::format("Cannot be tried. {}", *origin->missing));
            anchor_last_item(context, "summary/cannot_try");
        }
        return;
    }
    ImGui::SameLine(0, std::round(10 * context.scale()));
    if (small_button(context,
                     goes_on ? "Go on###try_all" : "Try all###try_all",
                     fmt::format("Simulates the run with {}, to see what each gains",
                                 fmt::join(settings, ", then with ")))) {
        ask_workbench(context.requests, [settings](Workbench& bench) { bench.try_advice(settings); });
    }
    anchor_last_item(context, "summary/try_all");
}

void AdviceView::draw_advice(PanelContext& context,
                             const RunAnalysis& analysis,
                             std::size_t n,
                             bool can_try) const {
    const analysis::Advice& advice = analysis.advice[n];
    const AdviceTrials* trials = trials_of(context);
    ImGui::PushTextWrapPos(0);
    coloured_text(context.theme.text, advice.sentence);
    ImGui::PopTextWrapPos();
    anchor_last_item(context, fmt::format("summary/advice/{}", n));
    tooltip(advice.evidence);
    coloured_text(context.theme.good,
                  fmt::format("{} \u2212{}",
                              !advice.bounded  ? "about"
                              : advice.without ? "at most"
                                               : "up to",
                              format_percent(advice.stated(analysis.path.cycles()))));
    tooltip(advice.bounded && advice.without
                ? "The run without the cause: no change against this cause alone gains more"
            : advice.bounded
                ? "No run gains more: that is what the critical path and the speed of light leave"
                : "What the cause has of the critical path, which is no bound: less work, another type or "
                  "other cores change more than the cause");
    if (const std::optional<Pick>& pick = evidence_[n]) {
        ImGui::SameLine(0, std::round(10 * context.scale()));
        pick_link(context, *pick, "evidence", fmt::format("summary/evidence/{}", n));
    }
    if (can_try) {
        draw_try(context, untried(advice, trials), trials, n);
    }
    if (!advice.knob.empty()) {
        dim_text(context, change_text(advice));
        tooltip(
            fmt::format("The parameter to turn; its value is the one of this run. {}", advice.knob_meaning));
    }
    const std::vector<std::string> settings = settings_with_steps(advice);
    for (std::size_t k = 0; trials != nullptr && k < settings.size(); ++k) {
        if (const Trial* trial = trials->find(settings[k])) {
            ImGui::PushID(static_cast<int>(k));
            draw_trial(context, *trial, trials->before_us(), n, k);
            ImGui::PopID();
        }
    }
    if (can_try) {
        draw_steps(context, advice, trials, n);
    }
}

void AdviceView::draw_steps(PanelContext& context,
                            const analysis::Advice& advice,
                            const AdviceTrials* trials,
                            std::size_t n) {
    const std::vector<std::string> steps = steps_behind(advice, trials);
    for (std::size_t k = 0; k < steps.size(); ++k) {
        const Trial* const failed = trials->find(steps[k]);
        if (link(context,
                 fmt::format(
                     "{}: {}", failed == nullptr ? "go on" : "go on, once more", step_text(advice, steps[k])),
                 failed == nullptr
                     ? fmt::format("The step before gained: simulates the run with {}", steps[k])
                     : fmt::format(
                           "The step before gained; with {} it came to nothing: {}. Simulates it again",
                           steps[k],
                           failed->result.problem))) {
            ask_workbench(context.requests,
                          [step = steps[k]](Workbench& bench) { bench.try_advice({step}); });
        }
        anchor_last_item(context, fmt::format("summary/go_on/{}/{}", n, k));
    }
}

void AdviceView::draw_try(PanelContext& context,
                          const std::vector<std::string>& settings,
                          const AdviceTrials* trials,
                          std::size_t n) {
    if (settings.empty()) {
        return;
    }
    const bool again = trials != nullptr && trials->find(settings.front()) != nullptr;
    ImGui::SameLine(0, std::round(10 * context.scale()));
    if (small_button(context,
                     again ? "Try again###try" : "Try###try",
                     fmt::format("Simulates the run with {} beside the dashboard, to see what it gains",
                                 fmt::join(settings, ", then with ")))) {
        ask_workbench(context.requests, [settings](Workbench& bench) { bench.try_advice(settings); });
    }
    anchor_last_item(context, fmt::format("summary/try/{}", n));
}

void AdviceView::draw_trial(
    PanelContext& context, const Trial& trial, double before_us, std::size_t n, std::size_t k) {
    const auto [words, colour] = words_of(trial, before_us, context.theme);
    ImGui::PushTextWrapPos(0);
    coloured_text(colour, words);
    ImGui::PopTextWrapPos();
    anchor_last_item(context, fmt::format("summary/tried/{}/{}", n, k));
    tooltip(meaning_of(trial));
    if (context.anchors.enabled()) {
        context.anchors.value(fmt::format("summary.tried.{}.{}", n, k), words);
    }
    if (trial.number == 0) {
        return;
    }
    if (link(context, "open", "Shows the tried run as A, and this one as B")) {
        ask_workbench(context.requests, [number = trial.number](Workbench& bench) {
            bench.select_b(number);
            bench.swap_runs();
        });
    }
    anchor_last_item(context, fmt::format("summary/tried/{}/{}/open", n, k));
    ImGui::SameLine(0, std::round(10 * context.scale()));
    if (link(context, "compare", "Shows the tried run as B beside this one, and what moved")) {
        ask_workbench(context.requests,
                      [number = trial.number](Workbench& bench) { bench.select_b(number); });
        context.requests.command("panel.show_compare");
    }
    anchor_last_item(context, fmt::format("summary/tried/{}/{}/compare", n, k));
}

}  // namespace ascendsim::gui
