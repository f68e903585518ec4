// SPDX-License-Identifier: Apache-2.0
#include "app/studies/tune.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <system_error>
#include <tuple>

#include <fmt/format.h>
#include <unistd.h>

#include "app/analysis/advice/explain.hpp"
#include "app/analysis/comparison/compare.hpp"
#include "app/analysis/faults.hpp"
#include "app/scenario/result.hpp"
#include "sim/base/error.hpp"
#include "sim/process/temporary_folder.hpp"

namespace ascendsim::study {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using report::Style;
using report::Tone;

constexpr std::array<std::string_view, 4> flaw_names{"none", "cannot_run", "hazards", "wrong_numbers"};
constexpr std::size_t most_shown = 12;
constexpr std::size_t most_reasons = 6;

Tried tried_of(Choice choice, const BatchResult& result) {
    Tried tried{.choice = std::move(choice), .time_us = {}, .error = {}};
    std::tie(tried.flaw, tried.error) = flaw_of(result);
    if (tried.flaw != Flaw::none) {
        return tried;
    }
    const auto figure = [&](const char* path) { return scenario::value_at(result.json, path).value_or(0); };
    tried.time_us = figure("time_us");
    tried.gm_bytes = figure("memory.gm_read_bytes") + figure("memory.gm_write_bytes");
    tried.bound_us = figure("bounds.speed_of_light_us");
    return tried;
}

std::string shown(const TuneSpace& space, const Choice& choice) {
    std::string text;
    for (std::size_t knob = 0; knob < choice.size(); ++knob) {
        const std::string& path = space.knobs[knob].path;
        text += fmt::format("{}{}={}",
                            text.empty() ? "" : " ",
                            path.starts_with("kernel.") ? path.substr(7) : path,
                            space.knobs[knob].values[choice[knob]]);
    }
    return text;
}

/// Runs choices of a space as variants of one run.
class Bench {
public:
    Bench(const BatchRun& run,
          const TuneSpace& space,
          const toolchain::Installation& installation,
          const BatchOptions& options)
        : run_{run}, space_{space}, installation_{installation}, options_{options} {}

    [[nodiscard]] std::vector<Tried> operator()(const std::vector<Choice>& choices) const {
        std::vector<BatchRun> runs;
        for (const Choice& choice : choices) {
            runs.push_back(with(choice, {}));
        }
        std::vector<Tried> tried;
        const std::vector<BatchResult> results = run_batch(runs,
                                                           installation_,
                                                           {.jobs = options_.jobs,
                                                            .look = {},
                                                            .progress = options_.progress,
                                                            .limits = options_.limits,
                                                            .again = true,
                                                            .stopped = options_.stopped});
        for (std::size_t i = 0; i < choices.size(); ++i) {
            if (results[i].stopped) {
                break;  // what was stopped says nothing of its choice
            }
            tried.push_back(tried_of(choices[i], results[i]));
        }
        return tried;
    }

    [[nodiscard]] BatchRun with(const Choice& choice, const fs::path& recording) const {
        BatchRun run = run_;
        for (std::size_t knob = 0; knob < choice.size(); ++knob) {
            run.run.push_back({space_.knobs[knob].path, space_.knobs[knob].values[choice[knob]]});
        }
        run.label = fmt::format("{} {}", run_.label, shown(space_, choice));
        run.recording = recording;
        return run;
    }

    [[nodiscard]] BatchResult one(const Choice& choice, const fs::path& recording) const {
        BatchOptions options{.jobs = 1, .look = {}, .progress = {}, .limits = options_.limits};
        options.again = !choice.empty();  // without one it is the scenario as it is
        options.look = [](const scenario::RunResult& result) {
            return ordered_json(
                analysis::explain(result.content(), analysis::Explained::without_blame).verdict);
        };
        return run_batch({with(choice, recording)}, installation_, options).front();
    }

private:
    const BatchRun& run_;
    const TuneSpace& space_;
    const toolchain::Installation& installation_;
    const BatchOptions& options_;
};

/// Where the search begins: at the scenario's own values where [tune] lists them, else at the first.
Choice start_of(const TuneSpace& space, const BatchRun& run) {
    const TomlFile file = scenario::with_overrides(run.file.toml(), run.run);
    Choice start;
    for (const TuneKnob& knob : space.knobs) {
        const auto found = std::ranges::find(knob.values, scenario::text_at(file, knob.path));
        start.push_back(found == knob.values.end() ? 0
                                                   : static_cast<std::size_t>(found - knob.values.begin()));
    }
    return start;
}

class TemporaryRecording {
public:
    explicit TemporaryRecording(std::string_view name) : file{folder_.path() / fmt::format("{}.rec", name)} {}

private:
    process::TemporaryFolder folder_;

public:
    const fs::path file;
};

/// ", 3 cannot run, 1 computes wrong numbers" without the first comma; empty if every choice is good.
std::string flaws_text(const std::vector<Tried>& all) {
    const auto count = [&all](Flaw flaw) { return std::ranges::count(all, flaw, &Tried::flaw); };
    std::string text;
    const auto add = [&text](std::ptrdiff_t number, std::string_view one, std::string_view many) {
        if (number > 0) {
            text += fmt::format("{} {} {}", text.empty() ? "" : ",", number, number == 1 ? one : many);
        }
    };
    add(count(Flaw::cannot_run), "cannot run", "cannot run");
    add(count(Flaw::wrong_numbers), "computes wrong numbers", "compute wrong numbers");
    add(count(Flaw::hazards), "has hazards", "have hazards");
    return text;
}

std::string text_word(const ordered_json& json) {
    return json.is_string() ? json.get<std::string>() : std::string{};
}

}  // namespace

std::pair<Flaw, std::string> flaw_of(const BatchResult& result) {
    if (!result.complete()) {
        return {Flaw::cannot_run, result.error.empty() ? "it ended without a result" : result.error};
    }
    const nlohmann::json numerics = result.json.value("numerics", ordered_json{});
    if (const std::vector<std::string> wrong = analysis::wrong_outputs(numerics); !wrong.empty()) {
        return {Flaw::wrong_numbers, wrong.front()};
    }
    if (numerics.is_object() && numerics.value("passed", nlohmann::json{}) == false) {
        return {Flaw::wrong_numbers, "its numbers are wrong"};
    }
    const nlohmann::json hazards = result.json.value("hazards", ordered_json::array());
    for (const nlohmann::json& hazard : hazards) {
        if (analysis::count_hazards(nlohmann::json::array({hazard})) > 0) {
            return {Flaw::hazards, hazard.value("message", std::string{"a hazard was found"})};
        }
    }
    return result.exit == 0
               ? std::pair{Flaw::none, std::string{}}
               : std::pair{Flaw::cannot_run, fmt::format("it ended with exit code {}", result.exit)};
}

BatchRun fastest_of(const std::vector<BatchRun>& variants,
                    const toolchain::Installation& installation,
                    const BatchOptions& options) {
    if (variants.size() == 1) {
        return variants.front();
    }
    BatchOptions quietly = options;
    quietly.again = true;  // the fastest is run once more, as it is
    const std::vector<BatchResult> results = run_batch(variants, installation, quietly);
    std::optional<std::size_t> best;
    double least = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const std::optional<double> time = tried_of({}, results[i]).time_us;
        if (time && (!best || *time < least)) {
            best = i;
            least = *time;
        }
    }
    if (!best) {
        const auto [flaw, sentence] = flaw_of(results.front());
        throw UserError{"{}: {}: {}",
                        results.front().label,
                        flaw == Flaw::cannot_run ? "does not run" : "its results are wrong",
                        sentence};
    }
    return variants[*best];
}

Tuning tune(const BatchRun& run,
            const TuneSpace& space,
            const toolchain::Installation& installation,
            const BatchOptions& options) {
    const Bench bench{run, space, installation, options};
    const TemporaryRecording before{"standard"};
    const TemporaryRecording after{"best"};
    const BatchResult standard = bench.one({}, before.file);
    Tuning tuning{.label = run.label,
                  .space = space,
                  .found = {},
                  .standard = tried_of({}, standard),
                  .why = {},
                  .best = {}};
    tuning.verdict_standard = text_word(standard.seen);
    tuning.found = search(space, start_of(space, run), std::cref(bench));
    if (tuning.found.stopped && tuning.found.tried.empty()) {
        throw UserError{"{}: stopped before a choice was tried", run.label};
    }
    if (!tuning.found.best) {
        throw UserError{"{}: none of {} choices is good:{}; the first: {}",
                        run.label,
                        tuning.found.tried.size(),
                        flaws_text(tuning.found.tried),
                        tuning.found.tried.front().error};
    }
    const Choice& chosen = tuning.found.tried[*tuning.found.best].choice;
    // Whoever stopped the search does not wait for one run more: the time of the best is known.
    const BatchResult best = tuning.found.stopped ? BatchResult{} : bench.one(chosen, after.file);
    tuning.best =
        scenario::with_overrides(run.file.toml(), tuning.faster() ? bench.with(chosen, {}).run : run.run);
    tuning.verdict_best = text_word(best.seen);
    if (tuning.standard.time_us && best.complete()) {
        tuning.why = analysis::to_json(
            analysis::compare(record::Recording{before.file}, record::Recording{after.file}));
    }
    return tuning;
}

namespace {

/// What changed most between standard and best, in cycles of a core: "-12,345  mte2 waiting for a buffer".
std::vector<std::string> reasons(const ordered_json& why) {
    struct Moved {
        std::string name;
        double cycles = 0;
    };

    std::vector<Moved> all;
    for (const std::string_view group : {"busy_cycles", "wait_cycles"}) {
        if (!why.is_object() || !why.contains(group)) {
            continue;
        }
        for (const auto& [name, change] : why[std::string{group}].items()) {
            if (change.value("significant", false)) {
                all.push_back({analysis::in_words(name), change["difference"].get<double>()});
            }
        }
    }
    std::ranges::stable_sort(
        all, std::ranges::greater{}, [](const Moved& one) { return std::abs(one.cycles); });
    all.resize(std::min(all.size(), most_reasons));
    std::vector<std::string> lines;
    for (const Moved& moved : all) {
        const auto count = static_cast<std::uint64_t>(std::llround(std::abs(moved.cycles)));
        lines.push_back(
            fmt::format("{}  {}",
                        report::right((moved.cycles < 0 ? "-" : "+") + report::count_text(count), 14),
                        moved.name));
    }
    return lines;
}

/// The choices whose results are wrong, with what is wrong: those that merely do not fit need no list.
std::string flawed_text(const Tuning& tuning) {
    std::string text;
    std::size_t count = 0;
    for (const Tried& tried : tuning.found.tried) {
        if (tried.flaw != Flaw::wrong_numbers && tried.flaw != Flaw::hazards) {
            continue;
        }
        text += count == 0 ? "\nLeft out, however fast, because the results are wrong\n" : "";
        if (count++ < most_reasons) {
            text += fmt::format("  {}: {}\n", tuning.shown(tried.choice), tried.error);
        }
    }
    return text + (count > most_reasons ? fmt::format("  … and {} more\n", count - most_reasons) : "");
}

}  // namespace

std::string Tuning::shown(const Choice& choice) const {
    return study::shown(space, choice);
}

std::string Tuning::how() const {
    const std::string flaws = flaws_text(found.tried);
    std::string text = fmt::format("{} of {} choices tried", found.tried.size(), space.size());
    text += found.exhaustive ? ", all: the best is the optimum" : "";
    text += found.at_bound ? ", stopped at the bound" : "";
    text += found.stopped ? ", then stopped" : "";
    text += flaws.empty() ? "" : "," + flaws;
    return text;
}

namespace {

std::string frontier_text(const Tuning& tuning) {
    const std::vector<Tried>& all = tuning.found.tried;
    std::string text = "Frontier: nothing tried is better in both time and bytes moved\n";
    const std::vector<std::size_t> front = frontier(all);
    for (std::size_t i = 0; i < std::min(front.size(), most_shown); ++i) {
        const Tried& tried = all[front[i]];
        text += fmt::format("  {}  {}  {}\n",
                            report::right(report::time_text(*tried.time_us), 10),
                            report::right(report::bytes_text(tried.gm_bytes), 10),
                            tuning.shown(tried.choice));
    }
    return text;
}

}  // namespace

std::string tune_text(const Tuning& tuning, const Style& style) {
    const Tried& best = tuning.found.tried[*tuning.found.best];
    std::string text = fmt::format("{}\n{}\n\n",
                                   report::toned(style, Tone::strong, "Tuning of " + tuning.label),
                                   report::toned(style, Tone::dim, tuning.how()));
    text += frontier_text(tuning) + flawed_text(tuning);
    text += "\nBest choice against the scenario as it is\n";
    if (!tuning.standard.time_us) {
        return text + fmt::format("  the scenario as it is {}: {}\n",
                                  tuning.standard.flaw == Flaw::cannot_run ? "does not run" : "is wrong",
                                  tuning.standard.error);
    }
    if (!tuning.faster()) {
        return text + fmt::format("  no choice is faster: {} as it is, the best choice {}\n",
                                  report::time_text(*tuning.standard.time_us),
                                  report::time_text(*best.time_us));
    }
    text += fmt::format("  {} to {}, {:.2f} times as fast{}\n",
                        report::time_text(*tuning.standard.time_us),
                        report::time_text(*best.time_us),
                        *tuning.standard.time_us / *best.time_us,
                        best.bound_us > 0 ? fmt::format("; {} of the speed of light",
                                                        report::percent_text(best.bound_us / *best.time_us))
                                          : std::string{});
    text += fmt::format(
        "  before: {}\n  after:  {}\n",
        tuning.verdict_standard,
        tuning.verdict_best.empty() ? "not explained, since the search was stopped" : tuning.verdict_best);
    const std::vector<std::string> moved = reasons(tuning.why);
    text += moved.empty() ? "" : "\nWhy: cycles of one core, best minus standard\n";
    for (const std::string& line : moved) {
        text += "  " + line + "\n";
    }
    return text;
}

ordered_json to_json(const Tuning& tuning) {
    const auto tried_json = [&](const Tried& tried) {
        ordered_json set = ordered_json::object();
        for (std::size_t knob = 0; knob < tried.choice.size(); ++knob) {
            const TuneKnob& one = tuning.space.knobs[knob];
            set[one.path] = scenario::json_of_setting(one.values[tried.choice[knob]]);
        }
        ordered_json json{
            {"set", std::move(set)}, {"gm_bytes", tried.gm_bytes}, {"bound_us", tried.bound_us}};
        json["time_us"] = tried.time_us ? ordered_json(*tried.time_us) : ordered_json{};
        if (tried.flaw != Flaw::none) {
            json["flaw"] = flaw_names[static_cast<std::size_t>(tried.flaw)];
            json["error"] = tried.error;
        }
        return json;
    };
    ordered_json all = ordered_json::array();
    for (const Tried& tried : tuning.found.tried) {
        all.push_back(tried_json(tried));
    }
    return {{"run", tuning.label},
            {"size", tuning.space.size()},
            {"exhaustive", tuning.found.exhaustive},
            {"at_bound", tuning.found.at_bound},
            {"stopped", tuning.found.stopped},
            {"faster", tuning.faster()},
            {"standard", tried_json(tuning.standard)},
            {"best", tried_json(tuning.found.tried[*tuning.found.best])},
            {"verdict", {{"standard", tuning.verdict_standard}, {"best", tuning.verdict_best}}},
            {"tried", std::move(all)},
            {"comparison", tuning.why}};
}

}  // namespace ascendsim::study
