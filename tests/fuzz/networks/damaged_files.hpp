// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ascendsim::fuzz {

/// What came of damaged files.
struct DamagedOutcome {
    std::size_t files = 0;
    std::size_t read = 0;     // the damage did not matter, or made another network
    std::size_t refused = 0;  // with a sentence
    std::vector<std::string> crashes;
};

/// The .onnx and .onnxtxt files below folders, by name.
[[nodiscard]] std::vector<std::filesystem::path> network_files(
    const std::vector<std::filesystem::path>& folders);

/// Damages copies of the files, reads each and lowers its network, many in a process and one where that
/// fails. The same seed damages alike.
[[nodiscard]] DamagedOutcome run_damaged(const std::vector<std::filesystem::path>& files,
                                         std::size_t count,
                                         std::uint32_t seed,
                                         std::size_t jobs = 1);

}  // namespace ascendsim::fuzz
