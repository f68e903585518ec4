// SPDX-License-Identifier: Apache-2.0
#include "models/isa/vector/vector_walk.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace ascendsim::isa {
namespace {

constexpr std::size_t scratch_bytes = block_bytes * blocks_per_repeat;  // the widest operand fills it

// Repeats follow each other without a gap.
bool dense(const VectorOperand& operand, std::uint32_t lanes, std::uint32_t repeats) {
    return operand.block_stride == 1 &&
           (repeats <= 1 || operand.repeat_stride * block_bytes == lanes * operand.size());
}

bool overlaps(std::uint32_t a, std::uint32_t a_bytes, std::uint32_t b, std::uint32_t b_bytes) {
    return a < b + b_bytes && b < a + a_bytes;
}

// True if a sweep over `n` lanes from each operand's start would read what it has written elsewhere.
bool entangled(const Elementwise& op,
               std::uint32_t dst,
               const std::array<std::uint32_t, 2>& source,
               std::uint32_t n) {
    for (std::uint8_t i = 0; i < op.source_count; ++i) {
        const bool same = source[i] == dst && op.sources[i].size() == op.dst.size();
        if (!same && overlaps(dst, n * op.dst.size(), source[i], n * op.sources[i].size())) {
            return true;
        }
    }
    return false;
}

void walk_gathered(std::byte* ub, const Elementwise& op, std::uint32_t r, std::uint32_t lanes) {
    alignas(32) std::array<std::byte, scratch_bytes> dst{};
    alignas(32) std::array<std::array<std::byte, scratch_bytes>, 2> source{};
    for (std::uint8_t i = 0; i < op.source_count; ++i) {
        gather_lanes(ub, op.sources[i], op.shape, r, lanes, source[i].data());
    }
    if (op.reads_dst) {
        gather_lanes(ub, op.dst, op.shape, r, lanes, dst.data());
    }
    op.kernel(dst.data(), source[0].data(), source[1].data(), op.scalar, lanes);
    scatter_lanes(ub, op.dst, op.shape, r, lanes, dst.data());
}

// Calls `visit(lane, n)` for each run of active lanes that lies in one block.
template <class Visit>
void for_runs(
    const VectorShape& shape, std::uint32_t r, std::uint32_t lanes, std::uint32_t per_block, Visit visit) {
    const std::uint32_t prefix = shape.prefix(r, lanes);
    if (prefix <= lanes) {
        for (std::uint32_t lane = 0; lane < prefix; lane += per_block) {
            visit(lane, std::min(per_block, prefix - lane));
        }
        return;
    }
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        if (shape.active(r, lane, lanes)) {
            visit(lane, 1U);
        }
    }
}

// A whole block has a copy of fixed size, which is a pair of moves.
void copy_run(std::byte* to, const std::byte* from, std::size_t bytes) {
    if (bytes == block_bytes) {
        std::memcpy(to, from, block_bytes);
    } else {
        std::memcpy(to, from, bytes);
    }
}

}  // namespace

void gather_lanes(const std::byte* ub,
                  const VectorOperand& operand,
                  const VectorShape& shape,
                  std::uint32_t r,
                  std::uint32_t lanes,
                  std::byte* packed) {
    const std::uint32_t size = operand.size();
    for_runs(shape, r, lanes, block_bytes / size, [&](std::uint32_t lane, std::uint32_t n) {
        copy_run(
            packed + std::size_t{lane} * size, ub + lane_offset(operand, r, lane), std::size_t{n} * size);
    });
}

void scatter_lanes(std::byte* ub,
                   const VectorOperand& operand,
                   const VectorShape& shape,
                   std::uint32_t r,
                   std::uint32_t lanes,
                   const std::byte* packed) {
    const std::uint32_t size = operand.size();
    for_runs(shape, r, lanes, block_bytes / size, [&](std::uint32_t lane, std::uint32_t n) {
        copy_run(
            ub + lane_offset(operand, r, lane), packed + std::size_t{lane} * size, std::size_t{n} * size);
    });
}

void walk_lanes(std::byte* ub, const Elementwise& op) {
    const std::uint32_t lanes = op.lanes();
    const std::uint32_t repeats = op.shape.repeat_count(lanes);
    if (repeats == 0) {
        return;
    }
    const std::uint32_t prefix = op.shape.prefix(repeats - 1, lanes);  // of the last repeat
    bool all_dense = (prefix == lanes || repeats == 1 || op.shape.counter) && prefix <= lanes &&
                     dense(op.dst, lanes, repeats);
    bool unit_blocks = op.dst.block_stride == 1 && prefix <= lanes;
    for (std::uint8_t i = 0; i < op.source_count; ++i) {
        all_dense = all_dense && dense(op.sources[i], lanes, repeats);
        unit_blocks = unit_blocks && op.sources[i].block_stride == 1;
    }
    if (all_dense) {
        const std::uint32_t n = (repeats - 1) * lanes + prefix;
        if (!entangled(op, op.dst.offset, {op.sources[0].offset, op.sources[1].offset}, n)) {
            op.kernel(ub + op.dst.offset, ub + op.sources[0].offset, ub + op.sources[1].offset, op.scalar, n);
            return;
        }
    }
    for (std::uint32_t r = 0; r < repeats; ++r) {
        const std::uint32_t dst = lane_offset(op.dst, r, 0);
        const std::array<std::uint32_t, 2> source{lane_offset(op.sources[0], r, 0),
                                                  lane_offset(op.sources[1], r, 0)};
        const std::uint32_t n = op.shape.prefix(r, lanes);
        if (unit_blocks && !entangled(op, dst, source, n)) {
            op.kernel(ub + dst, ub + source[0], ub + source[1], op.scalar, n);
        } else {
            walk_gathered(ub, op, r, lanes);
        }
    }
}

}  // namespace ascendsim::isa
