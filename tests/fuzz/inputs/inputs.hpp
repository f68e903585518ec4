// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

/// A kind of file that AscendSim reads, taken from its bytes to the last report that is made of it.
struct InputKind {
    std::string_view name;
    /// Throws what reading throws; a UserError is a good answer.
    void (*read)(const std::string& bytes);
    /// Whole files to begin with.
    std::vector<std::string> (*seeds)();
    /// Bytes that a mutation of `bytes` becomes a file by: checksums put right, brackets closed.
    std::string (*repaired)(std::string bytes);
};

/// Scenarios, chips, measurements, arrays, recordings, their JSON, profiles, steps, nodes, hosts, models,
/// traces of requests, files of serving and training, and CMake files.
[[nodiscard]] const std::vector<InputKind>& input_kinds();

/// What the bytes did that they must not: an exception that is no UserError, told as a sentence. Empty:
/// nothing. A crash or a hang ends the process.
[[nodiscard]] std::string wrong_with(const InputKind& kind, const std::string& bytes);

/// The number `number` of the cases of a kind; always the same bytes.
[[nodiscard]] std::string input_case(const InputKind& kind, std::uint64_t number);

}  // namespace fuzz
