// SPDX-License-Identifier: Apache-2.0
#include "models/isa/move/cube_copy.hpp"

#include <cstring>

#include <fmt/format.h>

#include "sim/base/units.hpp"

namespace ascendsim::isa {
namespace {

constexpr std::uint32_t block_bytes = 32;

void transfer_time(std::uint64_t bytes, Local buffer, TimedOp& op) {
    op.kind = OpKind::transfer;
    op.pipe = Pipe::mte2;
    op.bytes = static_cast<std::uint32_t>(bytes);
    op.memory = buffer.memory;
    op.offset = buffer.offset;
}

}  // namespace

std::string CopyGmFractals::fault() const {
    return fmt::format("{} offset {}, row of {} bytes, pitch {}: each must be a multiple of 32",
                       name(destination.memory),
                       destination.offset,
                       row_bytes,
                       destination_pitch);
}

void CopyGmFractals::accesses(Accesses& list) const {
    list.read({.memory = Memory::gm,
               .offset = source,
               .row_bytes = row_bytes,
               .rows = rows,
               .pitch = source_pitch});
    list.write({.memory = destination.memory,
                .offset = destination.offset,
                .row_bytes = row_bytes,
                .rows = rows,
                .pitch = destination_pitch});
}

void CopyGmFractals::time(const ChipSpec&, TimedOp& op) const {
    transfer_time(std::uint64_t{rows} * row_bytes, destination, op);
}

void CopyGmFractals::execute(CorePort& core) const {
    const std::byte* from = core.global().base() + source;
    std::byte* to = core.at(destination);
    for (std::uint32_t row = 0; row < rows; ++row) {
        std::memcpy(to + row * destination_pitch, from + row * source_pitch, row_bytes);
    }
}

Transfer CopyGmFractals::transfer(const CorePort&) const {
    return {.offset = source,
            .row_pitch = source_pitch,
            .row_bytes = row_bytes,
            .rows = rows,
            .route = destination.memory == Memory::l1 ? Route::gm_to_l1 : Route::gm_to_l0};
}

std::string CopyNdToNz::fault() const {
    return fmt::format("the destination is at byte {} of l1; it must start at a multiple of 32", destination);
}

void CopyNdToNz::accesses(Accesses& list) const {
    if (rows == 0 || columns == 0 || count == 0) {
        return;
    }
    const std::uint64_t row_bytes = std::uint64_t{columns} * element_bytes;
    const std::uint64_t row_pitch = source_row_pitch * element_bytes;
    const std::uint64_t blocks = ceil_div<std::uint64_t>(row_bytes, block_bytes);
    const std::uint64_t column_bytes = (std::uint64_t{rows - 1} * block_row_pitch + 1) * block_bytes;
    const std::uint64_t column_pitch = std::uint64_t{block_column_pitch} * block_bytes;
    if (count == 1) {
        list.read({.memory = Memory::gm,
                   .offset = source,
                   .row_bytes = row_bytes,
                   .rows = rows,
                   .pitch = row_pitch});
        list.write({.memory = Memory::l1,
                    .offset = destination,
                    .row_bytes = column_bytes,
                    .rows = blocks,
                    .pitch = column_pitch,
                    .covering = block_row_pitch > 1});
        return;
    }
    // Several matrices: one run for each, from its first to its last byte.
    list.read({.memory = Memory::gm,
               .offset = source,
               .row_bytes = (rows - 1) * row_pitch + row_bytes,
               .rows = count,
               .pitch = source_matrix_pitch * element_bytes});
    list.write({.memory = Memory::l1,
                .offset = destination,
                .row_bytes = (blocks - 1) * column_pitch + column_bytes,
                .rows = count,
                .pitch = matrix_pitch * element_bytes,
                .covering = true});
}

void CopyNdToNz::time(const ChipSpec&, TimedOp& op) const {
    transfer_time(std::uint64_t{count} * rows * columns * element_bytes, {Memory::l1, destination}, op);
}

void CopyNdToNz::execute(CorePort& core) const {
    const std::uint64_t row_bytes = std::uint64_t{columns} * element_bytes;
    const std::uint64_t whole = row_bytes / block_bytes;
    const std::uint64_t rest = row_bytes % block_bytes;
    const std::uint64_t column_pitch = std::uint64_t{block_column_pitch} * block_bytes;
    for (std::uint32_t matrix = 0; matrix < count; ++matrix) {
        const std::byte* plane = core.global().base() + source + matrix * source_matrix_pitch * element_bytes;
        std::byte* image = core.at({Memory::l1, destination}) + matrix * matrix_pitch * element_bytes;
        for (std::uint32_t row = 0; row < rows; ++row) {
            const std::byte* from = plane + row * source_row_pitch * element_bytes;
            std::byte* to = image + std::uint64_t{row} * block_row_pitch * block_bytes;
            for (std::uint64_t block = 0; block < whole; ++block) {
                std::memcpy(to + block * column_pitch, from + block * block_bytes, block_bytes);
            }
            if (rest != 0) {  // the hardware fills the last block of a row with zeros
                std::memset(to + whole * column_pitch, 0, block_bytes);
                std::memcpy(to + whole * column_pitch, from + whole * block_bytes, rest);
            }
        }
    }
}

Transfer CopyNdToNz::transfer(const CorePort&) const {
    return {.offset = source,
            .row_pitch = source_row_pitch * element_bytes,
            .plane_pitch = source_matrix_pitch * element_bytes,
            .row_bytes = columns * element_bytes,
            .rows = rows,
            .planes = count,
            .route = Route::gm_to_l1_nd2nz,
            .bypass_l2 = bypass_l2};
}

}  // namespace ascendsim::isa
