// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace ascendsim::cli {

/// A line on a terminal's standard error that counts runs; nothing where there is no terminal.
[[nodiscard]] std::function<void(std::size_t, std::size_t, const std::string&)> batch_progress(
    bool wanted = true);

}  // namespace ascendsim::cli
