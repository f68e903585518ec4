// SPDX-License-Identifier: Apache-2.0
#include "scenarios/cli/options.hpp"

#include <CLI/CLI.hpp>

namespace ascendsim::cli {

void Options::positional(const std::string& name,
                         std::string& value,
                         const std::string& meaning,
                         bool required) {
    app_.add_option(name, value, meaning)->required(required)->option_text(" ");
}

void Options::positionals(const std::string& name,
                          std::vector<std::string>& values,
                          const std::string& meaning,
                          bool required) {
    app_.add_option(name, values, meaning)->required(required)->option_text(" ");
}

void Options::option(const std::string& name,
                     std::string& value,
                     const std::string& value_name,
                     const std::string& meaning) {
    app_.add_option(name, value, meaning)->option_text(value_name);
}

void Options::option(const std::string& name,
                     std::uint32_t& value,
                     const std::string& value_name,
                     const std::string& meaning) {
    app_.add_option(name, value, meaning)->option_text(value_name);
}

void Options::list(const std::string& name,
                   std::vector<std::string>& values,
                   const std::string& value_name,
                   const std::string& meaning) {
    app_.add_option(name, values, meaning)->expected(1)->take_all()->option_text(value_name + " ...");
}

void Options::flag(const std::string& name, bool& value, const std::string& meaning) {
    app_.add_flag(name, value, meaning);
}

}  // namespace ascendsim::cli
