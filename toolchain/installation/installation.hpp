// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ascendsim::toolchain {

/// Where the program finds its own files: the source tree it was built in, or the installed share and lib
/// folders.
struct Installation {
    std::filesystem::path root;       // holds kernels/ascendc, models/chips, scenarios
    std::filesystem::path libraries;  // holds libmodels_isa.so and its like

    /// Found from the running program's own place; throws UserError if it has been moved away from its files.
    [[nodiscard]] static Installation find();

    [[nodiscard]] std::filesystem::path chips() const { return root / "models" / "chips"; }

    [[nodiscard]] std::filesystem::path scenarios() const { return root / "scenarios"; }

    [[nodiscard]] std::filesystem::path lessons() const { return scenarios() / "lessons"; }

    [[nodiscard]] std::filesystem::path claims() const { return scenarios() / "claims"; }

    /// What `ascendsim new` starts from.
    [[nodiscard]] std::filesystem::path templates() const { return scenarios() / "templates"; }

    /// Published measurements, and what turns their rows into runs.
    [[nodiscard]] std::filesystem::path measurements() const { return scenarios() / "measurements"; }

    /// The kernel framework: headers that kernels include by the vendor's names. Relative to `root`.
    static constexpr const char* framework_folder = "kernels/ascendc";

    [[nodiscard]] std::filesystem::path kernel_headers() const { return root / framework_folder; }

    /// Folders whose code is the simulator's, not a kernel's, wherever it is inlined: it costs no scalar
    /// steps.
    [[nodiscard]] std::vector<std::filesystem::path> uncounted() const {
        return {kernel_headers(), root / "models", root / "sim"};
    }

    /// Headers that host programs include by the vendor's names.
    [[nodiscard]] std::filesystem::path host_headers() const { return root / "runtime" / "acl" / "include"; }

    /// What every plug-in of a host program is compiled with.
    [[nodiscard]] std::filesystem::path launch_table() const {
        return root / "runtime" / "acl" / "plugin" / "table.cpp";
    }

    [[nodiscard]] std::filesystem::path launch_header() const {
        return root / "runtime" / "acl" / "launch.hpp";
    }

    /// Folder ascendsim of the libraries' folder, with what is no library; installed, it holds both.
    [[nodiscard]] std::filesystem::path plugin_folder() const {
        return libraries.filename() == "ascendsim" ? libraries : libraries / "ascendsim";
    }

    /// Built parts of kernels, <op>.<pass>.so.
    [[nodiscard]] std::filesystem::path plugins() const { return plugin_folder() / "kernels"; }

    /// The compiler's pass by which kernels count their scalar work (toolchain/scalar_steps).
    [[nodiscard]] std::filesystem::path scalar_steps() const { return plugin_folder() / "scalar_steps.so"; }

    /// The one by which host programs tell of values that their threads share (toolchain/shared_values).
    [[nodiscard]] std::filesystem::path shared_values() const { return plugin_folder() / "shared_values.so"; }

    /// kernels/ops/<family>/<kernel>/<kernel>.cpp; empty if there is no such kernel.
    [[nodiscard]] std::filesystem::path kernel_source(const std::string& kernel) const;

    /// Names of the operators in kernels/ops, sorted.
    [[nodiscard]] std::vector<std::string> kernels() const;
};

/// The folder for compiled kernels and recent runs, which is the user's alone: $XDG_CACHE_HOME/ascendsim, or
/// ~/.cache/ascendsim, or, where that cannot be written, one that only this process has, with a warning. In a
/// sandbox a folder in it, so that nothing that others' kernels leave there is ever taken for the user's own.
/// Throws UserError if the folder is someone else's, or open to others and not to be closed.
[[nodiscard]] std::filesystem::path cache_folder();

/// True if cache_folder() is one that only this process has, and that goes with it.
[[nodiscard]] bool has_private_cache();

/// Deletes the folder that only this process has, if it has one. To be called when the process ends.
void remove_private_cache();

}  // namespace ascendsim::toolchain
