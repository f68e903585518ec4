// SPDX-License-Identifier: Apache-2.0
#include "toolchain/project/operator_library.hpp"

#include <algorithm>
#include <cctype>
#include <concepts>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <tuple>

#include "sim/base/error.hpp"
#include "sim/base/missing_file.hpp"
#include "sim/process/file_text.hpp"
#include "toolchain/scan/entry_scan.hpp"
#include "toolchain/scan/source_closure.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view experiments_folder = "experimental";

/// Folders without an operator's definition and kernels.
bool holds_no_operator(const fs::path& folder) {
    return is_aside(folder) || folder.filename() == "op_api";
}

/// arch35 and others: the number of a generation.
bool is_arch(std::string_view name) {
    return name.starts_with("arch") && name.size() > 4 &&
           std::ranges::all_of(name.substr(4), [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// Generations that no chip here is of.
bool is_later_arch(const std::string& name) {
    return is_arch(name) && name > "arch32";
}

/// The quoted names of AddConfig; "…" through a variable are all that look like a chip.
std::vector<std::string> chips_of(const std::string& code) {
    std::set<std::string> found;
    for (std::size_t at = code.find("\"ascend"); at != std::string::npos;
         at = code.find("\"ascend", at + 1)) {
        const std::size_t end = code.find('"', at + 1);
        if (end != std::string::npos) {
            found.insert(code.substr(at + 1, end - at - 1));
        }
    }
    return {found.begin(), found.end()};
}

void add_operators(const fs::path& source, std::vector<LibraryOperator>& all) {
    const std::string text = process::text_of(source);
    if (text.find("OP_ADD") == std::string::npos) {
        return;
    }
    const std::string code = without_comments(text);
    fs::path folder = source.parent_path();
    while (folder.has_relative_path() && folder.filename() != "op_host") {
        folder = folder.parent_path();
    }
    for (Call call = find_call(code, "OP_ADD"); call.end != std::string::npos;
         call = find_call(code, "OP_ADD", call.end)) {
        if (!call.arguments.empty()) {
            all.push_back({.type = call.arguments.front(),
                           .folder = folder.parent_path(),
                           .definition = source,
                           .chips = chips_of(code)});
        }
    }
}

/// Words between brackets of a CMake command, their quotes taken off.
std::vector<std::string> cmake_words(const Call& call) {
    std::vector<std::string> words;
    for (const std::string& argument : call.arguments) {
        std::istringstream stream{argument};
        for (std::string word; stream >> word;) {
            std::erase(word, '"');
            for (std::size_t at = 0; at <= word.size();) {
                const std::size_t end = std::min(word.find(';', at), word.size());
                words.push_back(word.substr(at, end - at));
                at = end + 1;
            }
        }
    }
    return words;
}

/// The values of set(NAME value…) in an operator's CMake files.
std::vector<std::string> cmake_list(const std::string& text, const std::string& name) {
    for (Call call = find_call(text, "set"); call.end != std::string::npos;
         call = find_call(text, "set", call.end)) {
        std::vector<std::string> words = cmake_words(call);
        if (!words.empty() && words.front() == name) {
            words.erase(words.begin());
            return words;
        }
    }
    return {};
}

std::string cmake_text(const LibraryOperator& one) {
    std::string all;
    for (const char* place : {"CMakeLists.txt", "op_host/CMakeLists.txt"}) {
        std::istringstream stream{process::text_of(one.folder / place)};
        for (std::string line; std::getline(stream, line);) {
            all += line.substr(0, line.find('#')) + "\n";
        }
    }
    return all;
}

/// The folder of tiling sources for a chip, by the lists of chips and of folders that go together.
std::string tiling_folder(const LibraryOperator& one, const std::string& chip) {
    const std::string text = cmake_text(one);
    const std::vector<std::string> chips = cmake_list(text, "SUPPORT_COMPUTE_UNIT");
    const std::vector<std::string> folders = cmake_list(text, "SUPPORT_TILING_DIR");
    const auto at = static_cast<std::size_t>(std::ranges::find(chips, chip) - chips.begin());
    if (at < folders.size() && is_arch(folders[at])) {
        return folders[at];
    }
    return folders.empty() ? "arch22" : std::string{};
}

bool is_host_code(const fs::path& file) {
    if (file.extension() != ".cpp" && file.extension() != ".cc") {
        return false;
    }
    const std::string name = file.filename().string();
    if (name.find("fallback") != std::string::npos || name.find("aicpu") != std::string::npos) {
        return false;
    }
    if (name.find("_tiling") != std::string::npos || name.find("tiling_") != std::string::npos) {
        return true;
    }
    const std::string text = process::text_of(file);
    return text.find("aclnn/") == std::string::npos &&
           (text.find("OP_ADD") != std::string::npos || text.find("IMPL_OP") != std::string::npos ||
            text.find("_TILING_TEMPLATE") != std::string::npos);
}

void add_files(const fs::path& folder, bool deep, std::set<fs::path>& files) {
    std::error_code error;
    fs::recursive_directory_iterator walk{folder, error};
    for (; !error && walk != fs::recursive_directory_iterator{}; walk.increment(error)) {
        if (walk->is_directory(error)) {
            if (!deep || holds_no_operator(walk->path()) || is_arch(walk->path().filename().string())) {
                walk.disable_recursion_pending();
            }
        } else if (is_host_code(walk->path())) {
            files.insert(walk->path());
        }
    }
}

/// The path with the folder of this generation in the place of a variable that it begins with, as in
/// ${ARCH}/norm_tiling.cpp of a loop over generations; as it is if there is no such file.
std::string of_this_arch(const fs::path& host, const std::string& word) {
    const std::size_t end = word.starts_with("${") ? word.find("}/") : std::string::npos;
    if (end != std::string::npos) {
        for (const std::string_view arch : {"arch32", "arch22"}) {
            const std::string named = std::string{arch} + word.substr(end + 1);
            if (fs::is_regular_file(host / named)) {
                return named;
            }
        }
    }
    return word;
}

/// Sources that op_host/CMakeLists.txt names, as target_sources does of what lies in other folders.
void add_named(const LibraryOperator& one, std::set<fs::path>& files) {
    const fs::path host = one.folder / "op_host";
    std::string text;
    std::istringstream stream{process::text_of(host / "CMakeLists.txt")};
    for (std::string line; std::getline(stream, line);) {
        text += line.substr(0, line.find('#')) + "\n";
    }
    for (Call call = find_call(text, "target_sources"); call.end != std::string::npos;
         call = find_call(text, "target_sources", call.end)) {
        for (std::string word : cmake_words(call)) {
            for (const std::string_view here :
                 {"${CMAKE_CURRENT_SOURCE_DIR}/", "${CMAKE_CURRENT_LIST_DIR}/"}) {
                word.erase(0, word.starts_with(here) ? here.size() : 0);
            }
            word = of_this_arch(host, word);
            const fs::path named{word};
            const bool later =
                std::ranges::any_of(named, [](const fs::path& step) { return is_later_arch(step.string()); });
            const bool aside = word.find('$') != std::string::npos ||
                               word.find("op_api/") != std::string::npos ||
                               word.find("fallback") != std::string::npos;
            const fs::path file = (host / named).lexically_normal();
            if (named.extension() == ".cpp" && !later && !aside && fs::is_regular_file(file)) {
                files.insert(file);
            }
        }
    }
}

/// True if a text registers functions for a type, by itself or by a macro of its own that gets its name.
bool registers(const std::string& text, const std::string& type) {
    if (text.find("IMPL_OP") == std::string::npos) {
        return false;
    }
    const std::string code = without_comments(text);
    for (std::size_t at = code.find(type); at != std::string::npos; at = code.find(type, at + 1)) {
        const std::size_t behind = code.find_first_not_of(" \t", at + type.size());
        const bool alone = at > 0 && (code[at - 1] == '(' || code[at - 1] == ' ' || code[at - 1] == ',');
        if (alone && behind != std::string::npos && (code[behind] == ')' || code[behind] == ',')) {
            return true;
        }
    }
    return false;
}

/// Sources in the folders beside the operator's that register something for it, as those of a family do.
void add_of_the_family(const LibraryOperator& one, std::set<fs::path>& files) {
    std::error_code error;
    for (const fs::directory_entry& folder : fs::directory_iterator{one.folder.parent_path(), error}) {
        for (const fs::directory_entry& file : fs::directory_iterator{folder.path() / "op_host", error}) {
            if (is_host_code(file.path()) && registers(process::text_of(file.path()), one.type)) {
                files.insert(file.path());
            }
        }
    }
}

/// Sources of tiling in the operators that an operator's build depends on, as its CMake files list them
/// (<operator>_depends): classes that both use may lie in several files. What registers is theirs alone.
void add_depended(const LibraryOperator& one, std::set<fs::path>& files) {
    const fs::path root = one.folder.parent_path().parent_path();
    for (const std::string& word : cmake_list(cmake_text(one), one.folder.filename().string() + "_depends")) {
        std::error_code error;
        for (const fs::directory_entry& file : fs::directory_iterator{root / word / "op_host", error}) {
            const std::string name = file.path().filename().string();
            if (file.path().extension() == ".cpp" && name.find("_tiling") != std::string::npos &&
                process::text_of(file.path()).find("IMPL_OP") == std::string::npos) {
                files.insert(file.path());
            }
        }
    }
}

/// The first that `means` holds for and that is for the chip, else the first that it holds for; null if there
/// is none.
template <std::predicate<const LibraryOperator&> Means>
const LibraryOperator* chosen(const std::vector<LibraryOperator>& all,
                              const Means& means,
                              const std::string& chip) {
    const LibraryOperator* first = nullptr;
    for (const LibraryOperator& one : all) {
        if (!means(one)) {
            continue;
        }
        if (one.is_for(chip)) {
            return &one;
        }
        first = first == nullptr ? &one : first;
    }
    return first;
}

}  // namespace

std::string letters_of(std::string_view name) {
    std::string letters;
    for (const char letter : name) {
        const auto code = static_cast<unsigned char>(letter);
        if (std::isalnum(code) != 0) {
            letters += static_cast<char>(std::tolower(code));
        }
    }
    return letters;
}

bool LibraryOperator::is_for(const std::string& chip) const {
    return chips.empty() || std::ranges::find(chips, chip) != chips.end();
}

std::vector<LibraryOperator> operators_in(const fs::path& given, Experiments experiments) {
    const fs::path folder = fs::absolute(given).lexically_normal();
    if (!fs::is_directory(folder)) {
        throw UserError{"{}: {}", given.string(), why_no_folder(given)};
    }
    std::vector<LibraryOperator> all;
    std::error_code error;
    fs::recursive_directory_iterator walk{folder, fs::directory_options::skip_permission_denied, error};
    for (; !error && walk != fs::recursive_directory_iterator{}; walk.increment(error)) {
        if (walk->is_directory(error)) {
            const bool experiment =
                experiments == Experiments::left_out && walk->path().filename() == experiments_folder;
            if (experiment || holds_no_operator(walk->path()) || is_arch(walk->path().filename().string())) {
                walk.disable_recursion_pending();
            }
        } else if (walk->path().extension() == ".cpp" &&
                   walk->path().string().find("/op_host/") != std::string::npos) {
            add_operators(walk->path(), all);
        }
    }
    for (LibraryOperator& one : all) {
        const fs::path below = one.folder.lexically_relative(folder);
        one.experimental = std::ranges::find(below, fs::path{experiments_folder}) != below.end();
    }
    std::ranges::sort(all, {}, [](const LibraryOperator& one) {
        return std::tuple{one.type, one.experimental, one.folder};
    });
    return all;
}

std::vector<LibraryOperator> some_operators_in(const fs::path& folder) {
    std::vector<LibraryOperator> all = operators_in(folder, Experiments::taken);
    if (all.empty()) {
        throw UserError{"{}: holds no operator (OP_ADD in a source below a folder op_host)", folder.string()};
    }
    return all;
}

LibraryOperator operator_named(const std::string& name, const fs::path& folder, const std::string& chip) {
    const std::vector<LibraryOperator> all = some_operators_in(folder);
    std::string letters = letters_of(name);
    if (letters.starts_with("aclnn")) {
        letters.erase(0, 5);
    }
    const auto by_type = [&](const LibraryOperator& one) { return letters_of(one.type) == letters; };
    const auto by_folder = [&](const LibraryOperator& one) {
        return letters_of(one.folder.filename().string()) == letters;
    };
    if (const LibraryOperator* const found = chosen(all, by_type, chip)) {
        return *found;
    }
    if (const LibraryOperator* const found = chosen(all, by_folder, chip)) {
        return *found;
    }
    std::vector<std::string> names;
    std::ranges::transform(all, std::back_inserter(names), &LibraryOperator::type);
    throw UserError{"'{}' is no operator of {}{} ('ascendsim op --list {}' names its {})",
                    name,
                    folder.string(),
                    nearest_hint(camel_case(name), names),
                    folder.string(),
                    names.size()};
}

std::string library_chip(const std::string& chip) {
    return chip.starts_with("910b")   ? "ascend910b"
           : chip.starts_with("910c") ? "ascend910_93"
           : chip.starts_with("310p") ? "ascend310p"
           : chip.starts_with("310")  ? "ascend310"
           : chip.starts_with("910")  ? "ascend910"
                                      : "ascend910b";
}

std::vector<fs::path> kernel_sources(const LibraryOperator& one) {
    std::vector<fs::path> files;
    std::error_code error;
    fs::recursive_directory_iterator walk{one.folder / "op_kernel", error};
    for (; !error && walk != fs::recursive_directory_iterator{}; walk.increment(error)) {
        if (walk->is_directory(error)) {
            const std::string name = walk->path().filename().string();
            if (holds_no_operator(walk->path()) || is_later_arch(name)) {
                walk.disable_recursion_pending();
            }
        } else if (walk->path().extension() == ".cpp" &&
                   process::text_of(walk->path()).find("__global__") != std::string::npos) {
            files.push_back(walk->path());
        }
    }
    std::ranges::sort(files);
    return files;
}

std::vector<fs::path> host_sources(const LibraryOperator& one, const std::string& chip) {
    const fs::path host = one.folder / "op_host";
    std::set<fs::path> files{one.definition};
    add_files(host, false, files);
    add_files(host / "op_tiling", true, files);
    if (const std::string arch = tiling_folder(one, chip); !arch.empty()) {
        add_files(host / arch, false, files);
        add_files(host / "op_tiling" / arch, true, files);
    }
    add_named(one, files);
    add_of_the_family(one, files);
    add_depended(one, files);
    return {files.begin(), files.end()};
}

}  // namespace ascendsim::toolchain
