// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include <fmt/format.h>

#include "app/cli/command.hpp"
#include "app/cli/command_table.hpp"
#include "app/cli/text_output.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::cli {
namespace {

class CompletionCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Print a script that lets the shell complete commands, options and names";
    }

    void declare(Options& options) override {
        options.choice("SHELL", shell_, {"bash"}, "bash; as in: eval \"$(ascendsim completion bash)\"");
    }

    [[nodiscard]] int run(const toolchain::Installation& /*installation*/) override {
        if (shell_ != "bash") {
            throw UserError{"completion {}: must be bash", shell_};
        }
        write_text(std::string{standard_output}, bash_completion(command_table()));
        return exit_good;
    }

private:
    std::string shell_;
};

}  // namespace

std::unique_ptr<Command> make_completion() {
    return std::make_unique<CompletionCommand>();
}

}  // namespace ascendsim::cli
