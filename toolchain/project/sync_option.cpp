// SPDX-License-Identifier: Apache-2.0
#include "toolchain/project/sync_option.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/base/error.hpp"
#include "sim/base/lower_case.hpp"
#include "sim/base/nesting.hpp"
#include "sim/process/file_text.hpp"
#include "toolchain/project/cmake_project.hpp"
#include "toolchain/project/cmake_text.hpp"
#include "toolchain/scan/source_closure.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Words = std::vector<std::string>;

constexpr std::string_view option_name = "-cce-auto-sync";  // one dash more in front is usual

/// What running text says of the option: nothing if it does not name it, or says both.
std::optional<bool> said_by_text(std::string_view text) {
    std::optional<bool> result;
    for (std::size_t at = text.find(option_name); at != std::string_view::npos;
         at = text.find(option_name, at + 1)) {
        const std::string_view rest = text.substr(at + option_name.size());
        const std::string_view value =
            rest.substr(0, rest.find_first_not_of("=-_abcdefghijklmnopqrstuvwxyz$"));
        const bool on = value.empty() || value == "=on";
        if (!on && value != "=off") {
            continue;  // --cce-auto-sync-log, a variable
        }
        if (result && *result != on) {
            return std::nullopt;
        }
        result = on;
    }
    return result;
}

/// What the last of some words says that says anything.
std::optional<bool> said_by(const Words& words) {
    std::optional<bool> result;
    for (const std::string& word : words) {
        if (const std::optional<bool> said = said_by_text(word)) {
            result = said;
        }
    }
    return result;
}

/// An operator's name without what its spellings differ in: AddCustom, add_custom.
std::string plain_name(std::string_view name) {
    std::string plain = lower(name);
    std::erase(plain, '_');
    return plain;
}

/// True if `unit`, as in ascend910b or Ascend910B1, is a chip of `arch`.
bool is_unit_of(std::string_view unit, std::string_view arch) {
    const std::string chip = lower(unit);
    const auto names = [&chip](std::string_view part) { return chip.find(part) != std::string::npos; };
    if (arch == "2201") {
        return names("910b") || names("910_93") || names("910c");
    }
    if (arch == "1001") {
        return chip == "ascend910" || chip == "ascend910a";
    }
    return names("310");
}

/// The words of a CMake command by its keywords; those in front of the first stand under "".
class Keyed {
public:
    Keyed(const Words& words, std::span<const std::string_view> keywords) {
        std::string key;
        for (const std::string& word : words) {
            if (std::ranges::find(keywords, word) != keywords.end()) {
                key = word;
            } else {
                values_.emplace_back(key, word);
            }
        }
    }

    [[nodiscard]] Words of(std::string_view key) const {
        Words result;
        for (const auto& [name, word] : values_) {
            if (name == key) {
                result.push_back(word);
            }
        }
        return result;
    }

private:
    std::vector<std::pair<std::string, std::string>> values_;
};

/// Something that a file says of one operator, or of all.
struct Statement {
    bool on = true;
    bool of_all = false;
    std::string origin;
};

/// Looks through the files of a project, from the source's folder to the project's root.
class SyncFinder {
public:
    SyncFinder(const fs::path& source, std::string_view arch) : arch_{arch} {
        source_ = fs::absolute(source).lexically_normal();
        root_ = project_root(source_);
        std::string stem = plain_name(source_.stem().string());
        names_.push_back(stem);
        if (stem.starts_with("test")) {
            names_.push_back(stem.substr(4));
        }
        for (fs::path folder = source_.parent_path();; folder = folder.parent_path()) {
            folders_.push_back(folder);
            if (fs::is_directory(folder / "op_kernel") && folder.filename() != "ut") {
                operator_project_ = operator_project_ || fs::is_directory(folder / "op_host");
                names_.push_back(plain_name(folder.filename().string()));
            }
            if (folder == root_ || folder == folder.parent_path()) {
                break;
            }
        }
    }

    [[nodiscard]] bool is_operator_project() const { return operator_project_; }

    /// Of the operator alone, else of all operators; nearer files first.
    [[nodiscard]] std::optional<Statement> of_operator() {
        for (const fs::path& folder : folders_) {
            for (const char* part : {"", "op_kernel", "op_host"}) {
                read_cmake(folder / part / "CMakeLists.txt");
                read_json(folder / part);
            }
        }
        const auto own = std::ranges::find(statements_, false, &Statement::of_all);
        return own != statements_.end() ? std::optional{*own}
               : !statements_.empty()   ? std::optional{statements_.front()}
                                        : std::nullopt;
    }

    /// A script or definition that names the option, always in the same way.
    [[nodiscard]] std::optional<Statement> of_scripts() const {
        static constexpr std::array<std::string_view, 8> files{
            "setup.py", "build.sh", "compile.sh", "run.sh", "build.py", "compile.py", "Makefile", "makefile"};
        for (const fs::path& folder : folders_) {
            for (const std::string_view file : files) {
                if (const auto said = said_in(folder / file)) {
                    return Statement{.on = *said, .origin = shown(folder / file)};
                }
            }
            for (const fs::path& file : files_in(folder / "op_host", "_def.cpp")) {
                if (const auto said = said_in(file)) {
                    return Statement{.on = *said, .origin = shown(file)};
                }
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] std::string shown(const fs::path& file) const {
        return file.lexically_relative(root_).generic_string();
    }

    [[nodiscard]] const fs::path& root() const { return root_; }

private:
    static std::vector<fs::path> files_in(const fs::path& folder, std::string_view ending) {
        std::vector<fs::path> files;
        std::error_code missing;
        for (const fs::directory_entry& entry : fs::directory_iterator{folder, missing}) {
            if (entry.path().filename().string().ends_with(ending) && entry.is_regular_file(missing)) {
                files.push_back(entry.path());
            }
        }
        std::ranges::sort(files);
        return files;
    }

    [[nodiscard]] bool is_own(std::string_view name) const {
        return std::ranges::find(names_, plain_name(name)) != names_.end();
    }

    [[nodiscard]] bool concerns_chip(const Words& units) const {
        return units.empty() ||
               std::ranges::any_of(units, [&](const std::string& unit) { return is_unit_of(unit, arch_); });
    }

    void read_cmake(const fs::path& file) {
        std::vector<Statement> found;
        for (const CmakeCommand& command : cmake_commands(process::text_of(file))) {
            std::optional<Statement> statement;
            if (command.name == "add_ops_compile_options" || command.name == "npu_op_kernel_options") {
                statement = of_options(command);
            } else if (command.name == "add_kernel_sources") {
                statement = of_kernel_sources(command, file);
            }
            if (statement) {
                statement->origin = fmt::format("{}: {}", shown(file), command.name);
                found.insert(found.begin(), *statement);  // the later one counts
            }
        }
        statements_.insert(statements_.end(), found.begin(), found.end());
    }

    /// add_ops_compile_options(NAME|ALL [COMPUTE_UNIT …] OPTIONS …), the name behind OP_NAME in some
    /// libraries; npu_op_kernel_options(TARGET NAME|ALL OPTIONS …).
    [[nodiscard]] std::optional<Statement> of_options(const CmakeCommand& command) const {
        static constexpr std::array<std::string_view, 4> keywords{
            "OP_NAME", "COMPUTE_UNIT", "COMPUTE_UNITS", "OPTIONS"};
        const Keyed words{command.arguments, keywords};
        Words names = words.of("OP_NAME");
        const Words first = words.of("");
        names.insert(names.end(), first.begin(), first.end());
        const bool of_all = std::ranges::find(names, "ALL") != names.end();
        const bool own = std::ranges::any_of(names, [&](const std::string& name) { return is_own(name); });
        Words units = words.of("COMPUTE_UNIT");
        const Words more = words.of("COMPUTE_UNITS");
        units.insert(units.end(), more.begin(), more.end());
        const std::optional<bool> on = said_by(words.of("OPTIONS"));
        return on && (of_all || own) && concerns_chip(units)
                   ? std::optional{Statement{.on = *on, .of_all = !own, .origin = {}}}
                   : std::nullopt;
    }

    /// add_kernel_sources([KERNEL_SRC FILE] [COMPUTE_UNITS …] [AUTO_SYNC false] [OPTIONS …]) of the operator
    /// in whose folder it stands.
    [[nodiscard]] std::optional<Statement> of_kernel_sources(const CmakeCommand& command,
                                                             const fs::path& file) const {
        static constexpr std::array<std::string_view, 6> keywords{
            "KERNEL_SRC", "SIMPLIFIED_KEY", "AUTO_SYNC", "IMPL_MODE", "COMPUTE_UNITS", "OPTIONS"};
        const Keyed words{command.arguments, keywords};
        const fs::path folder = file.parent_path();
        const fs::path op = folder.filename() == "op_kernel" ? folder.parent_path() : folder;
        if (!is_own(op.filename().string()) || !concerns_chip(words.of("COMPUTE_UNITS"))) {
            return std::nullopt;
        }
        const std::optional<bool> option = said_by(words.of("OPTIONS"));
        const Words said = words.of("AUTO_SYNC");
        const bool off = !said.empty() && lower(said.front()) == "false";
        return Statement{.on = option.value_or(!off), .origin = {}};
    }

    /// `auto_sync` or the option in JSON files that describe the operator.
    void read_json(const fs::path& folder) {
        constexpr std::uintmax_t most = 1 << 20;  // B; larger ones are data
        for (const fs::path& file : files_in(folder, ".json")) {
            std::error_code error;
            if (fs::file_size(file, error) > most) {
                continue;
            }
            const std::string text = process::text_of(file);
            const json content =
                nested_deeper(text) ? json{} : json::parse(text, nullptr, false, /*ignore_comments=*/true);
            if (const auto on = said_by_json(content)) {
                statements_.push_back({.on = *on, .origin = shown(file)});
            }
        }
    }

    [[nodiscard]] std::optional<bool> said_by_json(const json& content) const {
        if (content.is_string()) {
            return said_by_text(content.get_ref<const std::string&>());
        }
        if (content.is_object()) {
            for (const char* key : {"name", "op", "op_type", "opType"}) {
                const auto name = content.find(key);
                if (name != content.end() && name->is_string() && !is_own(name->get<std::string>())) {
                    return std::nullopt;  // of another operator
                }
            }
            if (const auto sync = content.find("auto_sync"); sync != content.end() && sync->is_boolean()) {
                return sync->get<bool>();
            }
        }
        for (const json& part : content.is_structured() ? content : json::array()) {
            if (const auto on = said_by_json(part)) {
                return on;
            }
        }
        return std::nullopt;
    }

    static std::optional<bool> said_in(const fs::path& file) {
        std::string code;
        const std::string text = process::text_of(file);
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            const std::string line = text.substr(at, end - at);
            const std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
            const bool comment = line.substr(first, 1) == "#" || line.substr(first, 2) == "//";
            code += comment ? std::string{} : line + "\n";
            at = end + 1;
        }
        return said_by_text(code);
    }

    fs::path source_;
    fs::path root_;
    std::string arch_;
    std::vector<fs::path> folders_;   // from the source's up to the root
    std::vector<std::string> names_;  // that the operator may have, plain
    std::vector<Statement> statements_;
    bool operator_project_ = false;
};

/// True if a CMake file asks for the language ASC, the vendor's for sources with kernels.
bool has_language_asc(const fs::path& file) {
    return std::ranges::any_of(cmake_commands(process::text_of(file)), [](const CmakeCommand& command) {
        const bool asks =
            command.name == "project" || command.name == "find_package" || command.name == "enable_language";
        return asks && std::ranges::find(command.arguments, "ASC") != command.arguments.end();
    });
}

}  // namespace

std::optional<bool> sync_option_of(std::span<const std::string> flags) {
    std::optional<bool> result;
    for (const std::string& flag : flags) {
        const std::size_t dashes = std::min(flag.find_first_not_of('-'), flag.size());
        const std::string_view word = std::string_view{flag}.substr(dashes == 2 ? 1 : 0);
        if (dashes > 2 || !word.starts_with(option_name) || word.starts_with("-cce-auto-sync-log")) {
            continue;
        }
        result = said_by_text(word);
        if (!result) {
            throw UserError{"{}: must be --cce-auto-sync=on or --cce-auto-sync=off", flag};
        }
    }
    return result;
}

std::vector<std::string> without_sync_options(const std::vector<std::string>& flags) {
    std::vector<std::string> result;
    for (const std::string& flag : flags) {
        if (flag.starts_with("--cce-auto-sync") || flag.starts_with("-cce-auto-sync")) {
            continue;
        }
        if (flag == "-api-deps-filter" && !result.empty() && result.back() == "-mllvm") {
            result.pop_back();
            continue;
        }
        result.push_back(flag);
    }
    return result;
}

SyncOption sync_option_of_project(const fs::path& source, std::string_view arch, const Words& given) {
    SyncFinder finder{source, arch};
    if (const std::optional<Statement> found = finder.of_operator()) {
        return {.on = found->on, .stated = true, .origin = found->origin};
    }
    const CmakeNotes notes = cmake_notes(source, finder.root(), given);
    if (const std::optional<bool> on = said_by(notes.options)) {
        return {.on = *on, .stated = true, .origin = finder.shown(notes.file)};
    }
    if (const std::optional<Statement> found = finder.of_scripts()) {
        return {.on = found->on, .stated = true, .origin = found->origin};
    }
    if (notes.kernel_launch) {
        return {.on = true, .stated = true, .origin = finder.shown(notes.file) + ": a kernel-launch project"};
    }
    if (finder.is_operator_project()) {
        return {.on = true, .stated = true, .origin = "an operator project, which has it on"};
    }
    if (source.extension() == ".asc") {
        return {.on = true, .stated = true, .origin = "a .asc source, which has it on"};
    }
    if (has_language_asc(finder.root() / "CMakeLists.txt")) {
        return {.on = true,
                .stated = true,
                .origin = finder.shown(finder.root() / "CMakeLists.txt") + ": a project in the language ASC"};
    }
    return {.on = false, .stated = false, .origin = "no project around the source says"};
}

}  // namespace ascendsim::toolchain
