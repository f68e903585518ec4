// SPDX-License-Identifier: Apache-2.0
#include "models/isa/vector/vector_mask.hpp"

#include <bit>

#include "models/port/core_port.hpp"

namespace ascendsim::isa {
namespace {

constexpr std::uint64_t all_lanes = ~std::uint64_t{0};

VectorShape shape_of_register(std::uint32_t repeats) {
    const Registers& registers = CorePort::current().registers();
    if (registers.mask_counter_mode) {
        return VectorShape::of_count(static_cast<std::uint32_t>(registers.mask[0]));
    }
    return VectorShape::of_bits(registers.mask[0], registers.mask[1], repeats);
}

}  // namespace

VectorShape shape_of_lanes(std::uint64_t lanes, std::uint32_t repeats, bool sets) {
    if (!sets) {
        return shape_of_register(repeats);
    }
    set_mask_lanes(lanes);
    VectorShape shape = shape_of_register(repeats);
    shape.asked = shape.counter ? 0 : lanes;
    return shape;
}

VectorShape shape_of_bits(const std::uint64_t* mask, std::uint32_t repeats, bool sets) {
    if (!sets) {
        return shape_of_register(repeats);
    }
    set_mask_bits(mask[0], mask[1]);
    VectorShape shape = shape_of_register(repeats);
    const auto low = static_cast<std::uint64_t>(std::bit_width(mask[0]));
    const auto high = static_cast<std::uint64_t>(std::bit_width(mask[1]));
    // All bits set say "all lanes", of whatever type: the chip ignores those that a repeat has not.
    const bool all = mask[0] == all_lanes && (mask[1] == 0 || mask[1] == all_lanes);
    shape.asked = shape.counter || all ? 0 : high != 0 ? 64 + high : low;
    return shape;
}

VectorShape shape_of_count(std::uint32_t count) {
    Registers& registers = CorePort::current().registers();
    registers.mask = {all_lanes, all_lanes};
    registers.mask_counter_mode = false;
    registers.mask_written = true;
    return VectorShape::of_count(count);
}

void set_mask_bits(std::uint64_t low, std::uint64_t high) {
    Registers& registers = CorePort::current().registers();
    registers.mask = {low, high};
    registers.mask_written = true;
}

void set_mask_lanes(std::uint64_t lanes) {
    Registers& registers = CorePort::current().registers();
    if (registers.mask_counter_mode) {
        registers.mask = {lanes, 0};
    } else {
        registers.mask = VectorShape::of_lanes(lanes, 1).mask;
    }
    registers.mask_written = true;
}

void set_mask_mode(bool counter) {
    Registers& registers = CorePort::current().registers();
    registers.mask_counter_mode = counter;
    registers.mask_written = true;
}

}  // namespace ascendsim::isa
