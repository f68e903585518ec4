// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "app/cli/command.hpp"
#include "app/cli/python_driver.hpp"

namespace ascendsim::cli {
namespace {

class PytestCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Run a suite of pytest, every kernel that it launches on the simulated chip";
    }

    void declare(Options& options) override {
        options.option("--chip", chip_, "CHIP", "the chip to simulate (default 910b3)");
        options.list(
            "--library",
            libraries_,
            "DIR",
            "run operators of torch_npu by the kernels of DIR, a checkout of an operator library, or its "
            "functions by op-plugin's sources");
        options.output("--out",
                       out_,
                       Output::folder,
                       "DIR",
                       "keep recordings, tables and traces of all launches in DIR");
        options.output("--json",
                       json_,
                       Output::file,
                       "FILE",
                       "write the report as JSON; on standard output it stands alone, and what pytest prints "
                       "goes to standard error");
        options.positionals(
            "WORD", words_, "what pytest takes: files, folders, and behind '--' its options", false);
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        std::vector<std::string> words{"--chip", chip_};
        if (!out_.empty()) {
            words.insert(words.end(), {"--out", out_});
        }
        if (!json_.empty()) {
            words.push_back("--json=" + json_);
        }
        for (const std::string& library : libraries_) {
            words.insert(words.end(), {"--library", library});
        }
        words.insert(words.end(), {"--", "pytest"});
        words.insert(words.end(), words_.begin(), words_.end());
        become_suite(words, installation);
    }

private:
    std::string chip_ = "910b3";
    std::string out_;
    std::string json_;
    std::vector<std::string> libraries_;
    std::vector<std::string> words_;
};

}  // namespace

std::unique_ptr<Command> make_pytest() {
    return std::make_unique<PytestCommand>();
}

}  // namespace ascendsim::cli
