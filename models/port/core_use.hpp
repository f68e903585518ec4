// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ascendsim {

/// Which cores a kernel runs on.
enum class CoreUse : std::uint8_t {
    aiv,      // vector cores only (on a coupled chip: whole cores)
    aic,      // cube cores only
    mix_1_1,  // each block: a cube core and one of its vector cores
    mix_1_2,  // each block: a cube core and two vector cores
};

inline constexpr std::array<std::string_view, 4> core_use_names{"aiv", "aic", "mix_1_1", "mix_1_2"};

/// The word of scenarios and reports.
[[nodiscard]] constexpr std::string_view name(CoreUse cores) {
    return core_use_names[static_cast<std::size_t>(cores)];
}

/// The use of that name; none if no use has it.
[[nodiscard]] constexpr std::optional<CoreUse> core_use_named(std::string_view name) {
    for (std::size_t i = 0; i < core_use_names.size(); ++i) {
        if (core_use_names[i] == name) {
            return static_cast<CoreUse>(i);
        }
    }
    return std::nullopt;
}

}  // namespace ascendsim
