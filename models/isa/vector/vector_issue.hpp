// SPDX-License-Identifier: Apache-2.0
// Shared by the instruction files of the vector unit; not for other headers.
#pragma once

#include <cstring>
#include <type_traits>

#include <fmt/format.h>

#include "models/isa/vector/elementwise.hpp"
#include "models/isa/vector/vector_walk.hpp"
#include "models/numbers/bfloat16.hpp"
#include "models/numbers/half.hpp"
#include "models/numbers/rounding.hpp"
#include "models/port/issue.hpp"

namespace ascendsim::isa {

/// A vector instruction whose effect is a function of the unified buffer.
template <class Effect>
struct VectorInstruction {
    static constexpr bool borrows = true;  // what `effect` refers to lives while it is issued
    const OpInfo& info;
    const VectorCost VectorSpec::*cost;
    const Accesses& list;
    VectorTiming timing;
    std::uint32_t work = 0;   // elements
    std::uint32_t bytes = 0;  // written
    std::uint32_t offset = 0;
    const Effect& effect;

    void accesses(Accesses& result) const { result = list; }

    void time(const ChipSpec& chip, TimedOp& op) const {
        time_vector(chip.vector, chip.vector.*cost, timing, op);
        op.work = work;
        op.bytes = bytes;
        op.offset = offset;
    }

    void execute(CorePort& core) const { effect(core.local(Memory::ub).data()); }
};

template <class Effect>
VectorInstruction(const OpInfo&,
                  const VectorCost VectorSpec::*,
                  const Accesses&,
                  VectorTiming,
                  std::uint32_t,
                  std::uint32_t,
                  std::uint32_t,
                  const Effect&) -> VectorInstruction<Effect>;

template <class T>
[[nodiscard]] T load(const std::byte* at) {
    T value;
    std::memcpy(static_cast<void*>(&value), at, sizeof(T));
    return value;
}

template <class T>
void save(std::byte* at, T value) {
    std::memcpy(at, static_cast<const void*>(&value), sizeof(T));
}

/// Calls `use` with a value of the element type, for the types vector instructions compute with; fails for
/// others.
template <class Use>
void with_type(DataType type, const OpInfo& info, Site site, Use use) {
    switch (type) {
        case DataType::half:
            return use(half{});
        case DataType::bfloat16:
            return use(bfloat16{});
        case DataType::float32:
            return use(float{});
        case DataType::int16:
            return use(std::int16_t{});
        case DataType::uint16:
            return use(std::uint16_t{});
        case DataType::int32:
            return use(std::int32_t{});
        case DataType::uint32:
            return use(std::uint32_t{});
        case DataType::int8:
            return use(std::int8_t{});
        case DataType::uint8:
            return use(std::uint8_t{});
        case DataType::int64:
            return use(std::int64_t{});
        case DataType::uint64:
            return use(std::uint64_t{});
        case DataType::int4:
        case DataType::float64:
        case DataType::boolean:
            break;
    }
    CorePort::current().fail(info, site, fmt::format("is not defined for {}", name(type)), Pipe::vector);
}

/// The lanes of repeat `r` of an operand, packed: in place where its blocks follow each other, else gathered.
class PackedLanes {
public:
    [[nodiscard]] const std::byte* of(const std::byte* ub,
                                      const VectorOperand& operand,
                                      const VectorShape& shape,
                                      std::uint32_t r,
                                      std::uint32_t lanes) {
        if (operand.block_stride == 1) {
            return ub + lane_offset(operand, r, 0);
        }
        gather_lanes(ub, operand, shape, r, lanes, scratch_);
        return scratch_;
    }

private:
    alignas(32) std::byte scratch_[block_bytes * blocks_per_repeat * 8]{};
};

[[nodiscard]] inline std::uint32_t lanes_of(const VectorOperand& operand) {
    return block_bytes * blocks_per_repeat / operand.size();
}

}  // namespace ascendsim::isa
