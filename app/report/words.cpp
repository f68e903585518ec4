// SPDX-License-Identifier: Apache-2.0
#include "app/report/words.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "app/analysis/file_name.hpp"
#include "app/analysis/instruction_words.hpp"
#include "app/report/style.hpp"
#include "sim/record/words.hpp"

namespace ascendsim::report {

std::string legend(const std::set<record::Reason>& reasons) {
    std::string text;
    for (const record::Reason reason : reasons) {
        text +=
            fmt::format("{}{}: {}", text.empty() ? "" : "; ", record::label(reason), record::meaning(reason));
    }
    return text;
}

std::string arithmetic(const analysis::RunSummary& summary) {
    const std::optional<double> share = summary.arithmetic_share();
    return share ? fmt::format(
                       "scalar: {} of its busy cycles are the kernel's own arithmetic between two calls "
                       "(loops, addresses, divisions)",
                       percent_text(*share))
                 : std::string{};
}

std::string profiler_words(const analysis::RunSummary& summary) {
    std::string pipes;
    for (const analysis::PipeUse& use : summary.pipes) {
        const std::optional<double> us = summary.profiler_us(use);
        const double busy = use.utilization() * summary.time_us;
        // What differs less misleads nobody.
        constexpr double part_of_busy = 0.2;
        constexpr double part_of_run = 0.02;
        if (us && std::abs(*us - busy) > std::max(part_of_busy * busy, part_of_run * summary.time_us)) {
            pipes += fmt::format(
                "{}{} {} ({} here)", pipes.empty() ? "" : ", ", use.name, time_text(*us), time_text(busy));
        }
    }
    return pipes.empty()
               ? pipes
               : "msprof's columns (--csv) count an instruction until its result is there, with waits "
                 "within it: " +
                     pipes;
}

std::string place(const record::SourceLine& line) {
    if (line.file.empty() || line.line == 0) {
        return {};
    }
    const std::size_t slash = line.file.rfind('/');
    return fmt::format(
        "{}:{}", slash == std::string::npos ? line.file : line.file.substr(slash + 1), line.line);
}

std::string instruction(const record::Recording& recording, std::uint32_t op, std::uint32_t site) {
    const std::string where = analysis::place_text(recording, site);
    const std::string_view what = analysis::spoken_instruction(recording.name(op));
    return where.empty() ? std::string{what} : fmt::format("{} at {}", what, where);
}

namespace {

/// The line of source behind each place that `hazard` names, below the line of its text that begins with it.
void add_code(std::vector<std::string>& lines, const std::string& line, const nlohmann::json& hazard) {
    const std::size_t indent = line.find_first_not_of(' ');
    for (const char* side : {"later", "earlier"}) {
        const auto party = hazard.find(side);
        if (indent == std::string::npos || party == hazard.end() || !party->is_object() ||
            !party->contains("code") || !(*party)["code"].is_string() || !party->contains("file") ||
            !(*party)["file"].is_string() || !party->contains("line") ||
            !(*party)["line"].is_number_unsigned()) {
            continue;
        }
        const std::string start =
            fmt::format("{}:{}: ", party->value("file", ""), party->value("line", std::uint64_t{0}));
        if (line.compare(indent, start.size(), start) == 0) {
            lines.push_back(std::string(indent + 4, ' ') + party->value("code", ""));
            return;
        }
    }
}

}  // namespace

std::vector<std::string> hazard_lines(const nlohmann::json& hazard) {
    for (const char* key : {"text", "message"}) {
        if (hazard.is_object() && hazard.contains(key) && hazard[key].is_string()) {
            std::vector<std::string> lines;
            std::istringstream text{hazard[key].get<std::string>()};
            for (std::string line; std::getline(text, line);) {
                lines.push_back(line);
                add_code(lines, line, hazard);
            }
            return lines;
        }
    }
    return {hazard.dump()};
}

}  // namespace ascendsim::report
