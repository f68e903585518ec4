// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "toolchain/scan/entry_scan.hpp"

namespace ascendsim::skeleton {

/// What a kernel's parameter is for; the words are those of a scenario's `role`.
enum class ArgumentUse : std::uint8_t { input, output, in_out, workspace, tiling, value, structure };

/// The word of a use, as in role = "in_out"; a structure's is "struct".
[[nodiscard]] std::string_view name(ArgumentUse use);

/// A member of a struct that is passed by value or copied from tiling data.
struct ScannedField {
    std::string name;
    std::string type;                        // an element type, as in "uint32"
    std::uint64_t count = 1;                 // of an array
    std::optional<std::int64_t> value = {};  // to begin with, if that is known
};

/// What a source's text tells of a parameter.
struct ScannedArgument {
    std::string written;  // "GM_ADDR x"
    std::string name;
    ArgumentUse use = ArgumentUse::input;
    std::string type;         // of a tensor's elements or of a value; empty if the text does not tell
    bool one_type = false;    // nowhere in the text is it taken for elements of another type
    std::string struct_name;  // of a structure or tiling data, if it is known
    std::vector<ScannedField> fields;
    std::string unlisted;  // what of the struct could not be listed, as a sentence
    std::string reason;    // why it is taken for what it is: "DataCopy writes zGm"
};

/// Looks in `source`, the text of a kernel with the headers of its project, what becomes of the parameters of
/// `entry`: which are copied from and which to, which hold tiling data, which are structs. Works on the text
/// alone; where it does not tell, `const` and names do.
[[nodiscard]] std::vector<ScannedArgument> scan_arguments(const toolchain::ScannedEntry& entry,
                                                          std::string_view source);

}  // namespace ascendsim::skeleton
