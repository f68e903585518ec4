// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ascendsim {

/// The instruction queues of an AI core. `scalar` runs the kernel and issues to the others in program order.
enum class Pipe : std::uint8_t { scalar, vector, cube, mte1, mte2, mte3, fixpipe };

inline constexpr std::size_t pipe_count = 7;
inline constexpr std::array<std::string_view, pipe_count> pipe_names{
    "scalar", "vector", "cube", "mte1", "mte2", "mte3", "fixpipe"};

[[nodiscard]] constexpr std::size_t index(Pipe pipe) {
    return static_cast<std::size_t>(pipe);
}

[[nodiscard]] constexpr std::string_view name(Pipe pipe) {
    return pipe_names[index(pipe)];
}

/// The memories an instruction can name.
enum class Memory : std::uint8_t { gm, ub, l1, l0a, l0b, l0c, bias_table, fixpipe_buffer };

inline constexpr std::size_t memory_count = 8;
inline constexpr std::array<std::string_view, memory_count> memory_names{
    "gm", "ub", "l1", "l0a", "l0b", "l0c", "bias_table", "fixpipe_buffer"};

[[nodiscard]] constexpr std::size_t index(Memory memory) {
    return static_cast<std::size_t>(memory);
}

[[nodiscard]] constexpr std::string_view name(Memory memory) {
    return memory_names[index(memory)];
}

/// What a core is: a cube core, a vector core, or both in one (coupled chips).
enum class CoreKind : std::uint8_t { aic, aiv, coupled };

/// Where in the kernel's source a call stands. As a default argument it names the caller's line.
struct Site {
    const char* file = "";
    std::uint32_t line = 0;

    static constexpr Site here(const char* file = __builtin_FILE(), std::uint32_t line = __builtin_LINE()) {
        return {file, line};
    }
};

}  // namespace ascendsim
