// SPDX-License-Identifier: Apache-2.0
#include "models/isa/cube/cube_tables.hpp"
#include "models/isa/cube/fixpipe.hpp"
#include "models/isa/cube/load2d.hpp"
#include "models/isa/cube/load3d.hpp"
#include "models/isa/cube/mmad.hpp"
#include "models/isa/move/copy_gm_ub.hpp"
#include "models/isa/move/copy_local.hpp"
#include "models/isa/move/cube_copy.hpp"
#include "models/isa/sync/synchronise.hpp"
#include "models/port/issue.hpp"
#include "tests/parameters/programs.hpp"

namespace ascendsim::testing {

using namespace isa;  // NOLINT(google-build-using-namespace): instructions are what this file consists of

namespace {

/// Issues `instruction` alone and twice in a row.
template <class Instruction>
void alone_and_twice(Readings& readings, const Instruction& instruction) {
    issue(instruction, here);
    settle(readings);
    issue(instruction, here);
    issue(instruction, here);
    settle(readings);
}

void loads(Readings& readings) {
    for (const Memory to : {Memory::l0a, Memory::l0b}) {
        alone_and_twice(readings, Load2d{.destination = {to, 0}, .repeat = 64, .source_stride = 1});
        alone_and_twice(readings,
                        Load3d{.destination = {to, 0},
                               .height = 16,
                               .width = 16,
                               .channels = 16,
                               .k_extent = 16,
                               .m_extent = 256});
    }
}

void products(Readings& readings) {
    alone_and_twice(readings, Mmad{.m = 96, .n = 80, .k = 64});
    alone_and_twice(
        readings, Mmad{.m = 96, .n = 80, .k = 64, .a_type = DataType::float32, .b_type = DataType::float32});
}

void copies(std::byte* gm, Readings& readings) {
    const std::uint64_t source = CorePort::current().global().offset_of(gm);
    for (int round = 0; round < 2; ++round) {  // from memory, then from L2
        alone_and_twice(readings,
                        CopyNdToNz{.source = source,
                                   .rows = 400,
                                   .columns = 256,
                                   .source_row_pitch = 384,
                                   .block_column_pitch = 400,
                                   .block_row_pitch = 1});
        alone_and_twice(readings,
                        CopyGmFractals{.destination = {Memory::l1, 0}, .source = source, .row_bytes = 65536});
        alone_and_twice(readings,
                        CopyGmFractals{.destination = {Memory::l0a, 0}, .source = source, .row_bytes = 512});
    }
    copy_out(gm, {Memory::l1, 0}, {.row_bytes = 65536, .gm_pitch = 65536, .local_pitch = 65536}, here);
    settle(readings);
}

void results(std::byte* gm, Readings& readings) {
    const std::uint64_t destination = CorePort::current().global().offset_of(gm);
    const FixpipeOperands square{
        .n = 128, .m = 128, .source_pitch = 128, .destination_pitch = 1000, .to_nd = true};
    FixpipeOperands blocks = square;
    blocks.to_nd = false;
    blocks.destination_pitch = 128 * 2;
    alone_and_twice(readings, FixpipeToGm{.operands = square, .destination = destination});
    alone_and_twice(readings, FixpipeToGm{.operands = blocks, .destination = destination});
    alone_and_twice(
        readings,
        FixpipeToGm{.operands = square, .destination = destination, .atomic = {.mode = AtomicMode::add}});
    blocks.destination_type = DataType::half;
    blocks.destination_pitch = 128;
    alone_and_twice(readings, FixpipeToL1{.operands = blocks});
    alone_and_twice(readings, LoadTable{.destination = {Memory::bias_table, 0}, .row_bytes = 512});
}

}  // namespace

void cube_instructions(std::byte* gm, Readings& readings) {
    loads(readings);
    products(readings);
    copies(gm, readings);
    results(gm, readings);
}

void ends_of_memories(bool cube) {
    const BufferSpec whole{};  // of the chips of arch 2201
    if (!cube) {
        scalar_buffer_access({Memory::ub, whole.ub - 4}, 4, false, here);
        return;
    }
    issue(FillConstant{.destination = {Memory::l1, whole.l1 - 512}, .repeat = 1, .run_bytes = 512}, here);
    issue(FillConstant{.destination = {Memory::l0a, whole.l0a - 512}, .repeat = 1, .run_bytes = 512}, here);
    issue(FillConstant{.destination = {Memory::l0b, whole.l0b - 512}, .repeat = 1, .run_bytes = 512}, here);
    issue(LoadTable{.destination = {Memory::bias_table, whole.bias_table - 64}, .row_bytes = 64}, here);
    issue(LoadTable{.destination = {Memory::fixpipe_buffer, whole.fixpipe_buffer - 64}, .row_bytes = 64},
          here);
    issue(Mmad{.c = whole.l0c - 1024, .m = 16, .n = 16, .k = 16}, here);
    // The last flag of a pair: of the cube and Fixpipe one more is an error, where other pairs only tell.
    set_flag(Pipe::cube, Pipe::fixpipe, 7, here);
    wait_flag(Pipe::cube, Pipe::fixpipe, 7, here);
}

void coupled_paths(Readings& readings) {
    const auto copy = [&readings](Memory from, Memory to) {
        copy_local({.dst = {to, 0}, .src = {from, 0}, .row_bytes = 32768}, here);
        settle(readings);
    };
    copy(Memory::ub, Memory::l1);
    copy(Memory::l1, Memory::ub);
    const FixpipeOperands blocks{
        .n = 64, .m = 64, .source_pitch = 64, .destination_pitch = 64 * 2, .to_nd = false};
    alone_and_twice(readings, CopyResultToUb{.operands = blocks});
}

}  // namespace ascendsim::testing
