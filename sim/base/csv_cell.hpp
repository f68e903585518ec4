// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ascendsim {

/// The text as a cell of comma-separated values (RFC 4180): in quotes, its own quotes doubled, if it holds a
/// comma, a quote or the end of a line; else as it is.
[[nodiscard]] std::string csv_cell(std::string_view text);

}  // namespace ascendsim
