// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ascendsim {

/// The user's input is wrong. The message names file, place, value, allowed values and the nearest name. Exit
/// code 2.
class UserError : public std::runtime_error {
public:
    template <class... Args>
    explicit UserError(fmt::format_string<Args...> text, Args&&... args)
        : std::runtime_error{fmt::format(text, std::forward<Args>(args)...)} {}
};

/// The kernel is wrong: deadlock, out of bounds, misuse of a flag, crash. The message names core, pipe,
/// instruction, source line and cycle. Exit code 3; what was recorded is kept.
class ProgramError : public std::runtime_error {
public:
    template <class... Args>
    explicit ProgramError(fmt::format_string<Args...> text, Args&&... args)
        : std::runtime_error{fmt::format(text, std::forward<Args>(args)...)} {}
};

/// A defect of ours. Exit code 4.
class InternalError : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

/// Throws InternalError unless `condition` holds; on in all builds.
template <class... Args>
void check(bool condition, fmt::format_string<Args...> text, Args&&... args) {
    if (!condition) [[unlikely]] {
        throw InternalError{fmt::format(text, std::forward<Args>(args)...)};
    }
}

/// The nearest of `known` to a misspelt `name` by edit distance, as ", did you mean 'x'?", or empty if none
/// is near.
[[nodiscard]] std::string nearest_hint(std::string_view name, const std::vector<std::string>& known);

}  // namespace ascendsim
