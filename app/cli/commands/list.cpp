// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "app/cli/command.hpp"
#include "app/cli/text_output.hpp"
#include "app/lessons/lesson.hpp"
#include "app/scenario/catalogue.hpp"
#include "models/isa/instructions.hpp"
#include "models/spec/chip_file.hpp"
#include "sim/base/error.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::cli {
namespace {

struct Row {
    std::string name;
    std::string text;
};

void print(const std::vector<Row>& rows) {
    std::size_t width = 0;
    for (const Row& row : rows) {
        width = std::max(width, row.name.size());
    }
    for (const Row& row : rows) {
        say(fmt::format("{:<{}}  {}\n", row.name, width, row.text));
    }
}

std::vector<Row> chips(const toolchain::Installation& installation) {
    std::vector<Row> rows;
    for (const std::string& name : list_chips(installation.chips())) {
        const ChipSpec chip = load_chip(name, installation.chips());
        rows.push_back(
            {name,
             fmt::format("{}: {}, {:.0f} TFLOPS fp16, {:.0f} GB/s",
                         chip.title,
                         chip.cores.split
                             ? fmt::format("{} cube + {} vector cores", chip.cores.aic, chip.cores.aiv)
                             : fmt::format("{} cores", chip.cores.aic),
                         peak_fp16_tflops(chip),
                         chip.hbm.gb_per_s)});
    }
    return rows;
}

std::vector<Row> kernels(const toolchain::Installation& installation) {
    std::vector<Row> rows;
    for (const std::string& name : installation.kernels()) {
        rows.push_back({name, toolchain::head_sentence(process::text_of(installation.kernel_source(name)))});
    }
    return rows;
}

std::vector<Row> scenarios(const toolchain::Installation& installation) {
    std::vector<Row> rows;
    for (const scenario::ListedScenario& one : scenario::list_scenarios(installation)) {
        rows.push_back({one.name, one.title});
    }
    return rows;
}

/// With the numbers by which 'ascendsim lesson' calls them: those about the machine around the chip come
/// last.
std::vector<Row> numbered_lessons(const toolchain::Installation& installation) {
    std::vector<Row> rows;
    const auto add = [&rows](const std::string& name, std::string_view title) {
        rows.push_back({name, fmt::format("{}  {}", rows.size() + 1, title)});
    };
    for (const scenario::ListedScenario& one : scenario::list_scenarios(installation)) {
        if (!one.lesson.empty()) {
            add(one.name, one.lesson);
        }
    }
    const std::filesystem::path folder = installation.scenarios() / "steps" / "lessons";
    for (const lessons::Lesson& one : lessons::read_lessons(folder)) {
        add("steps/lessons/" + one.name, one.title);
    }
    return rows;
}

std::vector<Row> instructions() {
    std::vector<Row> rows;
    for (const isa::ListedInstruction& one : isa::list_instructions()) {
        rows.push_back({std::string{one.name}, std::string{one.meaning}});
    }
    return rows;
}

class ListCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "List chips, kernels, scenarios, lessons or instructions";
    }

    void declare(Options& options) override {
        options.choice("WHAT",
                       what_,
                       {"chips", "kernels", "scenarios", "lessons", "instructions"},
                       "chips, kernels, scenarios, lessons or instructions");
        options.output("--json", json_, Output::file, "FILE", "write JSON instead");
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        const std::vector<Row> rows = rows_of(installation);
        if (json_.empty()) {
            print(rows);
            return exit_good;
        }
        nlohmann::ordered_json names = nlohmann::ordered_json::array();
        for (const Row& row : rows) {
            names.push_back({{"name", row.name}, {"meaning", row.text}});
        }
        write_json(json_, "list", {{what_, std::move(names)}});
        return exit_good;
    }

private:
    [[nodiscard]] std::vector<Row> rows_of(const toolchain::Installation& installation) const {
        if (what_ == "chips") {
            return chips(installation);
        }
        if (what_ == "kernels") {
            return kernels(installation);
        }
        if (what_ == "scenarios") {
            return scenarios(installation);
        }
        if (what_ == "lessons") {
            return numbered_lessons(installation);
        }
        if (what_ == "instructions") {
            return instructions();
        }
        throw UserError{"list {}: must be one of chips, kernels, scenarios, lessons, instructions{}",
                        what_,
                        nearest_hint(what_, {"chips", "kernels", "scenarios", "lessons", "instructions"})};
    }

    std::string what_;
    std::string json_;
};

}  // namespace

std::unique_ptr<Command> make_list() {
    return std::make_unique<ListCommand>();
}

}  // namespace ascendsim::cli
