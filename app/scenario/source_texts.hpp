// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace ascendsim::scenario {

/// The texts of sources and of the headers of their own that they include, by path, for the recording: what a
/// line was when it ran stays known when the file is edited. Files that are very large are left out.
[[nodiscard]] nlohmann::json source_texts(std::vector<std::filesystem::path> sources,
                                          const std::filesystem::path& one_more = {});

/// A source as a recording holds it: comments may be in any encoding, and what is not UTF-8 is replaced.
[[nodiscard]] std::string readable_text(const std::string& text);

}  // namespace ascendsim::scenario
