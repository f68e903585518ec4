// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command_table.hpp"

#include <CLI/CLI.hpp>

#include "app/cli/command.hpp"

namespace ascendsim::cli {

std::vector<CommandEntry> command_table() {
    std::vector<CommandEntry> table;
    CLI::App app;
    for (const NamedCommand& command : make_commands()) {
        Options options{*app.add_subcommand(std::string{command.name})};
        command.command->declare(options);
        table.push_back({.name = std::string{command.name},
                         .meaning = std::string{command.command->meaning()},
                         .options = options.declared()});
    }
    return table;
}

}  // namespace ascendsim::cli
