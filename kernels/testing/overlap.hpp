// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace ascendsim::testing {

/// How long the cube core of a group worked, its vector cores, and both, in cycles added up over all groups.
struct Overlap {
    std::uint64_t cube = 0;
    std::uint64_t vector = 0;  // while at least one vector pipe of the group was busy
    std::uint64_t both = 0;

    /// Share of the vector cores' time that the cube worked too.
    [[nodiscard]] double share() const {
        return vector == 0 ? 0.0 : static_cast<double>(both) / static_cast<double>(vector);
    }
};

/// Reads it from a recording.
[[nodiscard]] Overlap cube_vector_overlap(const std::filesystem::path& recording);

/// Busy share of a pipe over the lanes that used it, from a run's first to its last cycle.
[[nodiscard]] double busy_share(const std::filesystem::path& recording, std::string_view pipe);

}  // namespace ascendsim::testing
