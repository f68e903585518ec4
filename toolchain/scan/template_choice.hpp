// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace ascendsim::toolchain {

/// The template arguments of the first ASCENDC_TPL_ARGS_SEL that a kernel's files hold, as an instantiation
/// lists them: "float, 1". Selections stand in the order of the template's parameters; a range counts from
/// its start. Empty if there is none.
[[nodiscard]] std::string first_template_arguments(const std::filesystem::path& source);

}  // namespace ascendsim::toolchain
