// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

namespace ascendsim::runtime {

/// Exit code of a failure: 2 the user's input, 3 the kernel, 4 a defect of ours.
[[nodiscard]] int exit_code(const std::exception_ptr& failure);
/// Its sentence.
[[nodiscard]] std::string message(const std::exception_ptr& failure);

}  // namespace ascendsim::runtime
