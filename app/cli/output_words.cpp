// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output_words.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/cli/kept_runs.hpp"
#include "app/cli/text_output.hpp"
#include "sim/base/error.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;

/// What files with this ending are, where a command reads them.
std::string_view read_as(std::string_view ending) {
    constexpr std::pair<std::string_view, std::string_view> kinds[] = {{".toml", "a scenario"},
                                                                       {".cpp", "a source"},
                                                                       {".cc", "a source"},
                                                                       {".cxx", "a source"},
                                                                       {".asc", "a source"},
                                                                       {".h", "a source"},
                                                                       {".hpp", "a source"},
                                                                       {".rec", "a recording"},
                                                                       {".npy", "a tensor"}};
    const auto* const found =
        std::ranges::find(kinds, ending, &std::pair<std::string_view, std::string_view>::first);
    return found == std::end(kinds) ? std::string_view{} : found->second;
}

/// What a word is if it is plainly no place to write to; empty if it may be one.
std::string_view meant_for_the_command(const std::string& word, const OutputOption& output) {
    const fs::path path{word};
    const std::string ending = path.extension().string();
    const bool own =
        ending == "." + output.name.substr(2) || (output.kind == Output::recording && ending == ".rec");
    if (!own && !read_as(ending).empty()) {
        return read_as(ending);
    }
    if (output.kind != Output::file || word.empty()) {
        return {};
    }
    if (std::ranges::all_of(word, [](unsigned char letter) { return std::isdigit(letter) != 0; })) {
        return "a number";
    }
    if (fs::is_regular_file(toolchain::Installation::find().scenarios() / (word + ".toml"))) {
        return "a scenario";
    }
    const bool run = path == path.filename() && fs::is_regular_file(kept_runs() / (word + ".rec"));
    return run ? "the name of a run" : std::string_view{};
}

/// The place that `next` names for an output; "-" if it names none.
std::string place_of(const OutputOption& output, const std::string* next) {
    const bool none = next == nullptr || (next->starts_with('-') && *next != standard_output);
    if (none && output.kind == Output::file) {
        return std::string{standard_output};
    }
    if (none) {
        throw UserError{"{0}: needs {1}, as in {0} {2}",
                        output.name,
                        output.kind == Output::folder ? "a folder" : "a file",
                        output.value_name};
    }
    if (const std::string_view what = meant_for_the_command(*next, output); !what.empty()) {
        const std::string_view last =
            output.kind == Output::file ? ", or put it last or write '{0} -' for standard output" : "";
        throw UserError{"{0} {1}: that is {2}, not a place to write to; write {0}={1} if you mean it{3}",
                        output.name,
                        *next,
                        what,
                        fmt::format(fmt::runtime(last), output.name)};
    }
    return *next;
}

}  // namespace

std::vector<std::string> join_outputs(const std::vector<std::string>& words,
                                      const std::vector<OutputOption>& outputs) {
    std::vector<std::string> joined;
    std::size_t i = 0;
    for (; i < words.size() && words[i] != "--"; ++i) {
        const auto output = std::ranges::find(outputs, words[i], &OutputOption::name);
        if (output == outputs.end()) {
            joined.push_back(words[i]);
            continue;
        }
        const bool more = i + 1 < words.size();
        const std::string place = place_of(*output, more ? &words[i + 1] : nullptr);
        if (more && words[i + 1] == place) {
            ++i;
        }
        if (!place.empty()) {
            joined.push_back(fmt::format("{}={}", output->name, place));
        }
    }
    joined.insert(joined.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
    return joined;
}

void check_standard_output(const std::vector<OutputOption>& outputs) {
    const OutputOption* first = nullptr;
    for (const OutputOption& output : outputs) {
        if (output.kind != Output::file || *output.place != standard_output) {
            continue;
        }
        if (first != nullptr) {
            throw UserError{"{0} and {1} both go to standard output; name a file for one, as in {1} {2}",
                            first->name,
                            output.name,
                            output.value_name};
        }
        first = &output;
    }
}

std::string taken_hint(const std::vector<OutputOption>& outputs) {
    for (const OutputOption& output : outputs) {
        if (output.kind == Output::file && !output.place->empty() && *output.place != standard_output) {
            return fmt::format(
                "; {0} took '{1}' as its {2}: put {0} last or write '{0} -' for standard output",
                output.name,
                *output.place,
                output.value_name);
        }
    }
    return {};
}

}  // namespace ascendsim::cli
