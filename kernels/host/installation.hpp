// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ascendsim::host {

/// Where the program finds its own files: the source tree it was built in, or the installed share and lib
/// folders.
struct Installation {
    std::filesystem::path root;       // holds kernels/ascendc, models/chips, scenarios
    std::filesystem::path libraries;  // holds libmodels_isa.so and ascendsim/kernels/<op>.<pass>.so

    /// Found from the running program's own place; throws UserError if it has been moved away from its files.
    [[nodiscard]] static Installation find();

    [[nodiscard]] std::filesystem::path chips() const { return root / "models" / "chips"; }

    [[nodiscard]] std::filesystem::path scenarios() const { return root / "scenarios"; }

    [[nodiscard]] std::filesystem::path plugins() const { return libraries / "ascendsim" / "kernels"; }

    /// The compiler's pass by which kernels count their scalar work (kernels/scalar_steps).
    [[nodiscard]] std::filesystem::path scalar_steps() const {
        return libraries / "ascendsim" / "scalar_steps.so";
    }

    [[nodiscard]] std::filesystem::path kernel_source(const std::string& kernel) const {
        return root / "kernels" / (kernel + ".cpp");
    }

    /// Names of the in-tree kernels built as plug-ins, sorted.
    [[nodiscard]] std::vector<std::string> kernels() const;
};

/// The folder for compiled kernels: $XDG_CACHE_HOME/ascendsim, or ~/.cache/ascendsim, or one under the
/// temporary folder.
[[nodiscard]] std::filesystem::path cache_folder();

}  // namespace ascendsim::host
