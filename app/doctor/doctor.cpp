// SPDX-License-Identifier: Apache-2.0
#include "app/doctor/doctor.hpp"

#include <algorithm>
#include <array>

#include "app/doctor/checks.hpp"

namespace ascendsim::doctor {

std::string_view name(State state) {
    static constexpr std::array<std::string_view, 3> names{"good", "warning", "missing"};
    return names[static_cast<std::size_t>(state)];
}

std::vector<Finding> examine(const toolchain::Installation& installation,
                             const std::filesystem::path& program) {
    return {check_shipped(installation),
            check_compiler(),
            check_pass(installation),
            check_linker(),
            check_headers(),
            check_cache(),
            check_disk(),
            check_memory(),
            check_processors(),
            try_kernel(program),
            check_dashboard(program)};
}

bool is_ready(const std::vector<Finding>& findings) {
    return std::ranges::none_of(findings, [](const Finding& one) { return one.state == State::missing; });
}

}  // namespace ascendsim::doctor
