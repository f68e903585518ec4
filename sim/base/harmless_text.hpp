// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ascendsim {

/// Text for a terminal or a log, with names and messages of others in it, made harmless: no line of it is a
/// command to a CI service that reads the log ("::error", "##vso[", "##[group]", "##teamcity["), and of
/// control characters only colours, tabs and line ends are left.
[[nodiscard]] std::string harmless(std::string_view text);

}  // namespace ascendsim
