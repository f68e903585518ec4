// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "models/spec/chip_spec.hpp"
#include "models/spec/power_spec.hpp"
#include "sim/config/fields.hpp"

namespace ascendsim {

/// A chip as its file gives it: the parameters, and for each where it comes from.
struct ChipFile {
    ChipSpec spec;
    PowerSpec power;                   // beside the spec: nothing that runs reads it
    std::vector<std::string> aliases;  // other names people use, as written
    ProvenanceTable provenance;        // by path; complete
    std::filesystem::path path;
};

/// Every parameter of a chip: those of its spec, and `power.…`. They point into `chip`.
[[nodiscard]] std::vector<FieldRef> all_fields(ChipFile& chip);

/// Reads a chip by name (`910b1`, `Ascend910B1`, an alias) from `folder`, or by path (`my/chip.toml`). A file
/// may start from another chip by `base = "910b1"` and give only what differs. Throws UserError with the
/// nearest name if there is no such chip, and with file, line and path for whatever is wrong or missing in
/// the file.
[[nodiscard]] ChipFile open_chip(std::string_view name_or_path, const std::filesystem::path& folder);

/// The parameters alone.
[[nodiscard]] ChipSpec load_chip(std::string_view name_or_path, const std::filesystem::path& folder);

/// Names of the chips in a folder, sorted. Throws UserError if the folder cannot be read.
[[nodiscard]] std::vector<std::string> list_chips(const std::filesystem::path& folder);

/// A chip's name as its file is called: lower case, without "ascend", blanks, `-` and `_` at the front.
[[nodiscard]] std::string normalized_chip_name(std::string_view name);

/// Sets a parameter as `--set chip.l2.gb_per_s=5000` does, and notes that. Throws UserError with the nearest
/// path. Call settle_chip() after the last override.
void override_field(ChipFile& chip, std::string_view path, std::string_view text);

/// Sets the parameters that a table of a scenario gives, as override_field() does.
void override_fields(ChipFile& chip, const TableReader& table);

/// Lets the number of vector cores follow an overridden number of groups, and checks what the range of a
/// single value cannot say. Throws UserError naming the place of the value at fault.
void settle_chip(ChipFile& chip);

/// fp16 peak of the cube units of all cores, in TFLOPS.
[[nodiscard]] double peak_fp16_tflops(const ChipSpec& spec);

/// The resolved parameters as nested JSON objects, with name, title and arch.
[[nodiscard]] nlohmann::ordered_json to_json(const ChipSpec& spec);

/// A table for people: path, value, unit, tag, source and meaning of every parameter.
[[nodiscard]] std::string describe_chip(const ChipFile& chip);

/// The same for programs: `parameters` is a list of objects with path, value, unit, min, max, tag, source,
/// meaning.
[[nodiscard]] nlohmann::ordered_json describe_chip_json(const ChipFile& chip);

}  // namespace ascendsim
