// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/document/run_documents.hpp"
#include "gui/runs/advice_trials.hpp"
#include "gui/runs/draft.hpp"
#include "gui/runs/run_entry.hpp"
#include "gui/runs/run_job.hpp"
#include "gui/runs/run_origin.hpp"
#include "gui/shell/panel.hpp"

namespace ascendsim::gui {

struct WorkbenchOptions {
    std::filesystem::path program;     ///< the simulator
    std::filesystem::path run_folder;  ///< recordings go there
    Loading loading = Loading::background;
};

/// How far the run under way has come.
struct RunProgress {
    std::uint64_t cycles = 0;
    std::uint64_t spans = 0;
    double seconds = 0;
    std::optional<double> share;  ///< of the last complete run of the scenario; nothing without one
};

/// Where runs are made: the scenario being edited, the run under way, and the history. What is open is its
/// business too: a run opens as A while it grows, and the one before stays as B.
class Workbench final : public DocumentSource, public RunMaker {
public:
    explicit Workbench(WorkbenchOptions options);
    ~Workbench() override;

    // DocumentSource
    void open(const std::string& path) override;
    void open_b(const std::string& path) override;
    [[nodiscard]] std::shared_ptr<const Document> run_a() override;
    [[nodiscard]] std::shared_ptr<const Document> run_b() override;

    [[nodiscard]] std::vector<std::string> opening() const override { return documents_.opening(); }

    [[nodiscard]] std::vector<std::string> take_messages() override;
    [[nodiscard]] std::vector<ViewEdit> take_edits() override;
    void publish(Anchors& anchors) const override;

    // RunMaker
    [[nodiscard]] std::string activity() const override;

    // What panels read.
    [[nodiscard]] const Draft* draft() const { return draft_.get(); }

    [[nodiscard]] const std::vector<RunEntry>& runs() const { return runs_; }

    [[nodiscard]] bool running() const { return job_ != nullptr; }

    /// True while the last part of a run that has ended is read: what is shown is not all of it yet.
    [[nodiscard]] bool reading() const { return reading_; }

    /// True while a run or a trial is under way or knobs are being asked for.
    [[nodiscard]] bool busy() const {
        return running() || reading() || trying() || (draft_ != nullptr && draft_->loading());
    }

    /// True while advice of any run is being tried.
    [[nodiscard]] bool trying() const;

    /// What became of the advice of run A that was tried, or null.
    [[nodiscard]] const AdviceTrials* trials() const;

    /// What made run A; null if none is open.
    [[nodiscard]] const RunOrigin* origin() const { return origin_ ? &*origin_ : nullptr; }

    [[nodiscard]] std::optional<RunProgress> progress() const;

    /// The entries that are open as A and B, or null.
    [[nodiscard]] const RunEntry* entry_a() const { return find(a_); }

    [[nodiscard]] const RunEntry* entry_b() const { return find(b_); }

    [[nodiscard]] bool auto_run() const { return auto_run_; }

    /// Why the draft cannot run now, as a sentence; nothing if it can.
    [[nodiscard]] std::optional<std::string> obstacle() const;

    // What the user does.
    void set_knob(const std::string& path, std::string text);
    void reset_knob(const std::string& path);
    void reset_knobs();

    void set_auto_run(bool on) { auto_run_ = on; }

    /// Makes the scenario of run A the draft, with the values of that run. A message says why if it cannot.
    void edit_run();

    /// Starts a run of the draft; the run that was A becomes B. A message says why if it cannot.
    void run();

    /// The same before the next frame, so that a value being typed is taken first.
    void request_run() { run_wanted_ = true; }

    void cancel();

    /// Runs settings that the advice of run A names, each by itself and beside the dashboard. What they
    /// recorded joins the history. A message says why if none can be run.
    void try_advice(const std::vector<std::string>& settings);
    /// Ends the trials of run A that are under way.
    void cancel_trials();
    void select_a(int number);
    void select_b(int number);
    void close_b();
    void swap_runs();
    void rename(int number, std::string name);
    /// Closes everything that is open, back to the welcome page; a run under way is cancelled.
    void close();

private:
    class Pending;

    void open_scenario(const std::string& path);
    void open_recording(const std::string& path);
    void poll();
    void poll_auto_run();
    void poll_trials();
    void tell_apart(RunEntry& entry);
    /// Adds a run that has ended before the one under way, which stays last; returns its number.
    int add_entry(RunEntry entry);
    void finish_job();
    void show_recording();
    void start();
    void note_open();
    int entry_of(const std::string& path);
    /// A recording that was still being written when it was opened may be complete now.
    void note_completion(int number, const Run* run);
    [[nodiscard]] std::filesystem::path next_recording() const;
    [[nodiscard]] const RunEntry* find(int number) const;
    [[nodiscard]] RunEntry* find(int number);

    void say(std::string message) { messages_.push_back(std::move(message)); }

    WorkbenchOptions options_;
    RunDocuments documents_;
    std::unique_ptr<Draft> draft_;
    std::vector<RunEntry> runs_;
    std::unique_ptr<RunJob> job_;                                  // of the last entry
    std::map<std::string, std::unique_ptr<AdviceTrials>> trials_;  // by the recording whose advice they try
    std::shared_ptr<const Document> pending_;
    std::shared_ptr<const Document> latest_a_;
    std::shared_ptr<const Document> latest_b_;
    std::optional<RunOrigin> origin_;  // of latest_a_
    bool reading_ = false;             // the run has ended, its last part is not shown yet
    bool shown_ = false;               // the run under way is open as A
    int a_ = 0;
    int b_ = 0;
    int last_number_ = 0;
    bool auto_run_ = false;
    bool run_wanted_ = false;
    bool from_recording_ = false;  // a recording, not the user, named what the draft runs
    bool fresh_ = false;           // the scenario has just been opened: what was open is of another one
    std::optional<std::chrono::steady_clock::time_point> edited_at_;
    std::vector<std::string> messages_;
    std::vector<ViewEdit> edits_;
};

/// The workbench the shell hands to panels; null if it has none.
[[nodiscard]] const Workbench* workbench_of(const PanelContext& context);
/// Has the workbench do something once the frame is drawn: run, cancel, turn a knob.
void ask_workbench(Requests& requests, std::function<void(Workbench&)> act);

/// The program that runs scenarios: `ascendsim` beside this one, else the one in PATH.
[[nodiscard]] std::filesystem::path simulator_beside_this();

}  // namespace ascendsim::gui
