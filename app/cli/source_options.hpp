// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/cli/auto_sync_option.hpp"
#include "app/cli/options.hpp"
#include "app/scenario/overrides.hpp"

namespace ascendsim::cli {

/// How a source is compiled, and the words that a host program gets: the same options for every command that
/// runs one.
class SourceOptions {
public:
    /// Declares -I, -D, --include, --source, --compile-flag, --cce-auto-sync, --library, --link and --alone.
    void declare(Options& options);
    /// Declares the arguments of a host program: what follows the source, or `--`.
    void declare_words(Options& options, const char* meaning = "arguments of a host program");

    /// The scenario's values that they stand for.
    [[nodiscard]] std::vector<scenario::Override> overrides() const;

    /// Files that are compiled or included, and folders of headers: what a sandbox must let in.
    [[nodiscard]] std::vector<std::string> files() const;

    [[nodiscard]] const std::vector<std::string>& words() const { return words_; }

    /// Folders of operator libraries.
    [[nodiscard]] const std::vector<std::string>& operator_libraries() const { return operators_; }

    [[nodiscard]] const std::vector<std::string>& folders() const { return includes_; }

private:
    std::vector<std::string> words_;
    std::vector<std::string> includes_;
    std::vector<std::string> defines_;
    std::vector<std::string> headers_;
    std::vector<std::string> sources_;
    std::vector<std::string> flags_;
    std::vector<std::string> libraries_;
    std::vector<std::string> operators_;
    bool alone_ = false;
    AutoSyncOption auto_sync_;
};

}  // namespace ascendsim::cli
