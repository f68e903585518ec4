// SPDX-License-Identifier: Apache-2.0
// Advice that is tried beside the dashboard.
#include <algorithm>
#include <utility>

#include "gui/runs/workbench.hpp"

namespace ascendsim::gui {

bool Workbench::trying() const {
    return std::ranges::any_of(trials_, [](const auto& one) { return one.second->busy(); });
}

const AdviceTrials* Workbench::trials() const {
    const auto found = trials_.find(documents_.path_a());
    return found == trials_.end() ? nullptr : found->second.get();
}

void Workbench::try_advice(const std::vector<std::string>& settings) {
    const Run* run = as_run(latest_a_.get());
    if (run == nullptr) {
        return;
    }
    if (const std::optional<std::string> why = AdviceTrials::obstacle(*run)) {
        say(*why);
        return;
    }
    std::unique_ptr<AdviceTrials>& trials = trials_[documents_.path_a()];
    if (trials == nullptr) {
        const std::string stem = std::filesystem::path{documents_.path_a()}.stem().string();
        trials = std::make_unique<AdviceTrials>(options_.program, options_.run_folder, stem, *run);
    }
    trials->add(settings);
}

void Workbench::cancel_trials() {
    if (const auto found = trials_.find(documents_.path_a()); found != trials_.end()) {
        found->second->cancel();
    }
}

void Workbench::poll_trials() {
    for (auto& [recording, trials] : trials_) {
        for (Trial* trial : trials->poll()) {
            trial->number = add_entry(trial->run);
        }
    }
}

}  // namespace ascendsim::gui
