// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/port/timed_op.hpp"
#include "sim/record/recorder.hpp"

namespace ascendsim {

/// Follows the buffers of one core's kernel framework and records who has which part of UB, L1 and the L0
/// buffers when. A queue's buffer is two lives, one after the other: with the pipe that fills it, from when
/// that may begin until it is full; then with the pipe that reads it, until its last reader is done. A plain
/// buffer lives as long as its TPipe.
class BufferLives {
public:
    BufferLives(record::Recorder& recorder, std::uint32_t core_index)
        : recorder_{recorder}, core_index_{core_index} {}

    /// `op.step` becomes true at `cycle`.
    void step(const isa::TimedOp& op, std::uint64_t cycle);
    /// Every buffer dies.
    void end(std::uint64_t cycle);

private:
    struct Open {
        record::BufferLife life;
        std::uint8_t position = 0;
        Pipe holder = Pipe::scalar;
    };

    void begin(const isa::TimedOp& op, std::uint64_t cycle);
    void close(Open& open, std::uint64_t cycle);
    [[nodiscard]] std::vector<Open>::iterator find(const isa::TimedOp& op);
    [[nodiscard]] std::string_view label(std::uint8_t position, Pipe holder);

    record::Recorder& recorder_;
    std::uint32_t core_index_;
    std::vector<Open> open_;
    std::map<std::pair<std::uint8_t, Pipe>, std::string> labels_;
};

}  // namespace ascendsim
