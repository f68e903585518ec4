// SPDX-License-Identifier: Apache-2.0
#include "toolchain/project/cmake_project.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/base/error.hpp"
#include "sim/process/file_kind.hpp"
#include "toolchain/project/cmake_text.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

struct Target {
    bool executable = false;
    bool kernels = false;  // of ascendc_library: linked into the program
    std::set<fs::path> sources;
    std::vector<fs::path> includes;
    Words definitions;
    Words options;  // that name --cce-auto-sync
    Words linked;
};

bool is_scope(std::string_view word) {
    static constexpr std::array<std::string_view, 9> words{
        "PRIVATE", "PUBLIC", "INTERFACE", "STATIC", "SHARED", "OBJECT", "MODULE", "BEFORE", "SYSTEM"};
    return std::ranges::find(words, word) != words.end();
}

bool is_source(const fs::path& file) {
    static constexpr std::array<std::string_view, 5> endings{".cpp", ".asc", ".cc", ".cxx", ".cce"};
    return std::ranges::find(endings, file.extension().string()) != endings.end();
}

/// Names that stand for the compiler or its library, not for the sample.
bool is_of_the_compiler(std::string_view name) {
    return name.starts_with("_") || name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0;
}

/// The value of a generator expression that asks for the language, `$<$<COMPILE_LANGUAGE:ASC>:value>`; others
/// have none.
std::string without_generator(const std::string& word) {
    if (!word.starts_with("$<")) {
        return word;
    }
    constexpr std::string_view language = "$<$<COMPILE_LANGUAGE:";
    const std::size_t close = word.find(">:");
    return word.starts_with(language) && close != std::string::npos && word.ends_with(">")
               ? word.substr(close + 2, word.size() - close - 3)
               : std::string{};
}

class Reader {
public:
    Reader(const fs::path& top, const Words& given) : top_{top} {
        for (const std::string& flag : given) {
            if (const std::size_t equals = flag.find('=');
                flag.starts_with("-D") && equals != std::string::npos) {
                given_[flag.substr(2, equals - 2)] = flag.substr(equals + 1);
            }
        }
        variables_ = given_;
        variables_["CMAKE_SOURCE_DIR"] = variables_["PROJECT_SOURCE_DIR"] = top.string();
        read(top / "CMakeLists.txt", top, 0);
    }

    [[nodiscard]] const std::map<std::string, Target>& targets() const { return targets_; }

    [[nodiscard]] const Target& common() const { return common_; }

    [[nodiscard]] bool is_asc() const { return asc_; }

private:
    void read(const fs::path& file, const fs::path& folder, int depth) {
        constexpr int deepest = 4;
        if (depth > deepest) {
            return;
        }
        constexpr std::size_t most_files = 1000;
        if (++files_ > most_files) {
            throw UserError{"{}: includes more than {} files; does one include itself?",
                            (top_ / "CMakeLists.txt").string(),
                            most_files};
        }
        const fs::path outer = folder_;
        const Words open = std::exchange(blocks_, {});
        folder_ = folder;
        const auto enter = [&] {
            variables_["CMAKE_CURRENT_SOURCE_DIR"] = folder_.string();
            variables_["CMAKE_CURRENT_LIST_DIR"] = file.parent_path().string();
        };
        enter();
        for (const CmakeCommand& command : cmake_commands(process::text_of(file))) {
            if (!block(command) && !skipped()) {
                take(command, depth);
                enter();
            }
        }
        blocks_ = open;
        folder_ = outer;
    }

    /// Follows if, else, endif and bodies that are not read; true if the command was one of those.
    bool block(const CmakeCommand& command) {
        static constexpr std::array<std::string_view, 4> bodies{"function", "macro", "foreach", "while"};
        const std::string& name = command.name;
        if (name == "if") {
            blocks_.emplace_back(holds(command.arguments) ? "yes" : "no");
        } else if (name == "elseif" || name == "else") {
            if (!blocks_.empty()) {
                std::string& state = blocks_.back();
                state = state != "no" ? "done" : name == "else" || holds(command.arguments) ? "yes" : "no";
            }
        } else if (std::ranges::find(bodies, name) != bodies.end()) {
            blocks_.emplace_back("body");
        } else if (name.starts_with("end")) {
            if (!blocks_.empty()) {
                blocks_.pop_back();
            }
        } else {
            return false;
        }
        return true;
    }

    [[nodiscard]] bool skipped() const {
        return std::ranges::any_of(blocks_, [](const std::string& state) { return state != "yes"; });
    }

    [[nodiscard]] std::string value(const std::string& word) const {
        const auto found = variables_.find(word);
        return found == variables_.end() ? word : found->second;
    }

    /// Simple conditions with AND and OR between them, without brackets.
    [[nodiscard]] bool holds(const Words& words) const {
        bool all = true;
        Words one;
        for (const std::string& word : words) {
            if (word != "AND" && word != "OR") {
                one.push_back(word);
                continue;
            }
            const bool so = holds_alone(std::exchange(one, {}));
            all = all && so;
            if (word == "OR") {
                if (all) {
                    return true;
                }
                all = true;
            }
        }
        return all && holds_alone(one);
    }

    /// `A STREQUAL B`, `NOT X`, `DEFINED X`, `X`; what else there is does not hold.
    [[nodiscard]] bool holds_alone(Words words) const {
        for (std::string& word : words) {
            word = filled(word);
        }
        const bool negated = !words.empty() && words[0] == "NOT";
        if (negated) {
            words.erase(words.begin());
        }
        bool result = false;
        if (words.size() == 1) {
            const std::string is = value(words[0]);
            const bool unset = is == words[0] && is != "1" && is != "ON" && is != "TRUE";
            result = !unset && !is.empty() && is != "0" && is != "OFF" && is != "FALSE";
        } else if (words.size() == 2 && words[0] == "DEFINED") {
            result = variables_.contains(words[1]);
        } else if (words.size() == 3 && (words[1] == "STREQUAL" || words[1] == "EQUAL")) {
            result = value(words[0]) == value(words[2]);
        } else {
            return false;
        }
        return result != negated;
    }

    /// Counts letters that variables put in place. Each may hold the one before twice: 40 such lines would be
    /// a terabyte.
    void spend(std::size_t letters) const {
        constexpr std::size_t most = std::size_t{64} << 20U;
        spent_ += letters;
        if (spent_ > most) {
            throw UserError{"{}: its variables come to more than {} MiB of text; is one put into itself?",
                            (top_ / "CMakeLists.txt").string(),
                            most >> 20U};
        }
    }

    /// The text with `${NAME}` replaced, inner names first; what a variable holds is not looked into again.
    [[nodiscard]] std::string filled(std::string text) const {
        for (std::size_t at = text.rfind("${"); at != std::string::npos;
             at = at == 0 ? std::string::npos : text.rfind("${", at - 1)) {
            const std::size_t end = text.find('}', at);
            if (end == std::string::npos) {
                break;
            }
            const auto found = variables_.find(text.substr(at + 2, end - at - 2));
            spend(text.size() + (found == variables_.end() ? 0 : found->second.size()));
            text.replace(at, end + 1 - at, found == variables_.end() ? std::string{} : found->second);
        }
        return text;
    }

    /// Arguments from the `first` on, filled in and split where a variable holds a list.
    [[nodiscard]] Words list(const CmakeCommand& command, std::size_t first) const {
        Words result;
        for (std::size_t i = first; i < command.arguments.size(); ++i) {
            std::string text = filled(command.arguments[i]);
            for (std::size_t at = 0; at <= text.size();) {
                const std::size_t end = std::min(text.find(';', at), text.size());
                if (end > at) {
                    result.push_back(text.substr(at, end - at));
                }
                at = end + 1;
            }
        }
        return result;
    }

    [[nodiscard]] fs::path path(const std::string& word) const { return (folder_ / word).lexically_normal(); }

    void take(const CmakeCommand& command, int depth) {
        const Words words = list(command, 0);
        if (words.empty()) {
            return;
        }
        const std::string& name = command.name;
        asc_ = asc_ || ((name == "project" || name == "find_package" || name == "enable_language") &&
                        std::ranges::find(words, "ASC") != words.end());
        if (name == "set" || name == "option") {
            if (words[0].starts_with("CMAKE_") && words[0].ends_with("FLAGS")) {
                take_options(common_, words);
            }
            set(command, words);
        } else if (name == "list" && words.size() > 2 && words[0] == "APPEND") {
            std::string& variable = variables_[words[1]];
            variable += fmt::format(";{}", fmt::join(words.begin() + 2, words.end(), ";"));
        } else if (name == "file" && words.size() > 2 && words[0].starts_with("GLOB")) {
            glob(words);
        } else if (name == "include" && process::leads_to_file(path(words[0]))) {
            read(path(words[0]), folder_, depth + 1);
        } else if (name == "add_subdirectory" && process::leads_to_file(path(words[0]) / "CMakeLists.txt")) {
            read(path(words[0]) / "CMakeLists.txt", path(words[0]), depth + 1);
        } else {
            take_target(name, words);
        }
    }

    void set(const CmakeCommand& command, const Words& words) {
        if (given_.contains(words[0])) {
            return;
        }
        if (command.name == "option") {
            variables_[words[0]] = command.arguments.size() > 2 ? filled(command.arguments[2]) : "OFF";
            return;
        }
        const auto end = std::find_if(words.begin() + 1, words.end(), [](const std::string& word) {
            return word == "CACHE" || word == "PARENT_SCOPE";
        });
        variables_[words[0]] = fmt::format("{}", fmt::join(words.begin() + 1, end, ";"));
    }

    /// file(GLOB NAME folder/*.ending …)
    void glob(const Words& words) {
        std::set<fs::path> found;
        for (std::size_t i = 2; i < words.size(); ++i) {
            const fs::path pattern = path(words[i]);
            const std::string file = pattern.filename().string();
            std::error_code error;
            for (const fs::directory_entry& entry : fs::directory_iterator{pattern.parent_path(), error}) {
                const std::string one = entry.path().filename().string();
                const std::size_t star = file.find('*');
                if (star != std::string::npos && one.size() + 1 >= file.size() &&
                    one.starts_with(file.substr(0, star)) && one.ends_with(file.substr(star + 1))) {
                    found.insert(entry.path());
                }
            }
        }
        std::string& variable = variables_[words[1]];
        for (const fs::path& file : found) {
            variable += (variable.empty() ? "" : ";") + file.string();
        }
    }

    void take_target(const std::string& name, const Words& words) {
        const bool library = name == "add_library" || name == "ascendc_library";
        if (name == "add_executable" || library || name == "target_sources") {
            Target& target = targets_[words[0]];
            target.executable = target.executable || name == "add_executable";
            target.kernels = target.kernels || name == "ascendc_library";
            for (std::size_t i = 1; i < words.size(); ++i) {
                if (!is_scope(words[i]) && is_source(words[i])) {
                    target.sources.insert(path(words[i]));
                }
            }
        } else if (name == "target_link_libraries") {
            Words& linked = targets_[words[0]].linked;
            linked.insert(linked.end(), words.begin() + 1, words.end());
        } else if (name == "include_directories") {
            take_folders(common_, words, 0);
        } else if (name == "target_include_directories" || name == "ascendc_include_directories") {
            take_folders(targets_[words[0]], words, 1);
        } else if (name == "add_compile_definitions" || name == "add_definitions") {
            take_definitions(common_, words, 0, false);
        } else if (name == "target_compile_definitions" || name == "ascendc_compile_definitions") {
            take_definitions(targets_[words[0]], words, 1, false);
        } else if (name == "target_compile_options" || name == "ascendc_compile_options") {
            take_definitions(targets_[words[0]], words, 1, true);
            take_options(targets_[words[0]], words);
        } else if (name == "add_compile_options") {
            take_definitions(common_, words, 0, true);
            take_options(common_, words);
        }
    }

    static void take_options(Target& target, const Words& words) {
        std::ranges::copy_if(words, std::back_inserter(target.options), [](const std::string& word) {
            return word.find("-cce-auto-sync") != std::string::npos;
        });
    }

    void take_folders(Target& target, const Words& words, std::size_t first) const {
        for (std::size_t i = first; i < words.size(); ++i) {
            if (!is_scope(words[i]) && words[i][0] != '$' && process::leads_to_folder(path(words[i]))) {
                target.includes.push_back(path(words[i]));
            }
        }
    }

    /// Among options (`only_marked`) definitions are those that start with -D.
    static void take_definitions(Target& target, const Words& words, std::size_t first, bool only_marked) {
        for (std::size_t i = first; i < words.size(); ++i) {
            std::string word = without_generator(words[i]);
            const bool marked = word.starts_with("-D");
            if (is_scope(word) || (only_marked && !marked)) {
                continue;
            }
            word = marked ? word.substr(2) : word;
            if (!is_of_the_compiler(word) &&
                !word.ends_with('=')) {  // else a variable that the user is to set
                target.definitions.push_back(word);
            }
        }
    }

    fs::path top_;
    fs::path folder_;
    std::map<std::string, std::string> given_;
    std::map<std::string, std::string> variables_;
    std::size_t files_ = 0;
    mutable std::size_t spent_ = 0;
    Words blocks_;  // "yes", "no", "done" of an if; "body" of what is not read
    bool asc_ = false;
    std::map<std::string, Target> targets_;
    Target common_;
};

/// Adds what one target, or all of them, say.
void add_flags(CmakeNotes& notes, const Target& target, const Words& given) {
    for (const fs::path& folder : target.includes) {
        notes.flags.push_back("-I" + folder.string());
    }
    for (const std::string& definition : target.definitions) {
        const std::string name = "-D" + definition.substr(0, definition.find('='));
        const bool known = std::ranges::any_of(
            given, [&](const std::string& flag) { return flag.substr(0, flag.find('=')) == name; });
        if (!known) {
            notes.flags.push_back("-D" + definition);
        }
    }
    notes.options.insert(notes.options.end(), target.options.begin(), target.options.end());
    notes.kernel_launch = notes.kernel_launch || target.kernels;
}

}  // namespace

CmakeNotes cmake_notes(const fs::path& source, const fs::path& root, const Words& given) {
    CmakeNotes notes;
    const fs::path whole = fs::absolute(source).lexically_normal();
    fs::path folder = whole.parent_path();
    for (int i = 0; i < 3; ++i, folder = folder.parent_path()) {
        if (!process::leads_to_file(folder / "CMakeLists.txt")) {
            if (folder == root) {
                break;
            }
            continue;
        }
        const Reader reader{folder, given};
        for (const auto& [name, target] : reader.targets()) {
            if (!target.sources.contains(whole)) {
                continue;
            }
            notes.file = folder / "CMakeLists.txt";
            notes.kernel_launch = reader.is_asc();
            add_flags(notes, reader.common(), given);
            add_flags(notes, target, given);
            std::set<fs::path> sources = target.sources;
            for (const auto& [other, library] : reader.targets()) {
                const bool linked = std::ranges::find(target.linked, other) != target.linked.end();
                if (target.executable && !library.executable && (linked || library.kernels)) {
                    sources.insert(library.sources.begin(), library.sources.end());
                    add_flags(notes, library, given);
                }
            }
            for (const fs::path& file : sources) {
                if (target.executable && file != whole && process::leads_to_file(file)) {
                    notes.sources.push_back(file);
                }
            }
            return notes;
        }
        if (folder == root) {
            break;
        }
    }
    return notes;
}

std::string cmake_hint(const fs::path& source, const fs::path& root, const Words& given) {
    CmakeNotes notes;
    fs::path last;
    const fs::path whole = fs::absolute(source).lexically_normal();
    for (fs::path folder = whole.parent_path();; folder = folder.parent_path()) {
        try {
            if (process::leads_to_file(folder / "CMakeLists.txt")) {
                add_flags(notes, Reader{folder, given}.common(), given);
                last = folder / "CMakeLists.txt";
            }
        } catch (const UserError&) {  // one that cannot be read gives no hint
        }
        if (folder == root || !folder.has_relative_path()) {
            break;
        }
    }
    constexpr std::size_t most = 12;
    Words missing;
    for (const std::string& flag : notes.flags) {
        const bool known = std::ranges::find(given, flag) != given.end() ||
                           std::ranges::find(missing, flag) != missing.end();
        if (!known && missing.size() < most) {
            missing.push_back(flag);
        }
    }
    return missing.empty() ? std::string{}
                           : fmt::format(
                                 "\n{}, or one below it, gives all sources there more than this one got; "
                                 "options to try: {}",
                                 last.string(),
                                 fmt::join(missing, " "));
}

}  // namespace ascendsim::toolchain
