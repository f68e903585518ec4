// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ascendsim::toolchain {

/// Whether the vendor's compiler inserts synchronisation into a kernel (--cce-auto-sync), and who says so.
struct SyncOption {
    bool on = false;
    bool stated = false;  // false: nothing says; a plain call of the compiler leaves it off
    std::string origin;   // "op_kernel/CMakeLists.txt: add_ops_compile_options"; why, where nothing is stated
};

/// What compiler options say of it, the last one first: --cce-auto-sync, =on or =off. Throws UserError for
/// another value.
[[nodiscard]] std::optional<bool> sync_option_of(std::span<const std::string> flags);

/// The flags without those that only the vendor's compiler knows of: --cce-auto-sync and --cce-auto-sync-log,
/// and -mllvm -api-deps-filter.
[[nodiscard]] std::vector<std::string> without_sync_options(const std::vector<std::string>& flags);

/// What the project around `source` says: commands of its CMake files (add_ops_compile_options,
/// npu_op_kernel_options, add_kernel_sources, ascendc_compile_options, target_compile_options), `auto_sync`
/// in a JSON file of the operator, the option in its scripts. Where they say nothing, kernel-launch projects,
/// operator projects and projects in the language ASC have it on. `given` are the user's flags, `arch` the
/// __NPU_ARCH__ that the kernel is compiled for.
[[nodiscard]] SyncOption sync_option_of_project(const std::filesystem::path& source,
                                                std::string_view arch,
                                                const std::vector<std::string>& given);

}  // namespace ascendsim::toolchain
