// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/warnings.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include <fmt/ranges.h>

#include "sim/process/file_text.hpp"
#include "toolchain/installation/cache.hpp"
#include "toolchain/installation/cache_files.hpp"
#include "toolchain/scan/source_closure.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 24> flags{"-Wno-everything",
                                                 "-Warray-bounds",
                                                 "-Wconstant-conversion",
                                                 "-Wdivision-by-zero",
                                                 "-Wempty-body",
                                                 "-Wfor-loop-analysis",
                                                 "-Winfinite-recursion",
                                                 "-Winteger-overflow",
                                                 "-Wliteral-conversion",
                                                 "-Wlogical-not-parentheses",
                                                 "-Wparentheses",
                                                 "-Wreturn-type",
                                                 "-Wself-assign",
                                                 "-Wshift-count-negative",
                                                 "-Wshift-count-overflow",
                                                 "-Wsometimes-uninitialized",
                                                 "-Wstring-compare",
                                                 "-Wtautological-constant-out-of-range-compare",
                                                 "-Wtautological-unsigned-zero-compare",
                                                 "-Wuninitialized",
                                                 "-Wunsequenced",
                                                 "-Wunused-comparison",
                                                 "-Wunused-value",
                                                 "-fno-color-diagnostics"};

/// Where a warning is said: its file, and what follows behind "warning: ".
struct Heading {
    std::string file;
    std::string place;  // ":LINE:COLUMN"
    std::string text;
};

/// FILE:LINE:COLUMN: warning: TEXT; an empty file for other lines.
Heading heading_of(const std::string& line) {
    constexpr std::string_view mark = ": warning: ";
    const std::size_t at = line.find(mark);
    const std::size_t column = at == std::string::npos ? at : line.rfind(':', at - 1);
    const std::size_t number = column == std::string::npos ? column : line.rfind(':', column - 1);
    if (number == std::string::npos) {
        return {};
    }
    return {line.substr(0, number), line.substr(number, at - number), line.substr(at + mark.size())};
}

bool lies_in(const fs::path& file, const fs::path& folder) {
    const fs::path way = file.lexically_relative(folder);
    return !way.empty() && *way.begin() != "..";
}

std::string trimmed(const std::string& line) {
    const std::size_t begin = line.find_first_not_of(" \t");
    return begin == std::string::npos ? std::string{} : line.substr(begin);
}

}  // namespace

std::vector<std::string> with_warnings(std::vector<std::string> command) {
    const auto silent = std::ranges::find(command, "-w");
    if (silent != command.end()) {
        const auto at = command.erase(silent);
        command.insert(at, flags.begin(), flags.end());
    }
    return command;
}

std::vector<std::string> warnings_in(std::string_view output,
                                     const fs::path& source,
                                     const Installation& installation) {
    const fs::path project = fs::weakly_canonical(project_root(fs::absolute(source)));
    const std::array own{fs::weakly_canonical(installation.kernel_headers()),
                         fs::weakly_canonical(installation.host_headers())};
    std::vector<std::string> found;
    std::istringstream lines{std::string{output}};
    for (std::string line; std::getline(lines, line);) {
        const Heading heading = heading_of(line);
        const fs::path file = fs::weakly_canonical(heading.file);
        const bool users =
            !heading.file.empty() && lies_in(file, project) &&
            std::ranges::none_of(own, [&](const fs::path& folder) { return lies_in(file, folder); });
        if (!users) {
            continue;
        }
        std::string code;
        std::getline(lines, code);
        add_warnings(found, {file.string() + heading.place + ": " + heading.text + "\t" + trimmed(code)});
    }
    return found;
}

void keep_warnings(const std::vector<std::string>& warnings, const fs::path& compiled) {
    if (!warnings.empty()) {
        write_whole(fs::path{compiled}.replace_extension(".warnings"),
                    fmt::format("{}\n", fmt::join(warnings, "\n")));
    }
}

std::vector<std::string> warnings_of(const fs::path& compiled) {
    std::istringstream lines{process::text_of(fs::path{compiled}.replace_extension(".warnings"))};
    const std::string here = fs::current_path().string() + "/";
    std::vector<std::string> result;
    for (std::string line; std::getline(lines, line);) {
        result.push_back(line.starts_with(here) ? line.substr(here.size()) : line);
    }
    return result;
}

void mark_used_with_warnings(const fs::path& compiled) {
    mark_used(compiled);
    mark_used(fs::path{compiled}.replace_extension(".warnings"));
}

void add_warnings(std::vector<std::string>& all, const std::vector<std::string>& more) {
    for (const std::string& warning : more) {
        if (std::ranges::find(all, warning) == all.end()) {
            all.push_back(warning);
        }
    }
}

}  // namespace ascendsim::toolchain
