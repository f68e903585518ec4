// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/compile_table.hpp"

#include <algorithm>

#include <fmt/ranges.h>

#include "app/scenario/overrides.hpp"
#include "sim/base/error.hpp"
#include "sim/base/missing_file.hpp"
#include "sim/process/file_text.hpp"
#include "toolchain/rewrite/program_text.hpp"

namespace ascendsim::scenario {
namespace {

namespace fs = std::filesystem;

fs::path existing(const fs::path& path, const TableReader& table, std::string_view key) {
    if (!fs::exists(path)) {
        throw table.error(key, fmt::format("{}: {}", path.string(), why_unreadable(path)));
    }
    return fs::absolute(path).lexically_normal();
}

void read_table(TableReader& table, const fs::path& folder, CompileChoice& choice) {
    for (const std::string& include : table.list<std::string>("include")) {
        choice.flags.push_back("-I" + existing(folder / include, table, "include").string());
    }
    for (const std::string& define : table.list<std::string>("define")) {
        choice.flags.push_back("-D" + define);
    }
    for (const std::string& flag : table.list<std::string>("flags")) {
        choice.flags.push_back(flag);
    }
    for (const std::string& header : table.list<std::string>("headers")) {
        choice.headers.push_back(existing(folder / header, table, "headers"));
    }
    for (const std::string& source : table.list<std::string>("sources")) {
        choice.sources.push_back(existing(folder / source, table, "sources"));
    }
    for (const std::string& library : table.list<std::string>("link")) {
        choice.link.push_back(library);
    }
    if (const std::optional<Node> library = table.find("library")) {
        const auto words =
            library->is_string() ? std::vector{library->as<std::string>()} : library->list<std::string>();
        for (const std::string& word : words) {
            choice.libraries.push_back(existing(folder / word, table, "library"));
        }
    }
    if (const std::optional<Node> alone = table.find("alone")) {
        choice.alone = alone->as<bool>();
    }
    static_cast<void>(table.find("auto_sync"));  // read_sync_option() looks at it
    choice.flags = toolchain::without_sync_options(choice.flags);
}

/// What a table says of automatic synchronisation, and where in it.
std::optional<toolchain::SyncOption> stated_in(TableReader& table, const std::string& place) {
    if (const std::optional<Node> node = table.find("auto_sync")) {
        return toolchain::SyncOption{.on = node->as<bool>(), .stated = true, .origin = place};
    }
    const std::optional<bool> on = toolchain::sync_option_of(table.list<std::string>("flags"));
    return on ? std::optional{toolchain::SyncOption{.on = *on, .stated = true, .origin = place}}
              : std::nullopt;
}

bool lies_below(const fs::path& file, const fs::path& folder) {
    const fs::path way = fs::absolute(file).lexically_normal().lexically_relative(folder);
    return !way.empty() && *way.begin() != "..";
}

}  // namespace

CompileChoice read_compile(TableReader& root) {
    CompileChoice choice;
    if (std::optional<TableReader> compile = root.find_table("compile")) {
        read_table(*compile, root.node().file().folder(), choice);
        compile->finish();
    }
    if (std::optional<TableReader> command = root.find_table("command")) {
        read_table(*command, {}, choice);
        choice.arguments = command->list<std::string>("arguments");
        command->finish();
    }
    return choice;
}

std::optional<toolchain::SyncOption> read_sync_option(TableReader root_table,
                                                      const fs::path& source,
                                                      std::string_view arch,
                                                      const fs::path& shipped) {
    std::optional<toolchain::SyncOption> stated;
    std::vector<std::string> definitions;
    for (const auto& [name, place] :
         {std::pair{"compile", "[compile] of the scenario"}, {"command", "the command line"}}) {
        if (std::optional<TableReader> table = root_table.find_table(name)) {
            if (const auto here = stated_in(*table, place)) {
                stated = here;
            }
            for (const std::string& define : table->list<std::string>("define")) {
                definitions.push_back("-D" + define);
            }
        }
    }
    if (stated || lies_below(source, shipped)) {
        return stated;
    }
    return toolchain::sync_option_of_project(source, arch, definitions);
}

CoreUse read_core_use(const Node& node) {
    const auto word = node.as<std::string>();
    if (const std::optional<CoreUse> found = core_use_named(word)) {
        return *found;
    }
    const std::vector<std::string> names{core_use_names.begin(), core_use_names.end()};
    throw node.error(
        fmt::format("'{}' must be one of {}{}", word, fmt::join(names, ", "), nearest_hint(word, names)));
}

/// How the program's calls come to the device, and what its clocks show.
void read_issue(TableReader& table, runtime::HostProgram& program) {
    static const std::vector<std::string> modes{"launch", "eager", "triton", "queue", "graph"};
    if (table.find("mode")) {
        program.issue.mode = node::issue_mode(table.choice("mode", modes)).value();
    }
    if (std::optional<TableReader> jitter = table.find_table("jitter")) {
        program.issue.jitter = node::read_jitter(*jitter);
    }
    program.issue.seed = table.get_or<std::uint64_t>("seed", 1);
    constexpr double most_us = 1e9;
    constexpr double most_ppm = 1e5;
    program.clock_offset_us = table.get_or<double>("clock_offset_us", 0, {-most_us, most_us});
    program.clock_drift_ppm = table.get_or<double>("clock_drift_ppm", 0, {-most_ppm, most_ppm});
}

namespace {

/// The words that main() is given; a number is a word as well, so that one can be set, swept and tuned alone.
std::vector<std::string> words_of_main(TableReader& table) {
    std::vector<std::string> words;
    const std::optional<Node> list = table.find("arguments");
    for (const Node& item : list ? list->items() : std::vector<Node>{}) {
        if (item.is_table() || item.is_array()) {
            throw item.error("an argument is a text or a number");
        }
        words.push_back(text(item.value()));
    }
    return words;
}

}  // namespace

runtime::HostProgram read_host_program(TableReader& root, const fs::path& source) {
    CompileChoice choice = read_compile(root);
    runtime::HostProgram program{
        .sources = {.files = {source}, .flags = {}, .forced = {}, .link = {}}, .arguments = {}, .cores = {}};
    if (std::optional<TableReader> table = root.find_table("program")) {
        program.arguments = words_of_main(*table);
        program.node_name = table->get_or<std::string>("node", {});
        program.host_name = table->get_or<std::string>("host", {});
        read_issue(*table, program);
        if (const std::optional<Node> cores = table->find("cores")) {
            for (const Node& kernel : cores->members()) {
                program.cores[kernel.key()] = read_core_use(kernel);
            }
        }
        table->finish();
    }
    if (!choice.arguments.empty()) {
        program.arguments = std::move(choice.arguments);
    }
    program.sources.files.insert(program.sources.files.end(), choice.sources.begin(), choice.sources.end());
    program.sources.flags = std::move(choice.flags);
    program.sources.forced = std::move(choice.headers);
    program.sources.link = std::move(choice.link);
    program.sources.alone = choice.alone;
    program.libraries = std::move(choice.libraries);
    return program;
}

bool is_source_name(const fs::path& file) {
    static const std::vector<std::string> endings{".cpp", ".asc", ".cc", ".cxx", ".cce"};
    return std::ranges::find(endings, file.extension().string()) != endings.end();
}

bool is_program_file(const fs::path& file) {
    return toolchain::looks_like_program(process::text_of(file));
}

}  // namespace ascendsim::scenario
