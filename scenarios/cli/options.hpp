// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/cli/output_words.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace ascendsim::cli {

/// What a command takes: each call declares one thing and the variable it goes to.
class Options {
public:
    explicit Options(CLI::App& app) : app_{app} {}

    /// A word without a dash, in the order declared; `name` is what the usage calls it.
    void positional(const std::string& name,
                    std::string& value,
                    const std::string& meaning,
                    bool required = true);
    /// All remaining words.
    void positionals(const std::string& name,
                     std::vector<std::string>& values,
                     const std::string& meaning,
                     bool required = true);
    /// `--name VALUE`.
    void option(const std::string& name,
                std::string& value,
                const std::string& value_name,
                const std::string& meaning);
    void option(const std::string& name,
                std::uint32_t& value,
                const std::string& value_name,
                const std::string& meaning);
    /// `--name FILE`, to be written; a file's name may be left out, which means standard output. That it can
    /// be is checked before the command starts, not after a long run.
    void output(const std::string& name,
                std::string& value,
                Output kind,
                const std::string& value_name,
                const std::string& meaning);
    /// `--name VALUE` any number of times.
    void list(const std::string& name,
              std::vector<std::string>& values,
              const std::string& value_name,
              const std::string& meaning);
    /// `--name`.
    void flag(const std::string& name, bool& value, const std::string& meaning);

    /// The outputs declared.
    [[nodiscard]] const std::vector<OutputOption>& outputs() const { return outputs_; }

private:
    CLI::App& app_;
    std::vector<OutputOption> outputs_;
};

}  // namespace ascendsim::cli
