// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/document/selection.hpp"
#include "gui/runs/advice_trials.hpp"
#include "gui/shell/panel.hpp"

namespace ascendsim::gui {

/// What to try: every advice with what it can gain at most, and what it gains where it was tried.
class AdviceView {
public:
    /// Draws the advice of a run; nothing if there is none.
    void draw(PanelContext& context, const Run& run, const RunAnalysis& analysis);

private:
    void find_evidence(const Run& run, const RunAnalysis& analysis);
    void draw_head(PanelContext& context, const RunAnalysis& analysis, bool can_try);
    void draw_advice(PanelContext& context, const RunAnalysis& analysis, std::size_t n, bool can_try) const;
    /// The button that runs `settings`; none without any.
    static void draw_try(PanelContext& context,
                         const std::vector<std::string>& settings,
                         const AdviceTrials* trials,
                         std::size_t n);
    /// A link for each of the settings behind those that gained, and what went wrong with one that was tried.
    static void draw_steps(PanelContext& context,
                           const analysis::Advice& advice,
                           const AdviceTrials* trials,
                           std::size_t n);
    static void draw_trial(
        PanelContext& context, const Trial& trial, double before_us, std::size_t n, std::size_t k);

    std::shared_ptr<const RunAnalysis> evidence_of_;
    std::vector<std::optional<Pick>> evidence_;  // of every advice
    bool all_shown_ = false;
};

/// The longest piece of the critical path that a root stands for.
[[nodiscard]] std::optional<Pick> evidence_of(const Run& run,
                                              const RunAnalysis& analysis,
                                              const analysis::Root& root);

/// "1.34×, 123 → 92 µs": what a trial gained.
[[nodiscard]] std::string gain_text(double before_us, double after_us);

}  // namespace ascendsim::gui
