// SPDX-License-Identifier: Apache-2.0
#include "toolchain/project/operator_kernel.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/base/error.hpp"
#include "toolchain/installation/cache_files.hpp"
#include "toolchain/project/operator_project.hpp"
#include "toolchain/scan/source_closure.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

/// The entry named like the operator, else the only one, else the first.
ScannedEntry entry_of(const std::string& text, const std::string& letters) {
    const std::vector<ScannedEntry> entries = scan_entries(text);
    const auto named = std::ranges::find_if(
        entries, [&](const ScannedEntry& one) { return letters_of(one.name) == letters; });
    return named != entries.end() ? *named : entries.empty() ? ScannedEntry{} : entries.front();
}

/// `typename` or the type of each parameter of the template in front of `name`.
std::vector<std::string> type_parameters(const std::string& code, const std::string& name) {
    std::size_t at = code.find("__global__");
    while (at != std::string::npos) {
        const std::size_t end = code.find_first_of("{;", at);
        if (code.substr(at, end - at).find(name) != std::string::npos) {
            break;
        }
        at = code.find("__global__", at + 1);
    }
    const std::size_t begin = at == std::string::npos ? at : code.rfind("template", at);
    if (begin == std::string::npos) {
        return {};
    }
    std::vector<std::string> kinds;
    std::string word;
    std::string first;
    for (const char letter : code.substr(begin + 8, at - begin - 8)) {
        if (std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_') {
            word += letter;
            continue;
        }
        first = first.empty() ? word : first;
        word.clear();
        if ((letter == ',' || letter == '>') && !first.empty()) {
            kinds.push_back(first);
            first.clear();
        }
    }
    return kinds;
}

/// Whole numbers of a text's constants and macros, by name.
class Constants {
public:
    explicit Constants(const SourceClosure& closure) {
        for (const auto& [file, text] : closure.texts()) {
            code_.push_back(without_comments(text));
        }
    }

    /// The number that a word stands for.
    [[nodiscard]] std::optional<std::uint64_t> value(std::string word, int depth = 0) const {
        std::erase_if(word, [](unsigned char c) { return std::isspace(c) != 0 || c == '(' || c == ')'; });
        while (!word.empty() && (std::tolower(word.back()) == 'l' || std::tolower(word.back()) == 'u')) {
            word.pop_back();
        }
        std::uint64_t number = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (error == std::errc{} && end == word.data() + word.size()) {
            return number;
        }
        return word.empty() || depth > 4 ? std::nullopt : defined(word, depth);
    }

private:
    /// #define NAME value, or NAME = value.
    [[nodiscard]] std::optional<std::uint64_t> defined(const std::string& name, int depth) const {
        for (const std::string& code : code_) {
            for (std::size_t at = code.find(name); at != std::string::npos; at = code.find(name, at + 1)) {
                const std::size_t behind = at + name.size();
                if (is_part_of_a_word(code, at, behind)) {
                    continue;
                }
                std::size_t begin = code.find_first_not_of(" \t", behind);
                const bool macro = at >= 8 && code.compare(at - 8, 8, "#define ") == 0;
                if (begin == std::string::npos ||
                    (!macro && (code[begin] != '=' || code[begin + 1] == '='))) {
                    continue;
                }
                begin += macro ? 0 : 1;
                const std::size_t end = std::min(code.find_first_of(";,\n}", begin), code.size());
                if (const auto number = value(code.substr(begin, end - begin), depth + 1)) {
                    return number;
                }
            }
        }
        return std::nullopt;
    }

    static bool is_part_of_a_word(const std::string& code, std::size_t at, std::size_t behind) {
        const auto is_letter = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
        };
        return (at > 0 && is_letter(code[at - 1])) || (behind < code.size() && is_letter(code[behind]));
    }

    std::vector<std::string> code_;
};

}  // namespace

OperatorKernel operator_kernel(const LibraryOperator& one, const std::string& file) {
    const std::vector<fs::path> sources = kernel_sources(one);
    if (sources.empty()) {
        throw UserError{"{}: {} has no kernel for this chip in op_kernel", one.folder.string(), one.type};
    }
    const std::string letters = letters_of(one.type);
    const auto by_stem = [&](const std::string& name) {
        return std::ranges::find_if(
            sources, [&](const fs::path& source) { return letters_of(source.stem().string()) == name; });
    };
    auto found = file.empty() ? sources.end() : by_stem(letters_of(file));
    found = found == sources.end() ? by_stem(letters) : found;
    if (found == sources.end()) {
        found = std::ranges::find_if(sources, [&](const fs::path& source) {
            return letters_of(entry_of(process::text_of(source), letters).name) == letters;
        });
    }
    if (found == sources.end() && sources.size() == 1) {
        found = sources.begin();
    }
    if (found == sources.end()) {
        throw UserError{"{}: none of its kernel files is named like {} (they are: {})",
                        (one.folder / "op_kernel").string(),
                        one.type,
                        fmt::join(std::vector<std::string>(sources.begin(), sources.end()), ", ")};
    }
    const std::string text = process::text_of(*found);
    OperatorKernel kernel{.source = *found, .entry = entry_of(text, letters), .type_parameters = {}};
    if (kernel.entry.is_template) {
        kernel.type_parameters = type_parameters(without_comments(text), kernel.entry.name);
    }
    return kernel;
}

std::optional<CoreUse> cores_of_key(const fs::path& source,
                                    std::uint64_t key,
                                    const Installation& installation) {
    const SourceClosure closure{
        source, provided_folders(installation), cache_folder_of("projects/keys", source)};
    const Constants constants{closure};
    for (const auto& [file, text] : closure.texts()) {
        const std::string code = without_comments(text);
        for (Call call = find_call(code, "KERNEL_TASK_TYPE"); call.end != std::string::npos;
             call = find_call(code, "KERNEL_TASK_TYPE", call.end)) {
            if (call.arguments.size() == 2 && constants.value(call.arguments[0]) == key) {
                return task_type_cores(call.arguments[1]);
            }
        }
    }
    return std::nullopt;
}

}  // namespace ascendsim::toolchain
