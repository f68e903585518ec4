// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/text_output.hpp"

namespace ascendsim::cli {

namespace {

namespace fs = std::filesystem;
using Kind = DeclaredOption::Kind;

/// Why nothing can be written into a folder; empty if something can be. One that is not there yet may be
/// `made`.
std::string obstacle_in(fs::path folder, bool made) {
    folder = fs::absolute(folder);
    std::error_code error;
    while (made && !fs::exists(folder, error) && folder.has_relative_path()) {
        folder = folder.parent_path();
    }
    if (!fs::exists(folder, error)) {
        return fmt::format("there is no folder {}", folder.string());
    }
    if (!fs::is_directory(folder, error)) {
        return fmt::format("{} is not a folder", folder.string());
    }
    return access(folder.c_str(), W_OK | X_OK) == 0
               ? std::string{}
               : fmt::format("{}: {}", folder.string(), std::strerror(errno));
}

/// Why an output cannot be written where the user wants it; empty if it can be.
std::string obstacle(const fs::path& place, Output kind) {
    std::error_code error;
    if (kind == Output::folder) {
        return obstacle_in(place, true);
    }
    if (!fs::exists(place, error)) {
        return obstacle_in(place.has_parent_path() ? place.parent_path() : fs::path{"."}, false);
    }
    if (fs::is_directory(place, error)) {
        return "it is a folder";
    }
    if (kind == Output::recording && !fs::is_regular_file(place, error)) {
        return "it is not a regular file, and a recording is read back";
    }
    return access(place.c_str(), W_OK) == 0 ? std::string{} : std::string{std::strerror(errno)};
}

/// Why a text is no number for an option; empty if it is one.
std::string why_no_count(const std::string& text) {
    std::uint32_t count = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, count);
    return error == std::errc{} && stop == end
               ? std::string{}
               : fmt::format("'{}' is not a whole number from 0 to {}", text, ~std::uint32_t{0});
}

}  // namespace

void Options::positional(const std::string& name,
                         std::string& value,
                         const std::string& meaning,
                         bool required) {
    app_.add_option(name, value, meaning)->required(required)->option_text(" ");
    declared_.push_back({Kind::positional, name, {}, meaning, required});
}

void Options::choice(const std::string& name,
                     std::string& value,
                     std::vector<std::string> words,
                     const std::string& meaning) {
    positional(name, value, meaning);
    declared_.back().words = std::move(words);
}

void Options::positionals(const std::string& name,
                          std::vector<std::string>& values,
                          const std::string& meaning,
                          bool required) {
    app_.add_option(name, values, meaning)->required(required)->option_text(" ");
    declared_.push_back({Kind::positionals, name, {}, meaning, required});
}

void Options::option(const std::string& name,
                     std::string& value,
                     const std::string& value_name,
                     const std::string& meaning) {
    // An empty one is what a variable of a script leaves that is not set: nothing else would tell.
    const auto check = [](const std::string& text) {
        return text.empty() ? std::string{"must not be empty"} : std::string{};
    };
    app_.add_option(name, value, meaning)
        ->check(CLI::Validator{check, ""})
        ->type_name(value_name)
        ->option_text(value_name);
    declared_.push_back({Kind::value, name, value_name, meaning});
}

void Options::option(const std::string& name,
                     std::uint32_t& value,
                     const std::string& value_name,
                     const std::string& meaning) {
    app_.add_option(name, value, meaning)
        ->check(CLI::Validator{why_no_count, ""})
        ->type_name(value_name)
        ->option_text(value_name);
    declared_.push_back({Kind::value, name, value_name, meaning});
}

void Options::option(const std::string& name,
                     std::optional<std::uint32_t>& value,
                     const std::string& value_name,
                     const std::string& meaning) {
    const auto take = [&value](const std::uint32_t& count) { value = count; };
    app_.add_option_function<std::uint32_t>(name, take, meaning)
        ->check(CLI::Validator{why_no_count, ""})
        ->type_name(value_name)
        ->option_text(value_name);
    declared_.push_back({Kind::value, name, value_name, meaning});
}

void Options::output(const std::string& name,
                     std::string& value,
                     Output kind,
                     const std::string& value_name,
                     const std::string& meaning) {
    const auto check = [kind](const std::string& place) {
        const std::string why = place.empty() || (place == standard_output && kind == Output::file)
                                    ? std::string{}
                                    : obstacle(place, kind);
        return why.empty() ? why : fmt::format("{}: cannot be written: {}", place, why);
    };
    const bool optional = kind == Output::file;
    app_.add_option(name, value, meaning)
        ->check(CLI::Validator{check, ""})
        ->option_text(optional ? fmt::format("[{}]", value_name) : value_name);
    if (optional) {
        app_.footer("Without FILE, or with -, an output goes to standard output, and nothing else does.\n");
    }
    outputs_.push_back({.name = name, .value_name = value_name, .kind = kind, .place = &value});
    declared_.push_back({Kind::output, name, value_name, meaning, false, optional});
}

void Options::list(const std::string& name,
                   std::vector<std::string>& values,
                   const std::string& value_name,
                   const std::string& meaning) {
    app_.add_option(name, values, meaning)
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false)  // else the words behind, a source among them, would be taken too
        ->type_name(value_name)
        ->option_text(value_name + " ...");
    declared_.push_back({Kind::list, name, value_name, meaning});
}

void Options::flag(const std::string& name, bool& value, const std::string& meaning) {
    app_.add_flag(name, value, meaning);
    declared_.push_back({Kind::flag, name, {}, meaning});
}

}  // namespace ascendsim::cli
