// SPDX-License-Identifier: Apache-2.0
#include "models/isa/vector/vector_shape.hpp"

#include <algorithm>
#include <bit>

namespace ascendsim::isa {
namespace {

std::uint64_t low_bits(std::uint64_t n) {
    return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}

// The last lane in use plus one.
std::uint32_t used_lanes(const VectorShape& shape, std::uint32_t lanes) {
    if (shape.counter) {
        return std::min(shape.count, lanes);
    }
    const auto high = static_cast<std::uint32_t>(std::bit_width(shape.mask[1]));
    const auto low = static_cast<std::uint32_t>(std::bit_width(shape.mask[0]));
    return std::min(lanes, high > 0 ? 64 + high : low);
}

}  // namespace

VectorShape VectorShape::of_lanes(std::uint64_t lanes, std::uint32_t repeats) {
    return {.mask = {low_bits(lanes), lanes > 64 ? low_bits(lanes - 64) : 0}, .repeats = repeats};
}

std::uint32_t VectorShape::mask_prefix(std::uint32_t lanes) const {
    if (lanes <= 64) {
        const std::uint64_t used = mask[0] & low_bits(lanes);
        const auto ones = static_cast<std::uint32_t>(std::countr_one(used));
        return low_bits(ones) == used ? ones : lanes + 1;
    }
    const auto low = static_cast<std::uint32_t>(std::countr_one(mask[0]));
    const auto high = static_cast<std::uint32_t>(std::countr_one(mask[1]));
    if (low == 64) {
        return low_bits(high) == mask[1] ? std::min(lanes, 64 + high) : lanes + 1;
    }
    return mask[1] == 0 && low_bits(low) == mask[0] ? low : lanes + 1;
}

std::uint32_t VectorShape::elements(std::uint32_t lanes) const {
    if (counter) {
        return count;
    }
    const int high = lanes > 64 ? std::popcount(mask[1] & low_bits(lanes - 64)) : 0;
    return repeats * static_cast<std::uint32_t>(std::popcount(mask[0] & low_bits(lanes)) + high);
}

namespace {

/// The blocks of a repeat are apart: rows of one block, and where that takes a third extent, planes of
/// repeats.
void place_blocks_apart(Access& access,
                        const VectorOperand& operand,
                        std::uint32_t repeats,
                        std::uint64_t bytes) {
    const std::uint64_t block_pitch = std::uint64_t{operand.block_stride} * block_bytes;
    const std::uint64_t pitch = std::uint64_t{operand.repeat_stride} * block_bytes;
    const std::uint64_t blocks = (bytes + block_bytes - 1) / block_bytes;
    if (pitch == block_pitch * blocks || repeats == 1) {
        access.row_bytes = block_bytes;
        access.rows = repeats * blocks;
        access.pitch = block_pitch;
    } else if (pitch == block_bytes && repeats * pitch <= block_pitch) {
        access.row_bytes = (repeats - 1) * pitch + block_bytes;
        access.rows = blocks;
        access.pitch = block_pitch;
    } else {
        access.row_bytes = block_bytes;
        access.rows = blocks;
        access.pitch = block_pitch;
        access.planes = repeats;
        access.plane_pitch = pitch;
    }
    if (bytes % block_bytes != 0 && access.rows > 1 && access.row_bytes == block_bytes) {
        access.row_bytes = bytes < block_bytes ? bytes : access.row_bytes;
    }
}

}  // namespace

Access operand_access(const VectorOperand& operand, const VectorShape& shape, std::uint32_t lanes) {
    const std::uint32_t repeats = shape.repeat_count(lanes);
    const std::uint32_t used = used_lanes(shape, lanes);
    Access access{.memory = Memory::ub, .offset = operand.offset};
    const bool holes = !shape.counter && shape.prefix(0, lanes) > lanes;
    access.covering = holes;
    if (repeats == 0 || used == 0) {
        access.rows = 0;
        return access;
    }
    const std::uint64_t pitch = std::uint64_t{operand.repeat_stride} * block_bytes;
    const std::uint64_t bytes = std::uint64_t{used} * operand.size();
    constexpr std::uint32_t most_lanes = 128;  // that two words can tell of
    if (holes && lanes <= most_lanes && (operand.block_stride == 1 || bytes <= block_bytes)) {
        access.row_bytes = bytes;
        access.rows = repeats;
        access.pitch = pitch;
        access.covering = false;
        access.lane_bytes = static_cast<std::uint8_t>(operand.size());
        access.lanes = shape.mask;
        return access;
    }
    if (operand.block_stride == 1 || bytes <= block_bytes) {
        const std::uint64_t last =
            shape.counter ? (shape.count - (repeats - 1) * lanes) * std::uint64_t{operand.size()} : bytes;
        const bool dense = pitch == bytes || repeats == 1;
        access.row_bytes = dense ? (repeats - 1) * bytes + last : bytes;
        access.rows = dense ? 1 : repeats;
        access.pitch = pitch;
        access.covering = access.covering || (!dense && last != bytes);
        return access;
    }
    if (operand.block_stride == 0) {
        access.row_bytes = std::min<std::uint64_t>(bytes, block_bytes);
        access.rows = repeats;
        access.pitch = pitch;
        return access;
    }
    access.covering =
        access.covering || bytes % block_bytes != 0 || (shape.counter && shape.count % lanes != 0);
    place_blocks_apart(access, operand, repeats, bytes);
    return access;
}

}  // namespace ascendsim::isa
