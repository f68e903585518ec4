// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "models/isa/move/copy_gm_ub.hpp"
#include "models/isa/move/copy_local.hpp"
#include "models/isa/sync/synchronise.hpp"
#include "models/isa/vector/elementwise.hpp"
#include "models/isa/vector/vector_cast.hpp"
#include "models/isa/vector/vector_compare.hpp"
#include "models/isa/vector/vector_gather.hpp"
#include "models/isa/vector/vector_mask.hpp"
#include "models/isa/vector/vector_reduce.hpp"
#include "models/isa/vector/vector_sort.hpp"
#include "tests/parameters/programs.hpp"

namespace ascendsim::testing {

using namespace isa;  // NOLINT(google-build-using-namespace): instructions are what this file consists of

namespace {

constexpr std::uint32_t repeats = 8;
constexpr std::uint32_t second = 0x4000;  // B in UB: operands
constexpr std::uint32_t third = 0x8000;
constexpr std::uint32_t result = 0xC000;

VectorOperand at(std::uint32_t offset, DataType type) {
    return {.offset = offset, .type = type};
}

/// Runs `instruction` alone and twice in a row.
template <class Instruction>
void timed(Readings& readings, Instruction instruction) {
    instruction();
    settle(readings);
    instruction();
    instruction();
    settle(readings);
}

void lane_instructions(DataType type, const VectorShape& shape, Readings& readings) {
    for (const LaneOp op : {LaneOp::add,
                            LaneOp::duplicate,
                            LaneOp::exp,
                            LaneOp::ln,
                            LaneOp::sqrt,
                            LaneOp::rsqrt,
                            LaneOp::reciprocal,
                            LaneOp::div,
                            LaneOp::mul_add_dst,
                            LaneOp::fused_mul_add}) {
        timed(readings, [&] {
            lanes(op,
                  {.dst = at(result, type),
                   .a = at(0, type),
                   .b = at(second, type),
                   .scalar = {},
                   .shape = shape},
                  here);
        });
    }
}

void bit_instructions(DataType type, const VectorShape& shape, Readings& readings) {
    const TensorOrScalar right{.tensor = at(second, type), .scalar = {}};
    timed(readings, [&] { vector_compare(result, at(0, type), right, Comparison::lt, shape, here); });
    timed(readings,
          [&] { vector_select(at(result, type), {.offset = third}, at(0, type), right, shape, here); });
    timed(readings, [&] {
        static_cast<void>(vector_gather_mask(
            {.dst = result, .src = at(0, type), .pattern = 1, .bits_stride = 0, .repeats = repeats}, here));
    });
}

void reductions(DataType type, const VectorShape& shape, Readings& readings) {
    const ReduceTarget to{.offset = result, .repeat_bytes = 32};
    timed(readings, [&] { reduce_repeats_sum(to, at(0, type), shape, here); });
    timed(readings, [&] { reduce_blocks(Reduction::sum, to, at(0, type), shape, here); });
    timed(readings, [&] { reduce_pairs({.offset = result, .repeat_bytes = 128}, at(0, type), shape, here); });
}

void rearrangements(DataType type, const VectorShape& shape, Readings& readings) {
    const std::uint32_t size = bits(type) / 8;
    timed(readings, [&] { vector_gather(at(result, type), 0, second, shape, here); });
    timed(readings, [&] { vector_scatter(at(0, type), result, second, shape, here); });
    timed(readings, [&] { vector_gather_blocks(at(result, type), 0, second, repeats, here); });
    timed(readings, [&] { vector_broadcast_blocks(at(result, type), 0, repeats, here); });
    TransposeCall transpose{.dst = {}, .src = {}, .type = type, .repeats = repeats};
    for (std::uint32_t i = 0; i < 16; ++i) {
        transpose.src[i] = 32 * i * size;
        transpose.dst[i] = result + 32 * i * size;
    }
    transpose.src_stride = transpose.dst_stride = 16;
    timed(readings, [&] { vector_transpose_rows(transpose, here); });
    timed(readings, [&] { vector_sort32(result, at(0, type), second, repeats, here); });
    MergeCall merge{.dst = result, .lengths = {32, 32, 32, 32}, .valid = 15, .type = type};
    for (std::uint32_t i = 0; i < 4; ++i) {
        merge.sources[i] = i * 0x400;
    }
    timed(readings, [&] { vector_merge(merge, here); });
}

void conversions(Readings& readings) {
    const VectorShape wide = VectorShape::of_lanes(32, repeats);
    timed(readings, [&] {
        vector_cast(at(result, DataType::int16),
                    at(0, DataType::half),
                    RoundMode::rint,
                    VectorShape::of_lanes(128, repeats),
                    here);
    });
    timed(readings, [&] {
        vector_cast(at(result, DataType::int32),
                    at(0, DataType::float32),
                    RoundMode::rint,
                    VectorShape::of_lanes(64, repeats),
                    here);
    });
    timed(readings, [&] {
        vector_cast(at(result, DataType::int64), at(0, DataType::int32), RoundMode::none, wide, here);
    });
}

/// Operands whose blocks meet in a bank, with one bank structure or another.
void bank_conflicts(Readings& readings) {
    for (const std::uint32_t apart : {0x100U, 0x200U, 0x2000U, 0x8000U, 0x10000U}) {
        for (const std::uint32_t to : {0x4000U, 0x10100U, 0x20000U}) {
            lanes(LaneOp::add,
                  {.dst = at(to, DataType::float32),
                   .a = at(0, DataType::float32),
                   .b = at(apart, DataType::float32),
                   .scalar = {},
                   .shape = VectorShape::of_lanes(64, repeats)},
                  here);
            settle(readings);
        }
    }
}

/// A place of the kernel for each of `lines`, so that each has code of its own.
void many_places(std::uint32_t lines, bool flags, Readings& readings) {
    for (std::uint32_t line = 1; line <= lines; ++line) {
        const Site place{flags ? "flags.cpp" : "calls.cpp", line};
        if (flags) {
            scalar_work(1, place);
        } else {
            lanes(LaneOp::add,
                  {.dst = at(result, DataType::half),
                   .a = at(0, DataType::half),
                   .b = at(second, DataType::half),
                   .scalar = {},
                   .shape = VectorShape::of_lanes(128, 1)},
                  place);
        }
    }
    settle(readings);
}

void full_queues(std::byte* gm, Readings& readings) {
    CorePort& core = CorePort::current();
    for (int i = 0; i < 200; ++i) {
        copy_in({Memory::ub, 0}, gm, {.row_bytes = 4096, .gm_pitch = 4096, .local_pitch = 4096}, here);
    }
    readings.push_back(core.system_cycle(here));
    settle(readings);
    for (int i = 0; i < 200; ++i) {
        lanes(LaneOp::exp,
              {.dst = at(result, DataType::half),
               .a = at(0, DataType::half),
               .b = {},
               .scalar = {},
               .shape = VectorShape::of_lanes(128, 8)},
              here);
    }
    readings.push_back(core.system_cycle(here));
    settle(readings);
}

void data_cache(std::byte* gm, Readings& readings) {
    CorePort& core = CorePort::current();
    constexpr std::array<std::uint64_t, 13> places{
        0, 4, 32, 64, 100, 32768, 0, 16384, 0, 65536, 0, 1048576, 0};
    for (const std::uint64_t place : places) {
        core.scalar_global_access(gm + place, 4, false, here);
        readings.push_back(core.system_cycle(here));
    }
}

}  // namespace

void settle(Readings& readings) {
    barrier_all(here);
    readings.push_back(CorePort::current().system_cycle(here));
}

void every_vector_instruction(Readings& readings) {
    for (const DataType type : {DataType::half, DataType::float32}) {
        const VectorShape shape = VectorShape::of_lanes(2048 / bits(type), repeats);
        lane_instructions(type, shape, readings);
        bit_instructions(type, shape, readings);
        reductions(type, shape, readings);
        rearrangements(type, shape, readings);
    }
    conversions(readings);
    timed(readings, [] { load_compare_mask(0, here); });
    timed(readings, [] { store_compare_mask(0, here); });
    lanes(LaneOp::add,
          {.dst = at(result, DataType::float32),
           .a = at(0, DataType::float32),
           .b = at(second, DataType::float32),
           .scalar = {},
           .shape = VectorShape::of_count(100)},
          here);
    settle(readings);
    copy_local({.dst = {Memory::ub, result}, .src = {Memory::ub, 0}, .row_bytes = 8192}, here);
    settle(readings);
    bank_conflicts(readings);
}

void scalar_unit(std::byte* gm, Readings& readings) {
    for (const std::uint32_t id : {0U, 7U}) {
        set_flag(Pipe::mte2, Pipe::scalar, id, here);
        wait_flag(Pipe::mte2, Pipe::scalar, id, here);
        settle(readings);
        set_flag(Pipe::mte2, Pipe::vector, id, here);
        wait_flag(Pipe::mte2, Pipe::vector, id, here);
        load_compare_mask(0, here);
        settle(readings);
    }
    pipe_barrier(Pipe::vector, here);
    settle(readings);
    scalar_buffer_access({Memory::ub, 64}, 4, false, here);
    settle(readings);
    ascendsim_scalar_steps = 20;
    ascendsim_scalar_divisions = 10;
    settle(readings);
    data_cache(gm, readings);
    full_queues(gm, readings);
    for (int round = 0; round < 2; ++round) {
        many_places(300, false, readings);
        many_places(1500, true, readings);
    }
}

void vector_copies(std::byte* gm, Readings& readings) {
    const Local ub{Memory::ub, 0};
    const std::array<CopyShape, 5> shapes{
        {{.row_bytes = 65536, .gm_pitch = 65536, .local_pitch = 65536},
         {.row_bytes = 32, .gm_pitch = 32, .local_pitch = 32},
         {.rows = 64, .row_bytes = 96, .gm_pitch = 1000, .local_pitch = 96},
         {.rows = 64, .row_bytes = 32, .gm_pitch = 4096, .local_pitch = 32},
         {.rows = 4, .row_bytes = 8192, .gm_pitch = 9000, .local_pitch = 8192}}};
    for (const CopyShape& shape : shapes) {
        timed(readings, [&] { copy_in(ub, gm, shape, here); });
        timed(readings, [&] { copy_out(gm, ub, shape, here); });
        // The sources are in L2 now.
        timed(readings, [&] { copy_in(ub, gm, shape, here); });
    }
    const CopyShape ragged{.rows = 200, .row_bytes = 20, .gm_pitch = 64, .local_pitch = 32};
    timed(readings, [&] { copy_in_padded(ub, gm, ragged, {}, here); });
    timed(readings, [&] { copy_out_bytes(gm, ub, ragged, here); });
    CorePort::current().registers().atomic = AtomicMode::add;
    timed(readings, [&] { copy_out(gm, ub, shapes[0], here); });
    CorePort::current().registers().atomic = AtomicMode::none;
}

void stream(std::byte* gm, bool past_l2, Readings& readings) {
    constexpr std::uint32_t piece = 65536;
    const CopyShape shape{.row_bytes = piece, .gm_pitch = piece, .local_pitch = piece, .bypass_l2 = past_l2};
    for (int round = 0; round < 2; ++round) {
        for (std::uint64_t place = 0; place < gm_bytes; place += piece) {
            copy_in({Memory::ub, 0}, gm + place, shape, here);
            copy_out(gm + place, {Memory::ub, piece}, shape, here);
        }
        settle(readings);
    }
}

void shared_lines(std::byte* gm, bool past_l2, Readings& readings) {
    constexpr std::uint32_t rows = 64;
    const CopyShape shape{
        .rows = rows, .row_bytes = 128, .gm_pitch = 512, .local_pitch = 128, .bypass_l2 = past_l2};
    for (int i = 0; i < 16; ++i) {
        copy_in({Memory::ub, 0}, gm, shape, here);
    }
    settle(readings);
}

}  // namespace ascendsim::testing
