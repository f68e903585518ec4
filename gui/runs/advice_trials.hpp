// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/analysis/advice/advice.hpp"
#include "app/analysis/advice/advice_trial.hpp"
#include "app/lessons/lesson.hpp"
#include "gui/document/run.hpp"
#include "gui/runs/run_entry.hpp"
#include "gui/runs/run_job.hpp"

namespace ascendsim::gui {

enum class TrialState : std::uint8_t { waiting, running, done };

/// One setting that advice names, and what became of it.
struct Trial {
    std::string setting;  ///< as for --set: "kernel.buffers=2"
    TrialState state = TrialState::waiting;
    analysis::AdviceTrial result;  ///< once done; a fault of the child is its `problem`
    RunEntry run;                  ///< its recording is kept if there is one
    int number = 0;                ///< in the history; 0 while it is not there
};

/// How far trials have come, the repeated run counted with them.
struct TrialProgress {
    std::size_t done = 0;
    std::size_t all = 0;
    double seconds = 0;  ///< since the first one was started
    double share = 0;    ///< of the work, as far as the runs that have ended tell
};

/// Runs what the advice of one run names, each setting by itself, in children beside the dashboard. The run
/// itself is repeated first: times are compared only while running it again gives what was recorded.
class AdviceTrials {
public:
    /// `run` is the one whose advice is tried. Recordings go to `folder`, named `stem`_try_1 and so on.
    AdviceTrials(std::filesystem::path program,
                 std::filesystem::path folder,
                 std::string stem,
                 const Run& run);

    /// Why nothing of this run can be tried, as a sentence; nothing if it can.
    [[nodiscard]] static std::optional<std::string> obstacle(const Run& run);

    /// Queues settings that have not been tried; those that a problem kept from being judged are tried again.
    void add(const std::vector<std::string>& settings);
    /// Starts what there is room for and takes what has ended; never waits. Returns the trials that ended
    /// with a recording since the last call.
    std::vector<Trial*> poll();
    /// Ends what is under way; what had not ended counts as never tried.
    void cancel();

    [[nodiscard]] bool busy() const { return !jobs_.empty(); }

    /// Of what was asked for last.
    [[nodiscard]] TrialProgress progress() const;
    /// Null if it was never asked for.
    [[nodiscard]] const Trial* find(const std::string& setting) const;

    /// What to run next of an advice, as `explain --try` goes on: behind each of its settings that gained the
    /// value one step further, as long as each step gains more. Without those under way; a step that a
    /// problem kept from being judged comes again.
    [[nodiscard]] std::vector<std::string> steps_behind(const analysis::Advice& advice) const;

    [[nodiscard]] const std::vector<std::unique_ptr<Trial>>& trials() const { return trials_; }

    /// Time of the run without any change, us.
    [[nodiscard]] double before_us() const { return before_us_; }

private:
    struct Job {
        Trial* trial;  // null for the run without a change
        std::unique_ptr<RunJob> process;
        bool ended = false;
    };

    void start_waiting();
    void start(Trial* trial);
    void repeat();
    void judge(Trial& trial) const;
    [[nodiscard]] RunEntry entry_for(const std::string& setting) const;
    /// Why the repeated run says nothing; empty if it does.
    [[nodiscard]] std::string problem_of_repeat() const;

    std::filesystem::path program_;
    std::filesystem::path folder_;
    std::string stem_;
    std::filesystem::path scenario_;
    std::vector<lessons::Setting> settings_;
    std::uint64_t cycles_ = 0;
    double before_us_ = 0;
    std::vector<std::unique_ptr<Trial>> trials_;  // in the order asked for
    std::vector<Job> jobs_;
    RunEntry repeat_;
    bool repeated_ = false;
    std::size_t finished_ = 0;  // of the last queue, the repeated run among them
    std::size_t asked_ = 0;
    std::chrono::steady_clock::time_point begin_;
};

}  // namespace ascendsim::gui
