// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace ascendsim::analysis {

/// The text of `file` in the `sources` of a recording's metadata: of that path, or else of the only one that
/// ends in its name, as a kernel in a folder is named by the compiler without it. Null if there is none.
[[nodiscard]] const nlohmann::json* source_named(const nlohmann::json& metadata, const std::string& file);

/// Gives `later` and `earlier` of each hazard the line of source that they name, as `code`, where the
/// recording's `sources` hold it: the line says which tensors an operation is about.
void quote_sources(nlohmann::json& hazards, const nlohmann::json& metadata);

/// Line `line`, from 1, of a source that the recording holds, without the blanks around it; empty if it does
/// not.
[[nodiscard]] std::string source_line(const nlohmann::json& metadata,
                                      const std::string& file,
                                      std::uint64_t line);

}  // namespace ascendsim::analysis
