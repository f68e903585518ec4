// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/doctor/doctor.hpp"

namespace ascendsim::doctor {

/// How a command ended.
struct Answer {
    bool good = false;
    std::string output;
};

/// Runs a command; one that cannot be started answers with the reason.
[[nodiscard]] Answer ask(const std::vector<std::string>& command);

/// The first of PATH's programs of that name; empty if there is none.
[[nodiscard]] std::filesystem::path in_path(const std::string& program);

/// The first line of `text` that says "error", else its first line.
[[nodiscard]] std::string telling_line(const std::string& text);

// Each looks at one thing.
[[nodiscard]] Finding check_compiler();
[[nodiscard]] Finding check_pass(const toolchain::Installation& installation);
[[nodiscard]] Finding check_linker();
[[nodiscard]] Finding check_headers();
[[nodiscard]] Finding check_shipped(const toolchain::Installation& installation);
[[nodiscard]] Finding check_cache();
[[nodiscard]] Finding check_disk();
[[nodiscard]] Finding check_memory();
[[nodiscard]] Finding check_processors();
[[nodiscard]] Finding check_dashboard(const std::filesystem::path& program);

/// Compiles and runs a kernel with `program`, and looks at the numbers that come out.
[[nodiscard]] Finding try_kernel(const std::filesystem::path& program);

}  // namespace ascendsim::doctor
