// SPDX-License-Identifier: Apache-2.0
#include "app/cli/operator_list.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/cli/text_output.hpp"
#include "app/scenario/library_list.hpp"
#include "models/spec/chip_file.hpp"
#include "sim/base/error.hpp"
#include "sim/process/file_text.hpp"
#include "sim/process/subprocess.hpp"
#include "sim/process/whole_file.hpp"
#include "toolchain/installation/cache_files.hpp"
#include "toolchain/project/operator_library.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// An operator's example: a host program that calls it.
struct Example {
    fs::path file;  // empty: it has none
    int exit = -1;  // of its run; -1: it did not run
    std::size_t hazards = 0;
    double time_us = 0;
    std::string words;  // of a run that failed: the last sentence

    /// To its end, hazards or not.
    [[nodiscard]] bool ran() const { return time_us > 0; }
};

struct Row {
    scenario::ListedOperator listed;
    Example example;
    std::string label;  // its name; with its folder where that tells more
};

/// The operator's name, with its folder in the library if others have the name, too, or it is an experiment.
std::string label_of(const toolchain::LibraryOperator& one,
                     const std::vector<toolchain::LibraryOperator>& all,
                     const fs::path& library) {
    const bool several = std::ranges::count(all, one.type, &toolchain::LibraryOperator::type) > 1;
    return several || one.experimental
               ? fmt::format("{} ({})", one.type, one.folder.lexically_relative(library).string())
               : one.type;
}

/// Other than LibraryOperator::is_for(): one that names no chip is not listed for any.
bool names_chip(const toolchain::LibraryOperator& one, const std::string& chip) {
    return std::ranges::find(one.chips, chip) != one.chips.end();
}

/// The operators that a list tells of: all for the chip, or of one type those for other chips, too, as these
/// may be what was looked for. Throws UserError if that has none for the chip.
std::vector<toolchain::LibraryOperator> told_of(const std::vector<toolchain::LibraryOperator>& all,
                                                const std::string& type,
                                                const std::string& chip) {
    std::vector<toolchain::LibraryOperator> result;
    std::ranges::copy_if(all, std::back_inserter(result), [&](const toolchain::LibraryOperator& one) {
        return type.empty() ? names_chip(one, chip) : one.type == type;
    });
    if (!type.empty() &&
        std::ranges::none_of(result, [&](const auto& one) { return names_chip(one, chip); })) {
        throw UserError{"{} is not for {}", type, chip};
    }
    return result;
}

/// Of an operator whose definition names other chips alone.
scenario::ListedOperator of_other_chips(const toolchain::LibraryOperator& one) {
    scenario::ListedOperator result{.type = one.type, .folder = one.folder};
    result.obstacle =
        fmt::format("its definition is for {}",
                    one.chips.empty() ? "no chip" : fmt::format("{}", fmt::join(one.chips, ", ")));
    return result;
}

/// The first program of an operator's folder of examples that is not for another generation.
fs::path example_of(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code error;
    for (const fs::directory_entry& one : fs::directory_iterator{folder / "examples", error}) {
        const std::string name = one.path().filename().string();
        if (name.starts_with("test_aclnn") && name.ends_with(".cpp")) {
            found.push_back(one.path());
        }
    }
    std::ranges::sort(found);
    return found.empty() ? fs::path{} : found.front();
}

/// The sentence of ours in a run's words, else its last line.
std::string told(const std::string& words) {
    const std::size_t ours = words.find("ascendsim: ");
    const std::size_t begin =
        ours != std::string::npos ? ours + 11 : words.find_last_of('\n', words.size() - 2) + 1;
    return words.substr(begin, words.find('\n', begin) - begin);
}

/// Runs in a process of its own, as a user would.
Example run_example(const fs::path& file, const OperatorListChoice& choice) {
    constexpr const char* limit_s = "240";
    Example example{.file = file};
    const fs::path folder = toolchain::made_cache_folder("operators");
    const fs::path figures = folder / (file.stem().string() + ".json");
    process::Subprocess run{{fs::read_symlink("/proc/self/exe").string(),
                             "run",
                             file.string(),
                             "--library",
                             choice.folder,
                             "--chip",
                             choice.chip,
                             "--quiet",
                             "--timeout",
                             limit_s,
                             "--json",
                             figures.string(),
                             "--record",
                             (folder / "example.rec").string()}};
    example.exit = run.wait();
    const ordered_json json = ordered_json::parse(process::text_of(figures), nullptr, false);
    std::error_code gone;
    fs::remove(figures, gone);
    fs::remove(folder / "example.rec", gone);
    const bool complete =
        json.is_object() && json.value("outcome", "complete") != "failed" && json.contains("time_us");
    if (complete && json["time_us"].is_number() && (example.exit == 0 || example.exit == 3)) {
        example.time_us = json["time_us"];
        example.hazards = json.contains("hazards") ? json["hazards"].size() : 0;
    } else {
        example.words = told(run.output());
    }
    return example;
}

ordered_json to_json(const Row& row) {
    const scenario::ListedOperator& one = row.listed;
    ordered_json parameters = ordered_json::array();
    for (const tiling::DescribedParameter& parameter : one.parameters) {
        parameters.push_back({{"name", parameter.name},
                              {"role", parameter.output ? "output" : "input"},
                              {"kind", parameter.kind},
                              {"value_depends", parameter.value_depends}});
    }
    ordered_json json{{"operator", one.type},
                      {"folder", one.folder.string()},
                      {"kernel", one.kernel.string()},
                      {"callable", one.obstacle.empty()},
                      {"obstacle", one.obstacle},
                      {"reason", one.reason},
                      {"signature", one.signature},
                      {"parameters", std::move(parameters)},
                      {"attributes", one.attributes},
                      {"left_out", one.left_out}};
    if (row.example.exit >= 0) {
        json["example"] = {{"file", row.example.file.string()},
                           {"ran", row.example.ran()},
                           {"exit", row.example.exit},
                           {"time_us", row.example.time_us},
                           {"hazards", row.example.hazards},
                           {"reason", row.example.words}};
    }
    return json;
}

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

void tell(const Row& row, bool whole) {
    const scenario::ListedOperator& one = row.listed;
    const std::string first = first_line(one.reason);
    say(one.obstacle.empty()
            ? fmt::format("callable  {}\n", row.label)
            : fmt::format(
                  "not       {}: {}{}{}\n", row.label, one.obstacle, first.empty() ? "" : ": ", first));
    if (row.example.exit >= 0) {
        say(row.example.ran() ? fmt::format("          its example runs: {:.2f} us, {} hazards\n",
                                            row.example.time_us,
                                            row.example.hazards)
                              : fmt::format("          its example does not run: {}\n", row.example.words));
    }
    for (const auto* lines : {&one.signature, &one.attributes, &one.left_out}) {
        for (const std::string& line : whole ? *lines : std::vector<std::string>{}) {
            say(fmt::format("          {}{}\n", lines == &one.attributes ? "attribute " : "", line));
        }
    }
}

std::string library_name(const std::string& folder) {
    const fs::path path = fs::absolute(folder).lexically_normal();
    return (path.has_filename() ? path : path.parent_path()).filename().string();
}

/// Of a library: what can be called and run, and what stands in the way of the others.
std::string section_of(const std::vector<Row>& rows, const OperatorListChoice& choice) {
    std::size_t callable = 0;
    std::size_t tried = 0;
    std::size_t ran = 0;
    std::map<std::string, std::string> obstacles;  // by operator
    for (const Row& row : rows) {
        callable += row.listed.obstacle.empty() ? 1U : 0U;
        tried += row.example.exit >= 0 ? 1U : 0U;
        ran += row.example.ran() ? 1U : 0U;
        const std::string reason = first_line(row.listed.reason);
        if (!row.listed.obstacle.empty()) {
            obstacles[row.label] = row.listed.obstacle + (reason.empty() ? "" : ": " + reason);
        } else if (row.example.exit >= 0 && !row.example.ran()) {
            obstacles[row.label] = "its example: " + row.example.words;
        }
    }
    const std::string root = fs::absolute(choice.folder).lexically_normal().string();
    std::string text =
        fmt::format("\n{} of {} operators for {} can be called by name", callable, rows.size(), choice.chip);
    text += tried > 0 ? fmt::format("; the examples of {} of {} run to their end.\n", ran, tried) : ".\n";
    if (!obstacles.empty()) {
        text += "\n| operator | what stands in the way |\n| --- | --- |\n";
    }
    for (auto& [type, reason] : obstacles) {
        for (std::size_t at = reason.find(root); at != std::string::npos; at = reason.find(root, at)) {
            reason.erase(at, root.size());
        }
        std::ranges::replace(reason, '|', '/');
        text += fmt::format("| {} | {} |\n", type, reason);
    }
    return text;
}

/// Puts a section between the marks of its library in a page; marks that are missing come at its end.
void write_section(const std::string& page, const std::string& library, const std::string& section) {
    const std::string begin =
        fmt::format("<!-- operators of {}: written by ascendsim op --list -->\n", library);
    const std::string end = fmt::format("<!-- end of {} -->\n", library);
    std::string text = process::text_of(page);
    std::size_t first = text.find(begin);
    std::size_t last = text.find(end);
    if (first == std::string::npos || last == std::string::npos) {
        text += fmt::format("\n### {}\n{}{}", library, begin, end);
        first = text.find(begin);
        last = text.find(end);
    }
    first += begin.size();
    process::write_whole(page, text.replace(first, last - first, section + "\n"));
}

}  // namespace

void list_operators(const OperatorListChoice& choice, const toolchain::Installation& installation) {
    const ChipSpec chip = open_chip(choice.chip, installation.chips()).spec;
    const std::string wanted = toolchain::library_chip(chip.name);
    const std::string type = choice.name.empty()
                                 ? std::string{}
                                 : toolchain::operator_named(choice.name, choice.folder, wanted).type;
    const fs::path library = fs::absolute(choice.folder).lexically_normal();
    const bool speaks = !takes_standard_output({choice.json});
    std::vector<Row> rows;
    ordered_json all = ordered_json::array();
    std::map<std::string, std::size_t> obstacles;
    std::size_t tried = 0;
    std::size_t ran = 0;
    const std::vector<toolchain::LibraryOperator> defined = toolchain::some_operators_in(choice.folder);
    for (const toolchain::LibraryOperator& one : told_of(defined, type, wanted)) {
        Row row{.listed =
                    names_chip(one, wanted) ? scenario::listed(one, chip, installation) : of_other_chips(one),
                .example = {},
                .label = label_of(one, defined, library)};
        const fs::path example = choice.examples ? example_of(one.folder) : fs::path{};
        if (!example.empty() && !row.listed.kernel.empty()) {
            row.example = run_example(example, choice);
        }
        ++obstacles[row.listed.obstacle];
        tried += row.example.exit >= 0 ? 1U : 0U;
        ran += row.example.ran() ? 1U : 0U;
        all.push_back(to_json(row));
        if (speaks) {
            tell(row, !choice.name.empty());
        }
        rows.push_back(std::move(row));
    }
    if (speaks) {
        say(fmt::format("{} of {} can be called by name on {}\n", obstacles[""], all.size(), choice.chip));
        say(tried > 0 ? fmt::format("{} of {} examples run to their end\n", ran, tried) : std::string{});
        for (const auto& [obstacle, count] : obstacles) {
            say(obstacle.empty() ? std::string{} : fmt::format("{:5}  {}\n", count, obstacle));
        }
    }
    if (!choice.document.empty()) {
        write_section(choice.document, library_name(choice.folder), section_of(rows, choice));
    }
    write_json(choice.json, "op", {{"operators", all}});
}

}  // namespace ascendsim::cli
