// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include <nlohmann/json.hpp>

namespace ascendsim {

/// What came back from a child process.
struct IsolatedResult {
    int exit = 0;       // by the contract; 0 if the work returned
    std::string error;  // its sentence if it threw, or how the process ended
    nlohmann::ordered_json value;
};

/// Does `work` in a process of its own, since a simulation elaborates once per process and a kernel may crash
/// for good. What it prints appears where ours does. Waits for its end.
[[nodiscard]] IsolatedResult run_isolated(const std::function<nlohmann::ordered_json()>& work);

}  // namespace ascendsim
