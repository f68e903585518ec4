// SPDX-License-Identifier: Apache-2.0
#include "app/validation/ladders.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "sim/config/table_reader.hpp"

namespace ascendsim::validation {
namespace {

constexpr double no_direction = 0.01;  // differences this small are noise of the measurement
constexpr double good_step = 0.15;     // asked of each step

std::optional<TimePair> times_of(const Validation& validation, const std::string& id) {
    const auto row = std::ranges::find_if(validation.rows, [&id](const JudgedRow& judged) {
        return judged.measurement.id == id && judged.ran();
    });
    return row == validation.rows.end() ? std::nullopt : std::optional{row->us()};
}

std::string rung_line(const Rung& rung, TimePair us, const std::optional<Step>& step) {
    return fmt::format(
        "| {} | {} | {:.2f} | {:.2f} | {:+.0f} | {} |\n",
        rung.what,
        rung.id,
        us.measured,
        us.simulated,
        100 * us.error(),
        step ? fmt::format("{:.2f} | {:.2f} | {:+.0f}", step->measured, step->simulated, 100 * step->error())
             : std::string{"| |"});
}

std::string table(const Validation& validation, const Ladder& ladder) {
    std::string lines;
    std::optional<TimePair> before;
    std::size_t steps = 0;
    std::size_t good = 0;
    bool ordered = true;
    for (const Rung& rung : ladder.rungs) {
        const std::optional<TimePair> us = times_of(validation, rung.id);
        if (!us) {
            continue;
        }
        std::optional<Step> step;
        if (before) {
            step = step_between(*before, *us);
            ++steps;
            good += std::abs(step->error()) <= good_step ? 1U : 0U;
            ordered = ordered && step->keeps_direction();
        }
        lines += rung_line(rung, *us, step);
        before = us;
    }
    if (steps == 0) {
        return {};
    }
    return fmt::format(
        "\n### {}\n\nOrder {}; {} of {} steps within {:.0f} %.\n\n"
        "| step | row | measured us | simulated us | error % | speed-up, measured | simulated | step "
        "error % |\n"
        "|---|---|--:|--:|--:|--:|--:|--:|\n{}",
        ladder.title,
        ordered ? "kept" : "not kept",
        good,
        steps,
        100 * good_step,
        lines);
}

}  // namespace

bool Step::keeps_direction() const {
    const auto level = [](double factor) { return std::abs(factor - 1) < no_direction; };
    return level(measured) || level(simulated) || (measured > 1) == (simulated > 1);
}

Step step_between(TimePair from, TimePair to) {
    return {.measured = from.measured / to.measured, .simulated = from.simulated / to.simulated};
}

std::vector<Ladder> read_ladders(const std::filesystem::path& file) {
    TableReader root = TomlFile::open(file).reader();
    std::vector<Ladder> ladders;
    for (TableReader& entry : root.tables("ladder")) {
        Ladder ladder{.title = entry.get<std::string>("title"), .rungs = {}};
        const Node rows = entry.require("rows");
        for (const Node& row : rows.items()) {
            const std::vector<Node> pair = row.items();
            if (pair.size() != 2) {
                throw row.error("is not a pair of a row's id and what it changed");
            }
            ladder.rungs.push_back({pair[0].as<std::string>(), pair[1].as<std::string>()});
        }
        entry.finish();
        ladders.push_back(std::move(ladder));
    }
    root.finish();
    return ladders;
}

std::string ladders_markdown(const Validation& validation, const std::vector<Ladder>& ladders) {
    std::string text =
        "\n## Ladders\n\nEach step changes one thing. A step is the time before over the time after.\n";
    for (const Ladder& ladder : ladders) {
        text += table(validation, ladder);
    }
    return text;
}

}  // namespace ascendsim::validation
