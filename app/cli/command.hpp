// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "app/cli/options.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::cli {

/// Exit codes of the contract.
inline constexpr int exit_good = 0;
inline constexpr int exit_check_failed = 1;
inline constexpr int exit_user = 2;
inline constexpr int exit_program = 3;
inline constexpr int exit_ours = 4;
/// Ctrl-C ended it, with what was found by then: what a shell says of a command that the signal ends.
inline constexpr int exit_interrupted = 130;

/// One word of the command line, as in `ascendsim run`. The file commands/<name>.cpp defines make_<name>();
/// the list of them is made while building.
class Command {
public:
    Command() = default;
    Command(const Command&) = delete;
    Command& operator=(const Command&) = delete;
    virtual ~Command() = default;

    /// One sentence for the help.
    [[nodiscard]] virtual std::string_view meaning() const = 0;
    /// Declares arguments and flags.
    virtual void declare(Options& options) = 0;
    /// Runs the command and returns the exit code. Throws UserError or ProgramError.
    [[nodiscard]] virtual int run(const toolchain::Installation& installation) = 0;
};

/// A command and the name of its file.
struct NamedCommand {
    std::string_view name;
    std::unique_ptr<Command> command;
};

/// All commands, by name.
[[nodiscard]] std::vector<NamedCommand> make_commands();

}  // namespace ascendsim::cli
