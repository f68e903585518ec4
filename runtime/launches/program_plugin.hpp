// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/acl/launch.hpp"
#include "toolchain/build/program_build.hpp"

namespace ascendsim::runtime {

/// A program's plug-in for one kind of core, loaded for good.
class ProgramPlugin {
public:
    /// Throws UserError if the file cannot be loaded.
    explicit ProgramPlugin(const std::filesystem::path& file);

    /// How to call what a launch asks for; null if it is not there.
    [[nodiscard]] const program::KernelCall* find(const program::LaunchRequest& request) const;

    /// The kernel that a launch named by a variable, as this plug-in has it; null if the launch named it by a
    /// constant. Throws UserError if it is not there.
    [[nodiscard]] const void* kernel_of(const program::LaunchRequest& request) const;

    /// The cores a kernel states for itself, for a tiling key.
    [[nodiscard]] std::optional<CoreUse> stated(const std::string& kernel, std::uint64_t key) const;

    /// Names of the kernels that can be launched by name.
    [[nodiscard]] std::vector<std::string> names() const;

    /// True if what a launch calls comes to the cube unit, or to anything that works on the unified buffer.
    /// Of code that the compiler pass did not see, such as a library's, the whole plug-in counts.
    [[nodiscard]] bool uses_cube(const program::LaunchRequest& request) const {
        return (units_of(request) & program::KernelUnits::cube) != 0;
    }

    [[nodiscard]] bool uses_vector(const program::LaunchRequest& request) const {
        return (units_of(request) & program::KernelUnits::vector) != 0;
    }

    [[nodiscard]] const std::filesystem::path& file() const { return file_; }

private:
    [[nodiscard]] std::uint32_t units_of(const program::LaunchRequest& request) const;

    std::filesystem::path file_;
    void* library_ = nullptr;
    program::ProgramTable table_{};
    std::map<const void*, const program::KernelUnits*> units_;  // by function
    std::uint32_t all_units_ = 0;                               // of any function
};

/// The name of a kernel as it was written in a launch: without namespaces and template arguments.
[[nodiscard]] std::string kernel_name(const std::string& text);

/// The same, of the function where the launch named it by a variable.
[[nodiscard]] std::string kernel_name(const program::LaunchRequest& request);

/// Arguments of a launch as the kernel takes them.
class BoundArguments {
public:
    /// Converts arithmetic values where a launch by name passes another type. Throws UserError if number or
    /// size do not agree.
    BoundArguments(const program::LaunchRequest& request, const program::KernelCall& call);

    [[nodiscard]] void** pointers() { return pointers_.data(); }

    /// Gives the kernel a null address in place of argument `i`.
    void set_null(std::uint32_t i) { std::ranges::fill(values_[i], std::byte{}); }

private:
    std::vector<std::vector<std::byte>> values_;
    std::vector<void*> pointers_;
};

}  // namespace ascendsim::runtime
