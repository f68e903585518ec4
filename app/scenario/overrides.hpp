// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/config/toml_file.hpp"

namespace ascendsim::scenario {

/// One `--set path=value`.
struct Override {
    std::string path;   // "kernel.schedule", "chip.l2.gb_per_s", "args.x.file"
    std::string value;  // as written: a TOML value, or a bare word
};

/// Splits "path=value". Throws UserError if there is no path or no '='.
[[nodiscard]] Override parse_override(std::string_view text);

/// A copy of `file` with the values set; tables on the way are made. In an array of tables a step names the
/// one whose `name` it is. Throws UserError if a step leads through a plain value.
[[nodiscard]] TomlFile with_overrides(const TomlFile& file, const std::vector<Override>& overrides);

/// The value at a path, as `--set` would write it; empty if there is none, or a table.
[[nodiscard]] std::string text_at(const TomlFile& file, const std::string& path);

/// A TOML value as `--set` would write it.
[[nodiscard]] std::string text(const TomlValue& value);

/// What is set, for JSON: a number where it is one, else as written.
[[nodiscard]] nlohmann::ordered_json json_of_setting(const std::string& value);

/// What runs of a scenario, kernel or program are called: the file's name without its ending; of a "main"
/// that of the folder it is the main of.
[[nodiscard]] std::string run_name(const std::filesystem::path& file);

}  // namespace ascendsim::scenario
