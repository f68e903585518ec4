// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/output_words.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
class App;
}  // namespace CLI

namespace ascendsim::cli {

/// One thing a command takes, as help, manual and shell completion show it.
struct DeclaredOption {
    enum class Kind : std::uint8_t { positional, positionals, value, list, output, flag };
    Kind kind = Kind::flag;
    std::string name;        // with its dashes; of a positional as the usage calls it
    std::string value_name;  // empty for a flag and a positional
    std::string meaning;
    bool required = false;
    bool value_optional = false;       // an output's, which may be left out
    std::vector<std::string> words{};  // of a positional: what it is, or starts with, usually

    [[nodiscard]] bool is_positional() const { return kind == Kind::positional || kind == Kind::positionals; }
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
    /// The same, usually one of `words`, which shell completion offers.
    void choice(const std::string& name,
                std::string& value,
                std::vector<std::string> words,
                const std::string& meaning);
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
    /// The same; stays empty unless it is given.
    void option(const std::string& name,
                std::optional<std::uint32_t>& value,
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

    /// Asks for the first word behind `--`, empty without: a command of the system, say, which the user must
    /// have meant as one.
    void word_behind_dashes(std::string& word) { behind_dashes_ = &word; }

    /// Where the word behind `--` goes; null if nobody asks for it.
    [[nodiscard]] std::string* behind_dashes() const { return behind_dashes_; }

    /// The outputs declared.
    [[nodiscard]] const std::vector<OutputOption>& outputs() const { return outputs_; }

    /// Everything declared, in order.
    [[nodiscard]] const std::vector<DeclaredOption>& declared() const { return declared_; }

private:
    CLI::App& app_;
    std::vector<OutputOption> outputs_;
    std::vector<DeclaredOption> declared_;
    std::string* behind_dashes_ = nullptr;
};

}  // namespace ascendsim::cli
