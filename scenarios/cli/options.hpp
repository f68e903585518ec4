// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace ascendsim::cli {

/// What an option names the place of.
enum class Output {
    file,       // "-" is standard output
    recording,  // a file that is read back
    folder,     // made if it is not there
};

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
    /// `--name FILE`, to be written. That it can be is checked before the command starts, not after a long run.
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

private:
    CLI::App& app_;
};

}  // namespace ascendsim::cli
