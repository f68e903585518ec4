// SPDX-License-Identifier: Apache-2.0
#include "models/isa/cube/cube_tables.hpp"

#include <cstring>

#include <fmt/format.h>

#include "models/isa/cube/load2d.hpp"
#include "models/numbers/half.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::isa {

std::string LoadTable::fault() const {
    return fmt::format(
        "table offset {} must be a multiple of 64, l1 offset {} of 32", destination.offset, source);
}

void LoadTable::accesses(Accesses& list) const {
    list.read({.memory = Memory::l1,
               .offset = source,
               .row_bytes = widen ? row_bytes / 2 : row_bytes,
               .rows = rows,
               .pitch = source_pitch});
    list.write({.memory = destination.memory,
                .offset = destination.offset,
                .row_bytes = row_bytes,
                .rows = rows,
                .pitch = destination_pitch});
}

void LoadTable::time(const ChipSpec& chip, TimedOp& op) const {
    op.pipe = destination.memory == Memory::bias_table ? Pipe::mte1 : Pipe::fixpipe;
    op.bytes = rows * row_bytes;
    op.occupies = chip.mte1.gap_cycles + ceil_div(op.bytes, chip.mte1.bt_bytes_per_cycle);
    op.latency = chip.mte1.bt_latency;
    op.memory = destination.memory;
    op.offset = destination.offset;
}

void LoadTable::execute(CorePort& core) const {
    for (std::uint32_t row = 0; row < rows; ++row) {
        const std::byte* from = core.at({Memory::l1, source + row * source_pitch});
        std::byte* to = core.at({destination.memory, destination.offset + row * destination_pitch});
        if (!widen) {
            std::memcpy(to, from, row_bytes);
            continue;
        }
        for (std::uint32_t i = 0; i < row_bytes / 4; ++i) {
            std::uint16_t raw = 0;
            std::memcpy(&raw, from + i * sizeof(raw), sizeof(raw));
            const float value = numbers::HalfFormat::to_float(raw);
            std::memcpy(to + i * sizeof(value), &value, sizeof(value));
        }
    }
}

std::string FillConstant::fault() const {
    return fmt::format("the destination is at byte {} of {}; it must start at a multiple of {}",
                       destination.offset,
                       name(destination.memory),
                       destination.memory == Memory::l1 ? 32 : 512);
}

void FillConstant::accesses(Accesses& list) const {
    list.write({.memory = destination.memory,
                .offset = destination.offset,
                .row_bytes = run_bytes,
                .rows = repeat,
                .pitch = std::uint64_t{run_bytes} + gap_bytes});
}

void FillConstant::time(const ChipSpec& chip, TimedOp& op) const {
    op.pipe = destination.memory == Memory::l1 ? Pipe::mte2 : Pipe::mte1;
    op.bytes = repeat * run_bytes;
    op.occupies = chip.mte1.gap_cycles + l0_load_cycles(chip.mte1, destination.memory, op.bytes);
    op.latency = chip.mte1.load2d_latency;
    op.memory = destination.memory;
    op.offset = destination.offset;
}

void FillConstant::execute(CorePort& core) const {
    std::byte* to = core.at(destination);
    for (std::uint32_t i = 0; i < repeat; ++i, to += run_bytes + gap_bytes) {
        for (std::uint32_t at = 0; at < run_bytes; at += sizeof(pattern)) {
            std::memcpy(to + at, &pattern, sizeof(pattern));
        }
    }
}

}  // namespace ascendsim::isa
