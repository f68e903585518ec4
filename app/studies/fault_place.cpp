// SPDX-License-Identifier: Apache-2.0
#include "app/studies/fault_place.hpp"

#include <charconv>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

#include "toolchain/installation/installation.hpp"

namespace ascendsim::study {

namespace {

namespace fs = std::filesystem;

/// The number that `text` begins with, and removes it; nothing if there is none.
std::optional<std::uint32_t> take_number(std::string_view& text) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

/// "FILE:12" at the start of `text`, which keeps what is behind it.
std::optional<Fault> take_place(std::string_view& text) {
    for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
         colon = text.find(':', colon + 1)) {
        std::string_view rest = text.substr(colon + 1);
        if (const std::optional<std::uint32_t> line = take_number(rest); line && colon > 0) {
            Fault found{.text = {}, .file = std::string{text.substr(0, colon)}, .line = *line};
            text = rest;
            return found;
        }
    }
    return std::nullopt;
}

/// "FILE:12:5: error: no such name" of a compiler, or what of `kinds` stands in the place of error.
std::optional<Fault> message_of_compiler(std::string_view line,
                                         std::initializer_list<std::string_view> kinds) {
    std::optional<Fault> found = take_place(line);
    if (!found || found->file.find_first_of("'\"") != std::string::npos) {
        return std::nullopt;
    }
    if (line.starts_with(':')) {
        line.remove_prefix(1);
        static_cast<void>(take_number(line));  // the column
    }
    for (const std::string_view kind : kinds) {
        if (line.starts_with(kind)) {
            found->text = line.substr(kind.size());
            return found;
        }
    }
    return std::nullopt;
}

bool lies_below(const std::string& file, const fs::path& folder) {
    const std::string start = folder.string() + "/";
    return !folder.empty() && file.starts_with(start);
}

/// The first error in the folder of the source or below; else the first that is not in a file of the cache,
/// where one is in a template of ours at the place that asked for it.
std::optional<Fault> compile_error(const std::string& error) {
    const std::size_t words = error.find(": does not compile for ");
    if (words == std::string::npos || words > error.find('\n')) {
        return std::nullopt;
    }
    const fs::path sources = fs::path{error.substr(0, words)}.parent_path();
    const fs::path cache = toolchain::cache_folder();
    std::optional<Fault> first;
    std::optional<Fault> asked;
    std::istringstream lines{error.substr(words)};
    for (std::string line; std::getline(lines, line);) {
        if (std::optional<Fault> found = message_of_compiler(line, {": error: ", ": fatal error: "});
            found && !lies_below(found->file, cache)) {
            if (sources.empty() || lies_below(found->file, sources)) {
                return found;
            }
            first = first ? first : found;
            continue;
        }
        const std::optional<Fault> note = message_of_compiler(line, {": note: "});
        if (note && first && !asked && note->text.ends_with("requested here") &&
            lies_below(note->file, sources)) {
            asked = Fault{.text = first->text, .file = note->file, .line = note->line};
        }
    }
    return asked ? asked : first;
}

/// The place that an error opens with: "FILE.toml:12: ...", of what is no TOML "FILE.toml:12:5: ...".
std::optional<Fault> scenario_error(const std::string& error) {
    std::string_view rest = error;
    std::optional<Fault> found = take_place(rest);
    return found && found->file.ends_with(".toml") && rest.starts_with(':') ? found : std::nullopt;
}

/// The place that a kernel's fault names: "scalar_store at FILE:12, cycle 5: ...".
std::optional<Fault> kernel_fault(const std::string& error) {
    constexpr std::string_view before = " at ";
    for (std::size_t at = error.find(before); at != std::string::npos; at = error.find(before, at + 1)) {
        std::string_view rest = std::string_view{error}.substr(at + before.size());
        const std::size_t colon = rest.find(':');
        const std::string_view name = rest.substr(0, colon);
        std::optional<Fault> found = take_place(rest);
        if (found && found->file == name && fs::path{name}.has_extension()) {
            return found;
        }
    }
    return std::nullopt;
}

/// As seen from the working folder: services that show a place know files by their path in the checkout.
std::string seen_from_here(const std::string& file) {
    std::error_code none;
    const fs::path here = fs::current_path(none);
    return lies_below(file, here) ? file.substr(here.string().size() + 1) : file;
}

}  // namespace

Fault fault_of(const std::string& error) {
    std::optional<Fault> found = compile_error(error);
    for (const auto& place : {&scenario_error, &kernel_fault}) {
        found = found ? found : place(error);
    }
    if (!found) {
        return {.text = error};
    }
    found->file = seen_from_here(found->file);
    found->text = found->text.empty() ? error : found->text;
    return *found;
}

}  // namespace ascendsim::study
