// SPDX-License-Identifier: Apache-2.0
#include "models/isa/vector/elementwise.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "models/isa/vector/bank_conflict.hpp"
#include "models/isa/vector/lane_table.hpp"
#include "models/isa/vector/vector_walk.hpp"
#include "models/port/issue.hpp"

namespace ascendsim::isa {

const LaneEntry& lane_entry(LaneOp op) {
    if (op < LaneOp::add) {
        return unary_entry(op);
    }
    if (op < LaneOp::adds) {
        return binary_entry(op);
    }
    return op < LaneOp::axpy ? scalar_entry(op) : ternary_entry(op);
}

namespace {

// Rounds up; cheaper than std::ceil, which is a call on hosts without a rounding instruction.
std::uint32_t whole(double cycles) {
    const auto floor = static_cast<std::uint32_t>(cycles);
    return floor + (static_cast<double>(floor) < cycles ? 1 : 0);
}

}  // namespace

void time_vector(const VectorSpec& spec, const VectorCost& cost, const VectorTiming& timing, TimedOp& op) {
    const double slope = timing.width <= 2 ? cost.repeat_b16 : cost.repeat_b32;
    const double tail = timing.ragged_counter ? spec.counter_tail_cycles : 0.0;
    const double cycles = std::max(spec.min_cycles, slope * timing.repeats + timing.conflict);
    const double fill = cost.head + cost.tail + tail;
    // The unit empties before it takes a new mask, so filling and emptying are only hidden behind
    // instructions that keep the mask.
    const bool empties = std::exchange(CorePort::current().registers().mask_written, false);
    op.pipe = Pipe::vector;
    op.occupies = whole(empties ? cycles + fill : cycles);
    op.latency = empties ? 0 : whole(fill);
    op.conflict = timing.conflict;
    op.memory = Memory::ub;
}

std::uint32_t Elementwise::lanes() const {
    std::uint32_t width = dst.size();
    for (std::uint8_t i = 0; i < source_count; ++i) {
        width = std::max(width, sources[i].size());
    }
    return block_bytes * blocks_per_repeat / width;
}

std::string misfit(const VectorShape& shape, std::uint32_t lanes) {
    constexpr std::uint32_t modulus = most_repeats + 1;
    if (shape.asked > lanes) {
        return fmt::format(
            "the mask asks for {} lanes, but a repeat of these operands has {}", shape.asked, lanes);
    }
    return fmt::format("{} repeats: an instruction has at most {}, and the chip makes {} of it",
                       static_cast<std::int32_t>(shape.repeats),
                       most_repeats,
                       shape.repeats % modulus);
}

void check_shape(const VectorShape& shape, std::uint32_t lanes, const OpInfo& info, Site site) {
    if (!fits(shape, lanes)) [[unlikely]] {
        CorePort::current().fail(info, site, misfit(shape, lanes), Pipe::vector);
    }
}

namespace {

/// Bytes that repeat `r` of an operand covers.
struct RepeatRange {
    std::uint64_t begin;
    std::uint64_t end;

    [[nodiscard]] bool meets(const RepeatRange& other) const {
        return begin < other.end && other.begin < end;
    }
};

RepeatRange range_of(const VectorOperand& operand,
                     const VectorShape& shape,
                     std::uint32_t r,
                     std::uint32_t lanes) {
    const std::uint32_t used = std::min(shape.prefix(r, lanes), lanes);
    const std::uint32_t begin = lane_offset(operand, r, 0);
    return {begin, used == 0 ? begin : lane_offset(operand, r, used - 1) + operand.size()};
}

/// Sums of repeats in one place: what the interface allows of source 1.
bool accumulates(const Elementwise& op, std::uint8_t source) {
    const DataType type = op.dst.type;
    const bool of_type = type == DataType::half || type == DataType::int32 || type == DataType::float32;
    return of_type && op.source_count == 2 && source == 1 &&
           (op.dst.repeat_stride == 0 || op.sources[1].repeat_stride == 0);
}

/// What of source `i` meets the destination, in words; empty: nothing that must not.
std::string_view meeting(const Elementwise& op, std::uint8_t i) {
    const VectorOperand& source = op.sources[i];
    const VectorOperand& dst = op.dst;
    const bool same = source.offset == dst.offset && source.block_stride == dst.block_stride &&
                      source.repeat_stride == dst.repeat_stride && dst.repeat_stride != 0;
    if (same || source.block_stride != 1 || dst.block_stride != 1) {
        return {};  // strided blocks may interleave
    }
    const bool alike = source.size() == dst.size();
    const std::uint32_t lanes = op.lanes();
    const std::uint32_t repeats = op.shape.repeat_count(lanes);
    for (std::uint32_t r = 0; r < repeats; ++r) {
        const RepeatRange written = range_of(dst, op.shape, r, lanes);
        const RepeatRange read = range_of(source, op.shape, r, lanes);
        if (alike && written.meets(read) && written.begin != read.begin) {
            return "overlaps the destination in part within a repeat";
        }
        if (r + 1 < repeats && !accumulates(op, i) &&
            written.meets(range_of(source, op.shape, r + 1, lanes))) {
            return "is read by a repeat where the one before has written";
        }
    }
    return {};
}

}  // namespace

bool Elementwise::tangled() const {
    for (std::uint8_t i = 0; i < source_count; ++i) {
        const std::uint64_t apart =
            dst.offset > sources[i].offset ? dst.offset - sources[i].offset : sources[i].offset - dst.offset;
        const std::uint64_t most = std::uint64_t{shape.repeat_count(lanes())} * block_bytes *
                                   std::max({dst.repeat_stride, sources[i].repeat_stride, std::uint16_t{8}});
        if (apart < most && !meeting(*this, i).empty()) {
            return true;
        }
    }
    return false;
}

std::string Elementwise::overlap() const {
    for (std::uint8_t i = 0; i < source_count; ++i) {
        if (const std::string_view words = meeting(*this, i); !words.empty()) {
            return fmt::format(
                "source {} at UB offset {} {}, which is at {}: operands of an instruction are the "
                "same or apart",
                i,
                sources[i].offset,
                words,
                dst.offset);
        }
    }
    return {};
}

void Elementwise::accesses(Accesses& list) const {
    const std::uint32_t per_repeat = lanes();
    for (std::uint8_t i = 0; i < source_count; ++i) {
        list.read(operand_access(sources[i], shape, per_repeat));
    }
    const Access target = operand_access(dst, shape, per_repeat);
    if (reads_dst) {
        list.read(target);
    }
    list.write(target);
}

void Elementwise::time(const ChipSpec& chip, TimedOp& op) const {
    const std::uint32_t per_repeat = lanes();
    const std::uint32_t repeats = shape.repeat_count(per_repeat);
    const std::uint32_t width = block_bytes * blocks_per_repeat / per_repeat;
    const std::span<const VectorOperand> reads{sources.data(), source_count};
    const BankConflict conflict = bank_conflict(chip.buffers, dst, reads, repeats);
    if (conflict.cycles > 0) [[unlikely]] {
        op.a = static_cast<std::uint8_t>(conflict.collision);
        op.id = sources[0].offset / block_bytes | (sources[1].offset / block_bytes) << 16U;
    }
    time_vector(chip.vector,
                chip.vector.*cost,
                {.repeats = repeats,
                 .width = width,
                 .conflict = conflict.cycles,
                 .ragged_counter = shape.counter && shape.count % per_repeat != 0},
                op);
    op.work = shape.elements(per_repeat);
    op.bytes = op.work * dst.size();
    op.offset = dst.offset;
}

void Elementwise::execute(CorePort& core) const {
    const std::span<std::byte> ub = core.local(Memory::ub);
    walk_lanes(ub.data(), *this);
}

void fail_alignment(
    std::uint32_t offset, std::string_view role, const OpInfo& info, Site site, std::uint32_t alignment) {
    CorePort::current().fail(
        info,
        site,
        fmt::format(
            "{} starts at UB offset {}, which is not a multiple of {} bytes", role, offset, alignment),
        Pipe::vector);
    __builtin_unreachable();
}

void issue_elementwise(const Elementwise& instruction, Site site) {
    check_aligned(instruction.dst.offset, "the destination", instruction.info, site);
    for (std::uint8_t i = 0; i < instruction.source_count; ++i) {
        check_aligned(
            instruction.sources[i].offset, i == 0 ? "source 0" : "source 1", instruction.info, site);
    }
    issue(instruction, site);
}

void lanes(LaneOp op, const LaneCall& call, Site site) {
    const LaneEntry& entry = lane_entry(op);
    const DataType source = entry.source_count > 0 ? call.a.type : call.dst.type;
    LaneKernel kernel = entry.kernels[static_cast<std::size_t>(call.dst.type)];
    if (source != call.dst.type) [[unlikely]] {
        kernel = source == DataType::half && call.dst.type == DataType::float32 && op >= LaneOp::axpy
                     ? ternary_half_to_float(op)
                     : nullptr;
    }
    if (kernel == nullptr) [[unlikely]] {
        CorePort::current().fail(
            entry.info,
            site,
            fmt::format("is not defined for {} to {}", name(source), name(call.dst.type)),
            Pipe::vector);
    }
    issue_elementwise({.info = entry.info,
                       .cost = entry.cost,
                       .kernel = kernel,
                       .dst = call.dst,
                       .sources = {call.a, call.b},
                       .source_count = entry.source_count,
                       .reads_dst = entry.reads_dst,
                       .scalar = call.scalar,
                       .shape = call.shape},
                      site);
}

}  // namespace ascendsim::isa
