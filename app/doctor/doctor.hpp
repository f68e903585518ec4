// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "toolchain/installation/installation.hpp"

namespace ascendsim::doctor {

enum class State : std::uint8_t {
    good,
    warning,  // something works worse, or not at all, but kernels can be compiled and run
    missing,  // kernels cannot be compiled and run
};
[[nodiscard]] std::string_view name(State state);

/// One thing that was looked at.
struct Finding {
    std::string subject;  // one word: what scripts ask for
    State state = State::good;
    std::string found;
    std::string advice;  // how to get what is missing; empty if it is good
};

/// Looks at everything and tries it: compiles and runs a kernel with `program`, an `ascendsim`.
[[nodiscard]] std::vector<Finding> examine(const toolchain::Installation& installation,
                                           const std::filesystem::path& program);

/// True if kernels can be compiled and run.
[[nodiscard]] bool is_ready(const std::vector<Finding>& findings);

}  // namespace ascendsim::doctor
