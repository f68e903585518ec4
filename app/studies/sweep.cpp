// SPDX-License-Identifier: Apache-2.0
#include "app/studies/sweep.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "app/analysis/faults.hpp"
#include "app/scenario/result.hpp"
#include "sim/base/csv_cell.hpp"
#include "sim/base/error.hpp"
#include "sim/process/file_text.hpp"
#include "sim/process/shell_word.hpp"

namespace ascendsim::study {

namespace {

using nlohmann::ordered_json;
using report::Style;
using report::Tone;

constexpr std::array<std::string_view, 13> columns{"cycles",
                                                   "time_us",
                                                   "tflops",
                                                   "cores_used",
                                                   "bounds.speed_of_light_us",
                                                   "bounds.efficiency",
                                                   "bubbles.fraction",
                                                   "memory.gm_read_bytes",
                                                   "memory.gm_write_bytes",
                                                   "memory.hbm_read_bytes",
                                                   "memory.hbm_write_bytes",
                                                   "memory.l2_hit_rate",
                                                   "memory.achieved_gbps"};

bool ended(const SweepRow& row) {
    return row.json.value("outcome", std::string{}) == "complete";
}

/// What a run's result is worth: "passed", "not checked", "wrong", "hazards" where it is not certain on the
/// chip; empty if there is none.
std::string numerics_of(const SweepRow& row) {
    if (!ended(row)) {
        return {};
    }
    if (scenario::count_errors(row.json.value("hazards", ordered_json::array())) > 0) {
        return "hazards";
    }
    const bool checked = scenario::value_at(row.json, "numerics.checked").value_or(0) != 0;
    const bool passed = scenario::value_at(row.json, "numerics.passed").value_or(1) != 0;
    return !checked ? "not checked" : passed ? "passed" : "wrong";
}

/// True if the run ended with a result that may be used; only such a time is worth having.
bool is_good(const SweepRow& row) {
    const std::string numerics = numerics_of(row);
    return ended(row) && numerics != "hazards" && numerics != "wrong";
}

std::optional<double> time_of(const SweepRow& row) {
    return is_good(row) ? scenario::value_at(row.json, "time_us") : std::nullopt;
}

/// Why a run is not among the fast and slow ones.
std::string fault_of(const SweepRow& row) {
    if (!ended(row)) {
        return row.json.value("error", std::string{});
    }
    const std::vector<std::string> faults = analysis::faults_of(row.json);
    return fmt::format("{} all the same: {}",
                       report::time_text(scenario::value_at(row.json, "time_us").value_or(0)),
                       faults.empty() ? std::string{} : faults.front());
}

std::string number(const ordered_json& json, std::string_view path) {
    const std::optional<double> value = scenario::value_at(json, path);
    return value ? fmt::format("{:.10g}", *value) : std::string{};
}

struct Range {
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
};

Range times_of(const std::vector<SweepRow>& rows) {
    Range range;
    for (const SweepRow& row : rows) {
        if (const std::optional<double> time = time_of(row)) {
            range.least = std::min(range.least, *time);
            range.most = std::max(range.most, *time);
        }
    }
    return range;
}

std::string time_cell(const SweepRow& row, const Range& range, const Style& style, std::size_t width) {
    const std::optional<double> time = time_of(row);
    if (!time) {
        if (row.json.value("outcome", std::string{}) == "not_run") {
            return toned(style, Tone::dim, report::right("not run", width));
        }
        const std::string numerics = numerics_of(row);
        return toned(style, Tone::poor, report::right(numerics.empty() ? "failed" : numerics, width));
    }
    const double place = range.most > range.least ? (*time - range.least) / (range.most - range.least) : 0;
    const Tone tone = place < 1.0 / 3 ? Tone::good : place < 2.0 / 3 ? Tone::fair : Tone::poor;
    const bool best = *time == range.least;
    return toned(style, tone, report::right(report::time_text(*time) + (best ? "*" : " "), width));
}

std::string list_text(const std::vector<Axis>& axes, std::vector<SweepRow> rows, const Style& style) {
    constexpr std::size_t most = 20;
    constexpr std::size_t bar_width = 24;
    const Range range = times_of(rows);
    if (axes.size() > 1) {
        std::ranges::stable_sort(rows, std::ranges::less{}, [](const SweepRow& row) {
            return time_of(row).value_or(std::numeric_limits<double>::infinity());
        });
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) {
        std::string what;
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
            what += fmt::format("{}{}={}", axis == 0 ? "" : " ", axes[axis].path, rows[i].cell.values[axis]);
        }
        text += fmt::format(
            "  {}  {}  {}\n",
            report::left(what, 40),
            time_cell(rows[i], range, style, 11),
            time_of(rows[i]) ? report::bar(*time_of(rows[i]) / range.most, bar_width) : fault_of(rows[i]));
    }
    if (rows.size() > most) {
        text += fmt::format("  and {} more\n", rows.size() - most);
    }
    return text;
}

std::string map_text(const std::vector<Axis>& axes, const std::vector<SweepRow>& rows, const Style& style) {
    constexpr std::size_t width = 12;
    const Range range = times_of(rows);
    std::string text = toned(
        style, Tone::dim, fmt::format("{} down, {} across; * is the fastest\n", axes[0].path, axes[1].path));
    text += std::string(width, ' ');
    for (const std::string& value : axes[1].values) {
        text += report::right(value + " ", width);
    }
    text += "\n";
    for (std::size_t down = 0; down < axes[0].values.size(); ++down) {
        text += report::left(axes[0].values[down], width);
        for (std::size_t across = 0; across < axes[1].values.size(); ++across) {
            text += time_cell(rows[down * axes[1].values.size() + across], range, style, width);
        }
        text += "\n";
    }
    return text;
}

}  // namespace

int exit_of(const ordered_json& run) {
    constexpr int check_failed = 1;
    constexpr int cannot_start = 2;
    constexpr int program = 3;
    if (run.value("outcome", std::string{}) != "complete") {
        return run.value("exit", run.contains("cycles") ? program : cannot_start);
    }
    const bool racy = scenario::count_errors(run.value("hazards", ordered_json::array())) > 0;
    return racy ? program : scenario::value_at(run, "numerics.passed").value_or(1) == 0 ? check_failed : 0;
}

namespace {

/// Splits at `separator` outside of brackets and of quotes.
std::vector<std::string> split_outside(std::string_view text, char separator) {
    std::vector<std::string> parts{""};
    int depth = 0;
    bool quoted = false;
    for (const char c : text) {
        quoted = quoted != (c == '"');
        depth += quoted ? 0 : c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
        if (c == separator && depth == 0 && !quoted) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

/// `lines`: of a table, the line of each value.
void check_axis(const Axis& axis, const std::string& text, const std::vector<std::size_t>& lines = {}) {
    if (std::ranges::find(axis.values, std::string{}) != axis.values.end()) {
        throw UserError{"--over {}: a value is missing between two commas", text};
    }
    std::vector<std::string> paths = axis.paths();
    if (std::ranges::find(paths, std::string{}) != paths.end()) {
        throw UserError{"--over {}: a path is missing between two commas", text};
    }
    const std::size_t count = paths.size();
    std::ranges::sort(paths);
    if (const auto twice = std::ranges::adjacent_find(paths); twice != paths.end()) {
        throw UserError{"--over {}: names {} twice", text, *twice};
    }
    for (std::size_t i = 0; i < axis.values.size(); ++i) {
        const std::string& value = axis.values[i];
        if (const std::size_t parts = axis.parts(value).size(); parts != count) {
            throw UserError{"--over {}{}: '{}' has {} value{} for {} paths; write them as in a,b=1:2,3:4",
                            text,
                            lines.empty() ? std::string{} : fmt::format(":{}", lines[i]),
                            value,
                            parts,
                            parts == 1 ? "" : "s",
                            count};
        }
    }
}

/// The lists of `[["4", "256"], ["8", "512"]]`, as [tune] takes them: each is a value of its own. Empty for
/// any other text.
std::vector<std::string> lists_in(const std::string& text) {
    std::vector<std::string> values;
    if (!text.starts_with('[') || text.find('\n') != std::string::npos) {
        return values;
    }
    try {
        const TomlFile file = TomlFile::parse("value = " + text, "--over");
        const auto& members = std::get<TomlTable>(file.root().data).members;
        const auto* const array =
            members.size() == 1 ? std::get_if<TomlArray>(&members.front().data) : nullptr;
        for (const TomlValue& item : array == nullptr ? std::vector<TomlValue>{} : array->items) {
            if (!std::holds_alternative<TomlArray>(item.data)) {
                return {};
            }
            values.push_back(scenario::text(item));
        }
    } catch (const UserError&) {
        return {};  // no TOML: whoever takes the value tells
    }
    return values;
}

/// A table of points: paths in the first line, values below.
Axis axis_of_table(const std::string& file) {
    std::istringstream lines{process::read_text(file)};
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";  // as spreadsheets write it
    Axis axis;
    std::vector<std::size_t> numbers;
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        if (axis.path.empty() && line.starts_with(byte_order_mark)) {
            line.erase(0, byte_order_mark.size());
        }
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) {
            line.pop_back();
        }
        if (line.empty() || line.front() == '#') {
            continue;
        }
        std::string joined;
        for (const std::string& part : split_outside(line, ',')) {
            const std::size_t begin = std::min(part.find_first_not_of(' '), part.size());
            joined += (joined.empty() ? "" : axis.path.empty() ? "," : ":") + part.substr(begin);
        }
        if (axis.path.empty()) {
            axis.path = joined;
        } else {
            axis.values.push_back(joined);
            numbers.push_back(number);
        }
    }
    if (axis.values.empty()) {
        throw UserError{"--over @{}: needs a line with paths and one with values at least", file};
    }
    check_axis(axis, "@" + file, numbers);
    return axis;
}

}  // namespace

std::vector<std::string> Axis::paths() const {
    return split_outside(path, ',');
}

std::vector<std::string> Axis::parts(const std::string& value) const {
    return paths().size() == 1 ? std::vector<std::string>{value} : split_outside(value, ':');
}

Axis parse_axis(const std::string& text) {
    if (text.starts_with('@')) {
        return axis_of_table(text.substr(1));
    }
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
        throw UserError{"--over {}: must be path=value,value,..., as in kernel.blocks=8,16,24", text};
    }
    Axis axis{.path = scenario::parse_override(text.substr(0, equals + 1)).path,
              .values = split_outside(text.substr(equals + 1), ',')};
    if (axis.values.size() == 1 && axis.paths().size() == 1) {
        if (std::vector<std::string> lists = lists_in(axis.values.front()); !lists.empty()) {
            axis.values = std::move(lists);
        }
    }
    check_axis(axis, text);
    return axis;
}

std::vector<Cell> grid_of(const scenario::ScenarioFile& file,
                          const std::vector<Axis>& axes,
                          std::size_t given_overrides) {
    constexpr std::size_t most = 100000;
    std::set<std::string> taken;
    for (const Axis& axis : axes) {
        for (const std::string& path : axis.paths()) {
            if (!taken.insert(path).second) {
                throw UserError{"--over {}: another --over has it already; give all its values in one", path};
            }
        }
    }
    std::vector<Cell> cells;
    for (const std::vector<scenario::Override>& run : file.runs()) {
        cells.push_back({.values = {}, .run = run, .label = {}});
    }
    for (const Axis& axis : axes) {
        std::vector<Cell> longer;
        for (const Cell& cell : cells) {
            for (const std::string& value : axis.values) {
                longer.push_back(cell);
                longer.back().values.push_back(value);
                const std::vector<std::string> paths = axis.paths();
                const std::vector<std::string> parts = axis.parts(value);
                for (std::size_t i = 0; i < paths.size(); ++i) {
                    longer.back().run.push_back({paths[i], parts[i]});
                }
            }
        }
        cells = std::move(longer);
        if (cells.size() > most) {
            throw UserError{"sweep: the grid has more than {} places", most};
        }
    }
    for (Cell& cell : cells) {
        cell.label = scenario::run_label(file, cell.run, given_overrides);
    }
    return cells;
}

std::string sweep_csv(const std::vector<Axis>& axes, const std::vector<SweepRow>& rows) {
    std::string text;
    for (const Axis& axis : axes) {
        for (const std::string& path : axis.paths()) {
            text += csv_cell(path) + ",";
        }
    }
    text += "run,outcome,numerics";
    for (const std::string_view column : columns) {
        text += fmt::format(",{}", column);
    }
    text += ",error\n";
    for (const SweepRow& row : rows) {
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
            for (const std::string& part : axes[axis].parts(row.cell.values[axis])) {
                text += csv_cell(part) + ",";
            }
        }
        text += csv_cell(row.cell.label) + "," + row.json.value("outcome", std::string{"failed"});
        text += "," + numerics_of(row);
        for (const std::string_view column : columns) {
            text += "," + number(row.json, column);
        }
        text += "," + csv_cell(row.json.value("error", std::string{})) + "\n";
    }
    return text;
}

ordered_json sweep_json(const std::vector<Axis>& axes, const std::vector<SweepRow>& rows) {
    ordered_json over = ordered_json::object();
    for (const Axis& axis : axes) {
        over[axis.path] = ordered_json::array();
        for (const std::string& value : axis.values) {
            over[axis.path].push_back(scenario::json_of_setting(value));
        }
    }
    ordered_json list = ordered_json::array();
    for (const SweepRow& row : rows) {
        ordered_json place = ordered_json::object();
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
            const std::vector<std::string> paths = axes[axis].paths();
            const std::vector<std::string> parts = axes[axis].parts(row.cell.values[axis]);
            for (std::size_t i = 0; i < paths.size(); ++i) {
                place[paths[i]] = scenario::json_of_setting(parts[i]);
            }
        }
        list.push_back({{"place", std::move(place)}, {"run", row.cell.label}, {"result", row.json}});
    }
    return {{"over", std::move(over)}, {"runs", std::move(list)}};
}

std::string sweep_text(const std::vector<Axis>& axes, const std::vector<SweepRow>& rows, const Style& style) {
    const bool map = axes.size() == 2 && rows.size() == axes[0].values.size() * axes[1].values.size();
    return map ? map_text(axes, rows, style) : list_text(axes, rows, style);
}

std::string slurm_script(const std::vector<Cell>& cells,
                         const std::string& program,
                         const std::string& scenario,
                         const std::filesystem::path& folder,
                         std::size_t at_a_time) {
    std::string text = fmt::format(
        "#!/usr/bin/env bash\n"
        "#SBATCH --job-name=ascendsim-sweep\n"
        "#SBATCH --array=0-{}%{}\n"
        "#SBATCH --cpus-per-task=1\n"
        "#SBATCH --output={}/%a.log\n"
        "# When all tasks have ended: the same sweep command with --collect instead of --slurm.\n"
        "set -uo pipefail\n"
        "case \"${{SLURM_ARRAY_TASK_ID:?}}\" in\n",
        cells.size() - 1,
        std::max<std::size_t>(1, at_a_time),
        folder.string());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        std::string sets;
        for (const scenario::Override& set : cells[i].run) {
            sets += " --set " + process::shell_word(set.path + "=" + set.value);
        }
        text += fmt::format("{}) set --{} ;;\n", i, sets);
    }
    text += fmt::format(
        "esac\nexec {} run {} \"$@\" --quiet --json {}/\"$SLURM_ARRAY_TASK_ID\".json --record "
        "{}/\"$SLURM_ARRAY_TASK_ID\".rec\n",
        process::shell_word(program),
        process::shell_word(scenario),
        process::shell_word(folder.string()),
        process::shell_word(folder.string()));
    return text;
}

}  // namespace ascendsim::study
