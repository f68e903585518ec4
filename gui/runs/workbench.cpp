// SPDX-License-Identifier: Apache-2.0
#include "gui/runs/workbench.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/scenario/recorded_origin.hpp"
#include "gui/canvas/anchors.hpp"
#include "gui/canvas/format.hpp"
#include "gui/shell/view_state.hpp"
#include "sim/base/error.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::gui {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds auto_run_pause{700};

/// "buffers=2, tile=8192", or the scenario's name if nothing was changed.
std::string name_of(const fs::path& scenario, const std::map<std::string, std::string>& changes) {
    std::string name;
    for (const auto& [path, value] : changes) {
        const std::size_t dot = path.rfind('.');
        name += fmt::format(
            "{}{}={}", name.empty() ? "" : ", ", path.substr(dot == path.npos ? 0 : dot + 1), value);
    }
    return name.empty() ? scenario.stem().string() : name;
}

/// The time of a recording without figures beside it, as its own totals say.
nlohmann::json figures_of(const record::Recording& recording) {
    const nlohmann::json& metadata = recording.metadata();
    const double clock_ghz = metadata.is_object() ? metadata.value("clock_ghz", 0.0) : 0;
    const double cycles = recording.totals().value("cycles", 0.0);
    return clock_ghz > 0 ? nlohmann::json{{"cycles", cycles}, {"time_us", cycles / clock_ghz / 1e3}}
                         : nlohmann::json{{"cycles", cycles}};
}

/// Says how the run of a recording ended: by the figures beside it, or its own totals. Without totals it did
/// not end, and figures beside it are of another run.
void note_ending(RunEntry& entry) {
    entry.status = RunStatus::incomplete;
    entry.error = "the recording ends before its run did: it was interrupted, cut, or is still being written";
    entry.figures = {};
    try {
        const record::Recording recording{entry.recording, record::Extent::heads};
        if (!recording.complete()) {
            return;
        }
        entry.figures = read_figures(entry.recording);
        const nlohmann::json outcome = entry.figures.is_object() ? entry.figures : recording.totals();
        if (entry.figures.empty() && recording.totals().contains("cycles")) {
            entry.figures = figures_of(recording);
        }
        const bool failed = outcome.value("outcome", "") == "failed";
        entry.status = failed ? RunStatus::failed : RunStatus::complete;
        entry.error = failed ? outcome.value("error", "") : "";
    } catch (const UserError&) {
        entry.error = "the recording cannot be read";  // whoever opens it says why
    }
}

}  // namespace

/// Stands for a run that has not written anything yet.
class Workbench::Pending final : public Document {
public:
    explicit Pending(std::string title) : title_{std::move(title)} {}

    [[nodiscard]] std::string title() const override { return title_; }

    [[nodiscard]] double cycles() const override { return 1; }

    [[nodiscard]] double clock_ghz() const override { return 1; }

    [[nodiscard]] bool pending() const override { return true; }

private:
    std::string title_;
};

Workbench::Workbench(WorkbenchOptions options) : options_{std::move(options)}, documents_{options_.loading} {}

Workbench::~Workbench() = default;

void Workbench::open(const std::string& path) {
    const fs::path extension = fs::path{path}.extension();
    if (fs::is_directory(path)) {
        open_recording(scenario::recording_in(path).string());
    } else if (extension == ".toml" || extension == ".cpp") {
        open_scenario(path);
    } else {
        open_recording(path);
    }
}

void Workbench::open_scenario(const std::string& path) {
    std::error_code error;
    fs::create_directories(options_.run_folder, error);
    if (error) {
        throw UserError{"{}: cannot be created: {}", options_.run_folder.string(), error.message()};
    }
    if (!fs::is_regular_file(path)) {
        throw UserError{"{}: no such file", path};
    }
    draft_ = std::make_unique<Draft>(options_.program, fs::absolute(path), options_.run_folder);
    fresh_ = true;
    from_recording_ = false;
    const bool lesson = draft_->lesson().has_value();
    edits_.push_back([lesson](ViewState& view) {
        constexpr float reading_width = 330;
        if (lesson) {
            view.active_tabs["left"] = "lessons";
            view.active_tabs["right"] = "parameters";
            view.layout.show_left = view.layout.show_right = true;
            view.layout.left = std::max(view.layout.left, reading_width);
        } else {
            view.active_tabs["right"] = "parameters";
        }
        view.selected.clear();
        view.window.reset();
    });
    run();
}

void Workbench::open_recording(const std::string& path) {
    documents_.open(path);
    pending_ = nullptr;
    a_ = entry_of(path);
    note_open();
}

void Workbench::open_b(const std::string& given) {
    const std::string path = fs::is_directory(given) ? scenario::recording_in(given).string() : given;
    documents_.open_b(path);
    b_ = entry_of(path);
    note_open();
}

/// The number of the run with this recording; one from elsewhere joins the history.
int Workbench::entry_of(const std::string& path) {
    const auto same = std::ranges::find(runs_, fs::path{path}, &RunEntry::recording);
    if (same != runs_.end()) {
        return same->number;
    }
    RunEntry entry{.number = 0,
                   .name = fs::path{path}.stem().string(),
                   .scenario = {},
                   .settings = {},
                   .sandbox = false,
                   .recording = path,
                   .status = RunStatus::incomplete,
                   .seconds = 0,
                   .error = {},
                   .figures = {}};
    tell_apart(entry);
    note_ending(entry);
    return add_entry(std::move(entry));
}

/// Two recordings of one name have their folders in front.
void Workbench::tell_apart(RunEntry& entry) {
    const std::string stem = entry.recording.stem().string();
    const auto with_folder = [](const fs::path& recording) {
        std::error_code error;
        return (fs::absolute(recording, error).parent_path().filename() / recording.stem()).string();
    };
    for (RunEntry& other : runs_) {
        if (other.recording.stem() == stem &&
            (other.name == stem || other.name == with_folder(other.recording))) {
            other.name = with_folder(other.recording);
            entry.name = with_folder(entry.recording);
        }
    }
}

int Workbench::add_entry(RunEntry entry) {
    entry.number = ++last_number_;
    runs_.insert(job_ == nullptr ? runs_.end() : runs_.end() - 1, std::move(entry));
    return last_number_;
}

/// Lets the session know what is open.
void Workbench::note_open() {
    edits_.push_back([a = documents_.path_a(), b = documents_.path_b()](ViewState& view) {
        view.run_a = a;
        view.run_b = b;
        view.compare = !b.empty();
    });
}

std::shared_ptr<const Document> Workbench::run_a() {
    poll();
    if (pending_ != nullptr) {
        return pending_;
    }
    if (std::shared_ptr<const Document> now = documents_.run_a(); now != latest_a_) {
        latest_a_ = std::move(now);
        const Run* run = as_run(latest_a_.get());
        note_completion(a_, run);
        origin_ = run == nullptr ? std::nullopt : std::optional{origin_of(*run)};
    }
    return latest_a_;
}

std::shared_ptr<const Document> Workbench::run_b() {
    if (std::shared_ptr<const Document> now = documents_.run_b(); now != latest_b_) {
        latest_b_ = std::move(now);
        note_completion(b_, as_run(latest_b_.get()));
    }
    return latest_b_;
}

void Workbench::note_completion(int number, const Run* run) {
    RunEntry* entry = find(number);
    if (entry != nullptr && entry->status == RunStatus::incomplete && run != nullptr &&
        run->recording().complete() && run->recording().path() == entry->recording) {
        note_ending(*entry);
    }
}

std::vector<std::string> Workbench::take_messages() {
    std::vector<std::string> messages = std::exchange(messages_, {});
    for (std::string& message : documents_.take_messages()) {
        messages.push_back(std::move(message));
    }
    return messages;
}

std::vector<ViewEdit> Workbench::take_edits() {
    return std::exchange(edits_, {});
}

void Workbench::publish(Anchors& anchors) const {
    anchors.value("runs.count", runs_.size());
    anchors.value("runs.running", running() || reading());
    anchors.value("runs.status", runs_.empty() ? std::string{} : std::string{name(runs_.back().status)});
    anchors.value("runs.a", a_);
    anchors.value("runs.b", b_);
    anchors.value("runs.error", runs_.empty() ? std::string{} : runs_.back().error);
    for (const auto& [letter, entry] : {std::pair{"a", entry_a()}, std::pair{"b", entry_b()}}) {
        anchors.value(fmt::format("runs.{}_cycles", letter),
                      entry == nullptr ? 0.0 : entry->figure("cycles"));
    }
    anchors.value("draft.knobs", draft_ == nullptr ? 0 : draft_->knobs().size());
    anchors.value("draft.changes", draft_ == nullptr ? 0 : draft_->changes().size());
    const AdviceTrials* tried = trials();
    const auto done = [](const auto& trial) { return trial->state == TrialState::done; };
    anchors.value("trials.busy", trying());
    anchors.value("trials.done", tried == nullptr ? 0 : std::ranges::count_if(tried->trials(), done));
    if (draft_ != nullptr && draft_->lesson() && entry_a() != nullptr) {
        anchors.value("lesson.solved", lessons::solved(*draft_->lesson(), entry_a()->figures));
    }
}

std::optional<RunProgress> Workbench::progress() const {
    if (job_ == nullptr) {
        return std::nullopt;
    }
    const RunEntry& entry = runs_.back();
    RunProgress progress{.cycles = 0, .spans = 0, .seconds = entry.seconds, .share = {}};
    if (const Run* run = shown_ ? as_run(latest_a_.get()) : nullptr) {
        progress.cycles = run->recording().cycles();
        progress.spans = run->recording().span_count();
    }
    for (const RunEntry& other : runs_) {
        if (other.scenario == entry.scenario && other.figure("cycles") > 0) {
            progress.share = std::min(1.0, static_cast<double>(progress.cycles) / other.figure("cycles"));
        }
    }
    return progress;
}

std::string Workbench::activity() const {
    const std::optional<RunProgress> now = progress();
    if (!now) {
        return {};
    }
    return now->cycles == 0
               ? fmt::format("Running {}: {:.1f} s, nothing recorded yet", runs_.back().name, now->seconds)
               : fmt::format("Running {}: {:.1f} s, {} cycles recorded",
                             runs_.back().name,
                             now->seconds,
                             format_count(now->cycles));
}

std::optional<std::string> Workbench::obstacle() const {
    if (draft_ == nullptr) {
        return origin() == nullptr || origin()->missing
                   ? "No scenario is open; open one to run it"
                   : "A recording is open; 'Edit and run' in Parameters takes up what made it";
    }
    if (running()) {
        return "A run is under way; cancel it first";
    }
    return draft_->problem();
}

void Workbench::set_knob(const std::string& path, std::string text) {
    if (draft_ != nullptr) {
        draft_->set(path, std::move(text));
        edited_at_ = Clock::now();
    }
}

void Workbench::reset_knob(const std::string& path) {
    if (draft_ != nullptr) {
        draft_->reset(path);
        edited_at_ = Clock::now();
    }
}

void Workbench::reset_knobs() {
    if (draft_ != nullptr) {
        draft_->reset_all();
        edited_at_ = Clock::now();
    }
}

void Workbench::run() {
    if (const std::optional<std::string> why = obstacle()) {
        say(*why);
        return;
    }
    start();
}

void Workbench::start() {
    edited_at_.reset();
    RunEntry entry{.number = last_number_ + 1,
                   .name = name_of(draft_->scenario(), draft_->changes()),
                   .scenario = draft_->scenario(),
                   .settings = draft_->settings(),
                   .sandbox = from_recording_,
                   .recording = next_recording(),
                   .status = RunStatus::running,
                   .seconds = 0,
                   .error = {},
                   .figures = {},
                   .step = draft_->is_step()};
    try {
        job_ = std::make_unique<RunJob>(options_.program, entry);
    } catch (const UserError& error) {
        entry.status = RunStatus::failed;
        entry.error = error.what();
        say(entry.error);
    }
    last_number_ = entry.number;
    shown_ = false;
    if (documents_.path_a().empty()) {
        pending_ = std::make_shared<const Pending>(draft_->title());
    }
    runs_.push_back(std::move(entry));
}

fs::path Workbench::next_recording() const {
    const std::string stem = draft_->scenario().stem().string();
    for (int n = 1;; ++n) {
        const fs::path path = options_.run_folder / fmt::format("{}_{}.rec", stem, n);
        if (!fs::exists(path) && std::ranges::find(runs_, path, &RunEntry::recording) == runs_.end()) {
            return path;
        }
    }
}

void Workbench::poll() {
    if (draft_ != nullptr) {
        draft_->poll();
    }
    if (job_ != nullptr) {
        const bool ended = job_->poll(runs_.back());
        if (!shown_ && job_->has_recording()) {
            show_recording();
        }
        if (ended) {
            finish_job();
        }
    }
    reading_ = reading_ && documents_.path_a() == runs_.back().recording && !documents_.settled();
    if (pending_ != nullptr && shown_ && documents_.run_a() != nullptr) {
        pending_ = nullptr;
    }
    if (std::exchange(run_wanted_, false)) {
        run();
    }
    poll_auto_run();
    poll_trials();
}

void Workbench::poll_auto_run() {
    if (auto_run_ && edited_at_ && job_ == nullptr && Clock::now() - *edited_at_ > auto_run_pause &&
        !obstacle()) {
        start();
    }
}

/// Opens what the run under way has written, and keeps the run that was open as B.
void Workbench::show_recording() {
    const int before = a_;
    try {
        const bool keep = !std::exchange(fresh_, false) && before != 0;
        if (keep) {
            documents_.swap_runs();
        } else {
            documents_.close_b();
        }
        documents_.open(runs_.back().recording.string());
        b_ = keep ? before : 0;
        a_ = runs_.back().number;
        shown_ = true;
        note_open();
    } catch (const UserError& error) {
        say(error.what());
        shown_ = true;
    }
}

void Workbench::finish_job() {
    const RunEntry& entry = runs_.back();
    if (entry.status != RunStatus::complete) {
        say(entry.error);
    }
    if (!shown_) {
        pending_ = nullptr;
    }
    documents_.hurry();
    reading_ = shown_;
    job_.reset();
}

fs::path simulator_beside_this() {
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    const fs::path beside = self.parent_path() / "ascendsim";
    return !error && fs::is_regular_file(beside) ? beside : fs::path{"ascendsim"};
}

const Workbench* workbench_of(const PanelContext& context) {
    return dynamic_cast<const Workbench*>(context.runs);
}

void ask_workbench(Requests& requests, std::function<void(Workbench&)> act) {
    requests.work([act = std::move(act)](RunMaker& runs) {
        if (auto* const bench = dynamic_cast<Workbench*>(&runs)) {
            act(*bench);
        }
    });
}

}  // namespace ascendsim::gui
