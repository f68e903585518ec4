// SPDX-License-Identifier: Apache-2.0
#include "toolchain/project/unit_test_project.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "sim/base/lower_case.hpp"
#include "sim/process/file_kind.hpp"
#include "toolchain/scan/entry_scan.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

constexpr std::string_view blanks = " \t\r\n";

std::string without_cmake_comments(std::string_view text) {
    std::string result;
    bool quoted = false;
    bool comment = false;
    for (const char letter : text) {
        comment = letter == '\n' ? false : comment || (letter == '#' && !quoted);
        quoted = quoted != (letter == '"' && !comment);
        result += comment ? ' ' : letter;
    }
    return result;
}

/// Words up to the closing bracket; `at` is behind the opening one and moves behind the closing one.
Words words_of_call(std::string_view text, std::size_t& at) {
    Words words;
    while (at < text.size() && text[at] != ')') {
        if (blanks.find(text[at]) != std::string_view::npos) {
            ++at;
            continue;
        }
        const bool quoted = text[at] == '"';
        const std::size_t first = quoted ? at + 1 : at;
        const std::size_t end = quoted ? text.find('"', first) : text.find_first_of(" \t\r\n)\"", first);
        words.emplace_back(text.substr(first, end - first));
        at = end == std::string_view::npos ? text.size() : end + (quoted ? 1 : 0);
    }
    at = std::min(at + 1, text.size());
    return words;
}

/// The text with ${NAME} replaced where NAME is known.
std::string put_in(std::string text, const std::map<std::string, std::string>& variables) {
    constexpr int deepest = 8;  // variables within variables
    for (int depth = 0; depth < deepest; ++depth) {
        const std::string before = text;
        for (const auto& [name, value] : variables) {
            const std::string place = "${" + name + "}";
            for (std::size_t at = text.find(place); at != std::string::npos;
                 at = text.find(place, at + value.size())) {
                text.replace(at, place.size(), value);
            }
        }
        if (text == before) {
            break;
        }
    }
    return text;
}

/// Calls `each(name, words)` for the commands of a CMake text whose name `wanted` takes.
template <class Wanted, class Each>
void each_command(std::string_view text, const Wanted& wanted, const Each& each) {
    std::size_t behind_last = 0;
    each_word(text, [&](std::string_view word, std::size_t behind) {
        std::size_t at = text.find_first_not_of(blanks, behind);
        if (behind <= behind_last || at == std::string_view::npos || text[at] != '(' || !wanted(word)) {
            return;
        }
        ++at;
        const Words words = words_of_call(text, at);
        behind_last = at;
        each(words);
    });
}

/// What test builds call the chips of an architecture.
bool is_for(const Words& words, std::string_view arch) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> names{
        {{"2201", "ascend910b"},
         {"2201", "ascend910_93"},
         {"2201", "ascend_compute_unit"},
         {"2002", "ascend310p"}}};
    return std::ranges::any_of(words, [&](const std::string& word) {
        return std::ranges::any_of(names, [&](const auto& name) {
            return name.first == arch && lower(word).find(name.second) != std::string::npos;
        });
    });
}

/// The operator that a test case is for; empty where the call leaves it to the folder.
std::string operator_of(const Words& words) {
    const std::size_t at = !words.empty() && words[0] == "OP_NAME" ? 1 : 0;
    return words.size() > at && !lower(words[at]).starts_with("ascend") ? words[at] : std::string{};
}

/// The call that adds the test: for the chip, and if possible of the test's own name.
Words case_of(const fs::path& test, const fs::path& op_folder, std::string_view arch) {
    for (fs::path folder = test.parent_path(); folder != op_folder.parent_path();
         folder = folder.parent_path()) {
        std::vector<Words> cases = test_cases(process::text_of(folder / "CMakeLists.txt"));
        std::erase_if(cases, [&](const Words& words) { return !is_for(words, arch); });
        if (cases.empty()) {
            continue;
        }
        for (Words& words : cases) {
            for (std::string& word : words) {
                word = put_in(word, {{"CMAKE_CURRENT_SOURCE_DIR", folder.string()}});
            }
        }
        const auto own = std::ranges::find_if(
            cases, [&](const Words& words) { return "test_" + operator_of(words) == test.stem().string(); });
        return own == cases.end() ? cases.front() : *own;
    }
    return {};
}

/// True for a macro that stands for a type of the interface, where the library's own stand-in headers lack
/// it.
bool stands_for_a_type(std::string_view option) {
    static constexpr std::array<std::string_view, 4> types{"half", "float16_t", "bfloat16_t", "int4b_t"};
    const std::string_view name = option.substr(2, option.find('=') - 2);
    return std::ranges::find(types, name) != types.end();
}

/// -D… of a test case's words, each of which may hold several. What only the script that makes headers reads
/// is left out.
Words definitions_of(const Words& words) {
    Words found;
    for (const std::string& word : words) {
        for (std::size_t at = 0; at < word.size();) {
            const std::size_t end = std::min(word.find_first_of(" ;\n", at), word.size());
            const std::string option = word.substr(at, end - at);
            if (option.starts_with("-D") && !option.starts_with("-DUT_CUSTOM_TILING_DATA_KEYS") &&
                !stands_for_a_type(option)) {
                found.push_back(option);
            }
            at = end + 1;
        }
    }
    return found;
}

/// Helpers: headers of the library's test folders that the test's files include, by the folders' names or by
/// the way from the file, with the source of that name.
void find_helpers(const SourceClosure& closure, UnitTestProject& project) {
    struct Include {
        fs::path from;  // the folder of the file that has it
        std::string name;
    };

    std::set<fs::path> seen;
    std::vector<Include> open;
    const auto add = [&](const fs::path& file, std::string_view text) {
        for (const std::string& name : included_names(without_comments(text))) {
            open.push_back({file.parent_path(), name});
        }
    };
    for (const auto& [file, text] : closure.texts()) {
        add(file, text);
    }
    const auto is_of_tests = [&](const fs::path& header) {
        return std::ranges::any_of(project.includes, [&](const fs::path& folder) {
            return header.string().starts_with(folder.string() + "/");
        });
    };
    while (!open.empty()) {
        const Include include = open.back();
        open.pop_back();
        std::vector<fs::path> folders = project.includes;
        folders.push_back(include.from);
        for (const fs::path& folder : folders) {
            const fs::path header = (folder / include.name).lexically_normal();
            if (!is_of_tests(header) || !process::leads_to_file(header) || !seen.insert(header).second) {
                continue;
            }
            add(header, process::text_of(header));
            const fs::path source = fs::path{header}.replace_extension(".cpp");
            if (process::leads_to_file(source)) {
                project.helpers.push_back(source);
            }
        }
    }
    std::ranges::sort(project.helpers);
}

/// The header that the build puts in front: beside the test, or the one that the test takes from another
/// operator. Libraries differ in the name they look for.
fs::path tiling_header(const fs::path& test, const std::string& op, const SourceClosure& closure) {
    const std::string rules = process::text_of(closure.root() / "cmake" / "ut.cmake");
    for (const std::string ending : {"_tiling_def.h", "_tiling.h"}) {
        if (!rules.empty() && rules.find("}" + ending) == std::string::npos) {
            continue;
        }
        if (fs::path header = test.parent_path() / (op + ending); process::leads_to_file(header)) {
            return header;
        }
    }
    for (const auto& [file, text] : closure.texts()) {
        const std::string name = file.filename().string();
        // Structs of a test's own are named so; the kernel's are others then.
        const bool own = name.starts_with("test_");
        if (!own && name.ends_with("_tiling_def.h") && file.parent_path().filename() == "op_kernel") {
            return file;
        }
    }
    return {};
}

/// True if the build file beside the test keeps the kernel's copy out: the test defines its own entries.
bool is_kept_out(const fs::path& test) {
    const std::string cmake = without_cmake_comments(process::text_of(test.parent_path() / "CMakeLists.txt"));
    return cmake.find("HEADER_FILE_ONLY TRUE") != std::string::npos;
}

/// True if the test includes a source of the folder whole, its kernel then.
bool includes_source_of(const fs::path& folder, const SourceClosure& closure) {
    return std::ranges::any_of(closure.texts(), [&](const auto& file) {
        return file.first.extension() == ".cpp" && file.first.string().starts_with(folder.string() + "/");
    });
}

/// True if the test's files name a kernel function of `kernel`; some tests bring their own.
bool names_entry_of(const fs::path& kernel, const SourceClosure& closure) {
    std::set<std::string, std::less<>> entries;
    for (const ScannedEntry& entry : scan_entries(process::text_of(kernel))) {
        entries.insert(entry.name.substr(0, entry.name.find('<')));
    }
    bool named = entries.empty();  // made by macros
    for (const auto& [file, text] : closure.texts()) {
        each_word(without_comments(text),
                  [&](std::string_view word, std::size_t) { named = named || entries.contains(word); });
    }
    return named;
}

/// The operator of a test in <operator>/tests/ut/op_kernel or below; empty for a source elsewhere.
fs::path operator_folder(const fs::path& test) {
    fs::path folder = test.parent_path();
    while (folder.has_relative_path() && folder.filename() != "op_kernel") {
        folder = folder.parent_path();
    }
    const fs::path ut = folder.parent_path();
    const bool found = ut.filename() == "ut" && ut.parent_path().filename() == "tests";
    return found ? ut.parent_path().parent_path() : fs::path{};
}

}  // namespace

std::vector<Words> test_cases(std::string_view cmake) {
    const std::string text = without_cmake_comments(cmake);
    std::map<std::string, std::string> variables;
    each_command(
        text,
        [](std::string_view name) { return lower(name) == "set"; },
        [&](const Words& words) {
            std::string value;
            for (std::size_t i = 1; i < words.size(); ++i) {
                value += (i == 1 ? "" : ";") + words[i];
            }
            if (!words.empty()) {
                variables.try_emplace(words[0], value);
            }
        });
    std::vector<Words> cases;
    each_command(
        text,
        [](std::string_view name) { return name.starts_with("Add") && name.ends_with("TestCase"); },
        [&](Words words) {
            for (std::string& word : words) {
                word = put_in(word, variables);
            }
            cases.push_back(std::move(words));
        });
    return cases;
}

std::optional<UnitTestProject> unit_test_project(const fs::path& test,
                                                 std::string_view arch,
                                                 std::vector<fs::path> provided,
                                                 const fs::path& forwards) {
    const fs::path op_folder = operator_folder(test);
    if (op_folder.empty()) {
        return std::nullopt;
    }
    UnitTestProject project;
    const fs::path root = project_root(test);
    for (const fs::path& place : {test.parent_path(),
                                  root / "tests/ut/op_kernel",
                                  root / "tests/ut/common",
                                  root / "tests/ut/framework_normal",
                                  root / "tests/ut/framework_normal/op_kernel",
                                  root / "tests/ut/framework_normal/common"}) {
        if (process::leads_to_folder(place)) {
            project.includes.push_back(place);
        }
    }
    provided.insert(provided.end(), project.includes.begin() + 1, project.includes.end());
    const SourceClosure closure{test, std::move(provided), forwards};
    const Words words = case_of(test, op_folder, arch);
    project.definitions = definitions_of(words);
    const std::string given = operator_of(words);
    const std::string op = given.empty() ? op_folder.filename().string() : given;
    for (const std::string& name : {op, op_folder.filename().string()}) {
        const fs::path kernel = op_folder / "op_kernel" / (name + ".cpp");
        if (project.kernel.empty() && process::leads_to_file(kernel)) {
            project.kernel = kernel;
        }
    }
    project.kernel_apart = !project.kernel.empty() && !is_kept_out(test) &&
                           !includes_source_of(op_folder / "op_kernel", closure) &&
                           names_entry_of(project.kernel, closure);
    find_helpers(closure, project);
    project.header = tiling_header(test, op, closure);
    return project;
}

}  // namespace ascendsim::toolchain
