// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/lessons/lesson.hpp"
#include "gui/runs/child_process.hpp"
#include "gui/runs/knob.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::gui {

/// A scenario with the user's edits: what the next run will be. Its knobs are asked of the simulator, in
/// child processes, so a broken kernel harms nobody.
class Draft {
public:
    /// `scenario` is a file or the name of a shipped kernel. `scratch` takes the answers of the simulator;
    /// `given` is what `--set` got for the run to start from, whose values are the base of edits. Throws
    /// UserError if the scenario cannot be read.
    Draft(std::filesystem::path program,
          std::filesystem::path scenario,
          std::filesystem::path scratch,
          const std::vector<lessons::Setting>& given = {});

    /// Takes what the simulator has answered; never waits.
    void poll();

    [[nodiscard]] const std::filesystem::path& scenario() const { return scenario_; }

    [[nodiscard]] const std::string& title() const { return title_; }

    [[nodiscard]] const std::optional<lessons::Lesson>& lesson() const { return lesson_; }

    /// A step of several devices, which is no run of a kernel.
    [[nodiscard]] bool is_step() const { return step_; }

    /// In the order to show them; grows while answers come in.
    [[nodiscard]] const std::vector<Knob>& knobs() const { return knobs_; }

    /// True until all knobs are known.
    [[nodiscard]] bool loading() const { return !questions_.empty(); }

    [[nodiscard]] const Knob* find(std::string_view path) const;
    [[nodiscard]] const std::string& value(const Knob& knob) const;

    [[nodiscard]] bool changed(const std::string& path) const { return changes_.contains(path); }

    [[nodiscard]] const std::map<std::string, std::string>& changes() const { return changes_; }

    /// The first change that no run would accept, as a sentence.
    [[nodiscard]] std::optional<std::string> problem() const;

    /// Sets a knob; the base value takes the change back.
    void set(const std::string& path, std::string text);
    void reset(const std::string& path);
    void reset_all();

    /// What `--set` gets: the first of each variant, what was given, and the changes.
    [[nodiscard]] std::vector<lessons::Setting> settings() const;

private:
    struct Question {
        std::string what;  // "kernel", "chip", "chips"
        std::filesystem::path answer;
        std::unique_ptr<ChildProcess> process;
    };

    void read_scenario();
    void read_step(TableReader& root);
    void take_given(const std::vector<lessons::Setting>& given);
    void ask(const std::string& what, const std::vector<std::string>& arguments);
    void ask_chip();
    void take(const Question& question);
    void replace_group(std::string_view prefix, std::vector<Knob> knobs);

    std::filesystem::path program_;
    std::filesystem::path scenario_;
    std::filesystem::path scratch_;
    std::string title_;
    std::string kernel_;
    bool step_ = false;
    std::string chip_ = "910b3";
    std::optional<lessons::Lesson> lesson_;
    std::map<std::string, std::string> scenario_values_;  // by path
    std::map<std::string, std::string> set_;              // variants and what was given, by path
    std::map<std::string, std::string> changes_;
    std::vector<Knob> knobs_;
    std::vector<Question> questions_;
};

}  // namespace ascendsim::gui
