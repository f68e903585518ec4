// SPDX-License-Identifier: Apache-2.0
#include "app/studies/check_report.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pugixml.hpp>

#include "app/scenario/result.hpp"
#include "app/scenario/source_texts.hpp"
#include "sim/base/harmless_text.hpp"

namespace ascendsim::study {

namespace {

using report::Style;
using report::Tone;
using report::toned;

std::size_t count_failed(const std::vector<CheckedRun>& runs) {
    std::size_t failed = 0;
    for (const CheckedRun& run : runs) {
        failed += static_cast<std::size_t>(
            std::ranges::count_if(run.lines, [](const CheckLine& line) { return !line.passed; }));
    }
    return failed;
}

std::size_t count_lines(const std::vector<CheckedRun>& runs) {
    std::size_t lines = 0;
    for (const CheckedRun& run : runs) {
        lines += run.lines.size();
    }
    return lines;
}

/// Names and messages of others as XML and commands may hold them: UTF-8, no control character but ends of
/// lines and tabs, no "##[".
std::string plain(const std::string& text) {
    std::string result = harmless(scenario::readable_text(text));
    std::ranges::replace(result, '\x1b', '?');  // of colours
    return result;
}

/// `text` for the message of a runner's command, and of a property of one.
std::string escaped(const std::string& text, bool property) {
    std::string result;
    for (const char c : plain(text)) {
        switch (c) {
            case '%':
                result += "%25";
                break;
            case '\r':
                result += "%0D";
                break;
            case '\n':
                result += "%0A";
                break;
            case ':':
                result += property ? "%3A" : ":";
                break;
            case ',':
                result += property ? "%2C" : ",";
                break;
            default:
                result += c;
        }
    }
    return result;
}

/// `text` for a cell of a Markdown table.
std::string cell(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '|') {
            result += "\\|";
        } else if (c == '\n') {
            result += "<br>";
        } else {
            result += c;
        }
    }
    return result;
}

std::string place(const CheckLine& line) {
    return line.line == 0 ? line.file : fmt::format("{}:{}", line.file, line.line);
}

/// True if what failed is its own cause.
bool tells_itself(const CheckedRun& run) {
    return std::ranges::any_of(run.lines, [&](const CheckLine& line) {
        return !line.passed && run.cause.behind(line.text).empty();
    });
}

/// True if a failure is told at the place of the cause.
bool is_told_there(const CheckedRun& run) {
    return std::ranges::any_of(run.lines, [&](const CheckLine& line) {
        return !line.passed && line.file == run.cause.file && line.line == run.cause.line;
    });
}

std::string time_of(const CheckedRun& run) {
    const std::optional<double> time = scenario::value_at(run.json, "time_us");
    return time ? report::time_text(*time) : "";
}

}  // namespace

std::string check_text(const std::vector<CheckedRun>& runs, const Style& style) {
    std::string text;
    for (const CheckedRun& run : runs) {
        text += fmt::format("{}{}\n", toned(style, Tone::strong, run.label), run.passed() ? "" : "  failed");
        for (const CheckLine& line : run.lines) {
            text +=
                fmt::format("  {}  {}  {}\n",
                            line.passed ? toned(style, Tone::good, "ok  ") : toned(style, Tone::poor, "FAIL"),
                            report::left(line.name, 32),
                            line.text);
            if (!line.passed && !line.file.empty()) {
                text += fmt::format("        {}\n", toned(style, Tone::dim, place(line)));
            }
        }
        if (!run.cause.text.empty() && !tells_itself(run)) {
            text += fmt::format("        cause: {}\n", run.cause.text);
        }
        if (!run.page.empty()) {
            text += fmt::format("        report: {}\n", run.page.string());
        }
    }
    const std::size_t failed = count_failed(runs);
    text += fmt::format("{} run{}, {} check{}, {}\n",
                        runs.size(),
                        runs.size() == 1 ? "" : "s",
                        count_lines(runs),
                        count_lines(runs) == 1 ? "" : "s",
                        runs.empty()  ? std::string{"nothing checked"}
                        : failed == 0 ? std::string{"all passed"}
                                      : fmt::format("{} failed", failed));
    return text;
}

namespace {

nlohmann::ordered_json cause_json(const FailureCause& cause) {
    return cause.text.empty()
               ? nlohmann::ordered_json{}
               : nlohmann::ordered_json{{"text", cause.text}, {"file", cause.file}, {"line", cause.line}};
}

}  // namespace

std::string durations_text(const std::vector<CheckedRun>& runs, std::size_t most) {
    std::vector<const CheckedRun*> slowest;
    for (const CheckedRun& run : runs) {
        slowest.push_back(&run);
    }
    std::ranges::stable_sort(
        slowest, std::ranges::greater{}, [](const CheckedRun* run) { return run->wall_s; });
    slowest.resize(std::min(most, slowest.size()));
    std::string text = slowest.empty() ? "" : fmt::format("slowest {}:\n", slowest.size());
    for (const CheckedRun* run : slowest) {
        text += fmt::format("  {:8.2f} s  {}\n", run->wall_s, run->label);
    }
    return text;
}

std::string not_run_text(const std::vector<std::string>& not_run) {
    return not_run.empty() ? std::string{}
                           : fmt::format("{} run{} not made, since the check was stopped: {}\n",
                                         not_run.size(),
                                         not_run.size() == 1 ? "" : "s",
                                         fmt::join(not_run, ", "));
}

nlohmann::ordered_json check_json(const std::vector<CheckedRun>& runs,
                                  const std::vector<std::string>& not_run) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const CheckedRun& run : runs) {
        nlohmann::ordered_json checks = nlohmann::ordered_json::array();
        for (const CheckLine& line : run.lines) {
            checks.push_back({{"name", line.name},
                              {"passed", line.passed},
                              {"text", line.text},
                              {"file", line.file},
                              {"line", line.line}});
        }
        list.push_back({{"run", run.label},
                        {"passed", run.passed()},
                        {"page", run.page.string()},
                        {"cause", cause_json(run.cause)},
                        {"wall_s", run.wall_s},
                        {"checks", std::move(checks)},
                        {"figures", run.json}});
    }
    return {{"passed", not_run.empty() && std::ranges::all_of(runs, &CheckedRun::passed)},
            {"stopped", !not_run.empty()},
            {"not_run", not_run},
            {"runs", std::move(list)}};
}

namespace {

/// A file that a runner can show: of a limit that the command line set the scenario's.
const std::string& file_of(const CheckedRun& run, const CheckLine& line) {
    return line.file.starts_with("--") ? run.file : line.file;
}

/// A suite of one case that was skipped.
void add_skipped(pugi::xml_node& suites, const std::string& run) {
    pugi::xml_node suite = suites.append_child("testsuite");
    suite.append_attribute("name") = plain(run).c_str();
    suite.append_attribute("tests") = 1;
    suite.append_attribute("failures") = 0;
    suite.append_attribute("skipped") = 1;
    pugi::xml_node one = suite.append_child("testcase");
    one.append_attribute("classname") = plain(run).c_str();
    one.append_attribute("name") = "runs";
    one.append_child("skipped").append_attribute("message") = "the check was stopped before";
}

}  // namespace

std::string junit_xml(const std::vector<CheckedRun>& runs, const std::vector<std::string>& not_run) {
    pugi::xml_document document;
    pugi::xml_node declaration = document.append_child(pugi::node_declaration);
    declaration.append_attribute("version") = "1.0";
    declaration.append_attribute("encoding") = "UTF-8";
    pugi::xml_node suites = document.append_child("testsuites");
    suites.append_attribute("name") = "ascendsim check";
    suites.append_attribute("tests") = static_cast<unsigned long long>(count_lines(runs) + not_run.size());
    suites.append_attribute("failures") = static_cast<unsigned long long>(count_failed(runs));
    for (const CheckedRun& run : runs) {
        pugi::xml_node suite = suites.append_child("testsuite");
        suite.append_attribute("name") = plain(run.label).c_str();
        suite.append_attribute("tests") = static_cast<unsigned long long>(run.lines.size());
        suite.append_attribute("failures") = static_cast<unsigned long long>(count_failed({run}));
        suite.append_attribute("time") = fmt::format("{:.3f}", run.wall_s).c_str();
        for (const CheckLine& line : run.lines) {
            pugi::xml_node one = suite.append_child("testcase");
            one.append_attribute("classname") = plain(run.label).c_str();
            one.append_attribute("name") = plain(line.name).c_str();
            one.append_attribute("file") = plain(file_of(run, line)).c_str();
            const bool simulated = &line == run.lines.data();
            one.append_attribute("time") = fmt::format("{:.3f}", simulated ? run.wall_s : 0.0).c_str();
            if (!line.passed) {
                pugi::xml_node failure = one.append_child("failure");
                const std::string message = line.text + run.cause.behind(line.text);
                failure.append_attribute("message") = plain(message).c_str();
                failure.text().set(plain(fmt::format("{}: {}: {}", place(line), line.name, message)).c_str());
            }
        }
    }
    for (const std::string& run : not_run) {
        add_skipped(suites, run);
    }
    std::ostringstream out;
    document.save(out, "  ");
    return out.str();
}

std::string github_annotations(const std::vector<CheckedRun>& runs) {
    std::string text;
    for (const CheckedRun& run : runs) {
        for (const CheckLine& line : run.lines) {
            if (line.passed) {
                continue;
            }
            text += fmt::format(
                "::error file={}{},title={}::{}\n",
                escaped(file_of(run, line), true),
                line.line == 0 ? std::string{} : fmt::format(",line={}", line.line),
                escaped(fmt::format("{}: {}", run.label, line.name), true),
                escaped((line.brief.empty() ? line.text : line.brief) + run.cause.behind(line.text), false));
        }
        if (!run.cause.text.empty() && run.cause.line != 0 &&
            !is_told_there(run)) {  // once, where the kernel has to change
            text += fmt::format("::warning file={},line={},title={}::{}\n",
                                escaped(run.cause.file, true),
                                run.cause.line,
                                escaped(fmt::format("{}: cause of the failure", run.label), true),
                                escaped(run.cause.text, false));
        }
    }
    return text;
}

std::string check_markdown(const std::vector<CheckedRun>& runs, const std::vector<std::string>& not_run) {
    const std::size_t failed = count_failed(runs);
    std::string text =
        fmt::format("## AscendSim: {}\n\n",
                    failed == 0 ? fmt::format("{} checks passed", count_lines(runs))
                                : fmt::format("{} of {} checks failed", failed, count_lines(runs)));
    if (!not_run.empty()) {
        text += not_run_text(not_run) + "\n";
    }
    if (failed > 0) {
        text += "| run | check | found |\n|---|---|---|\n";
        for (const CheckedRun& run : runs) {
            for (const CheckLine& line : run.lines) {
                if (!line.passed) {
                    text +=
                        fmt::format("| {} | {} | {} |\n", cell(run.label), cell(line.name), cell(line.text));
                }
            }
        }
        text += "\n";
    }
    text += "| run | time | against baseline | checks |\n|---|--:|--:|---|\n";
    for (const CheckedRun& run : runs) {
        const auto cycles = std::ranges::find(run.drifts, "cycles", &Drift::path);
        text += fmt::format(
            "| {} | {} | {} | {} |\n",
            cell(run.label),
            time_of(run),
            cycles == run.drifts.end() ? std::string{} : fmt::format("{:+.2f} %", 100 * cycles->relative()),
            run.passed() ? fmt::format("{} passed", run.lines.size())
                         : fmt::format("**{} of {} failed**", count_failed({run}), run.lines.size()));
    }
    return text;
}

}  // namespace ascendsim::study
