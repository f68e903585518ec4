// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/options.hpp"
#include "runtime/session/isolated.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::cli {

/// What the command line names: in a sandbox this may be reached, and nothing else.
struct NamedPlaces {
    std::vector<std::string> sources;  // scenarios, kernels, headers: each with its project
    std::vector<std::string> folders;  // to be read
    std::vector<std::string>
        outputs;  // files and folders to be written; "-" and empty ones count for nothing
};

/// What bounds every run of a command unless the command line says otherwise.
enum class Usual : std::uint8_t { endless, bounded };

/// Options that bound what a run may take and reach: --sandbox, --timeout, --memory, --max-output,
/// --allow-read,
/// --allow-write.
class Limits {
public:
    /// `check`, which CI services run, is bounded; other commands are where the environment is that of a CI
    /// service.
    explicit Limits(Usual usual = Usual::endless) : usual_{usual} {}

    void declare(Options& options);
    /// Declares --timeout, --memory and --max-output alone.
    void declare_bounds(Options& options);

    /// What each run may take.
    [[nodiscard]] runtime::IsolatedLimits bounds() const;

    /// True if the command line has one of the options.
    [[nodiscard]] bool given() const {
        return sandbox_ || !timeout_.empty() || !memory_.empty() || !max_output_.empty() ||
               !readable_.empty() || !writable_.empty();
    }

    [[nodiscard]] bool sandboxed() const { return sandbox_; }

    /// What the command line has of the options, as words for another command that takes them.
    [[nodiscard]] std::vector<std::string> words() const;

    /// Enters the sandbox if one is asked for, for good, and returns what each run may take. Throws UserError
    /// if there is no sandbox here, or if it would have to open the user's home.
    [[nodiscard]] runtime::IsolatedLimits enter(const NamedPlaces& named,
                                                const toolchain::Installation& installation) const;

private:
    void enter_sandbox(const NamedPlaces& named, const toolchain::Installation& installation) const;

    Usual usual_;
    bool sandbox_ = false;
    std::string timeout_;
    std::string memory_;
    std::string max_output_;
    std::vector<std::string> readable_;
    std::vector<std::string> writable_;
};

/// The size that `text` says, as "500M" or "2G", in bytes. Throws UserError, which names `option`.
[[nodiscard]] std::uint64_t size_of(const std::string& option, const std::string& text);

/// The project that a source or a scenario lies in (project_root()), or its folder where that is not below
/// it. Throws UserError if that holds the home of the user.
[[nodiscard]] std::filesystem::path project_of(const std::filesystem::path& file);

}  // namespace ascendsim::cli
