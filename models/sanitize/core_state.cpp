// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/core_state.hpp"

namespace ascendsim::sanitize {

void CoreState::begin(std::uint32_t block_index) {
    block = block_index;
    in_block = true;
    last = {};
    clocks = {};
    scalar_version = 1;
    scalar_seen = {};
    for (auto& map : bytes) {
        if (map) {
            map->clear(false);
        }
    }
    for (BufferMap& map : buffers) {
        map.clear();
    }
    idle.clear();
    for (auto& state : flags) {
        state.reset();
    }
    cross_wait.reset();
    stuck = {};
    for (auto& [place, line] : cached) {
        line.filled = 0;
    }
    peeks.clear();
    last_look = {};
    looking_at.reset();
}

FlagState& CoreState::flag(std::uint8_t source, std::uint8_t destination, std::uint32_t id) {
    auto& state = flags[(source * pipe_count + destination) * max_ids + id % max_ids];
    if (!state) {
        state = std::make_unique<FlagState>();
    }
    return *state;
}

Clock CoreState::complete(Pipe pipe) const {
    Clock clock = clocks[index(pipe)];
    clock.known[index(pipe)] = last[index(pipe)];
    if (pipe == Pipe::scalar) {
        clock.known[scalar_reads] = last[scalar_reads];
    }
    return clock;
}

void CoreState::learn(Pipe pipe, const Clock& clock) {
    clocks[index(pipe)].join(clock);
    if (pipe == Pipe::scalar) {
        ++scalar_version;
    }
}

void CoreState::hand_over(Pipe pipe) {
    const std::size_t p = index(pipe);
    if (pipe == Pipe::scalar || scalar_seen[p] == scalar_version) {
        return;
    }
    scalar_seen[p] = scalar_version;
    clocks[p].join(clocks[index(Pipe::scalar)]);
}

void CoreState::complete_all() {
    Clock& scalar = clocks[index(Pipe::scalar)];
    for (const Clock& clock : clocks) {
        scalar.join_foreign(clock.foreign);
    }
    scalar.known = last;
    ++scalar_version;
}

}  // namespace ascendsim::sanitize
