// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace ascendsim {

/// `text` with the files below `root`, an absolute folder, named by their path in it; without a root as it
/// is.
[[nodiscard]] std::string relative_to(std::string_view root, std::string_view text);

/// `text` with every absolute path in it cut down to its last name.
[[nodiscard]] std::string without_folders(std::string_view text);

/// Applies `change` to every text in `values`, keys of objects among them.
[[nodiscard]] nlohmann::json with_texts(const nlohmann::json& values,
                                        const std::function<std::string(std::string_view)>& change);

}  // namespace ascendsim
