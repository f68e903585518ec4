// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.hpp"
#include "app/cli/command_table.hpp"
#include "app/cli/text_output.hpp"
#include "app/version/version.hpp"

namespace ascendsim::cli {
namespace {

class ManualCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override { return "Print the manual page, for man -l"; }

    void declare(Options& /*options*/) override {}

    [[nodiscard]] int run(const toolchain::Installation& /*installation*/) override {
        write_text(std::string{standard_output}, manual_page(command_table(), release()));
        return exit_good;
    }
};

}  // namespace

std::unique_ptr<Command> make_manual() {
    return std::make_unique<ManualCommand>();
}

}  // namespace ascendsim::cli
