// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/core/machine.hpp"

namespace ascendsim::testing {

inline constexpr isa::OpInfo work_info{"work", "Test work."};
inline constexpr isa::OpInfo copy_info{"copy", "Test copy."};
inline constexpr isa::OpInfo flag_info{"flag", "Test flag."};
inline constexpr Site here{"test.cpp", 1};

/// What a test program does; each call is one operation of the running core.
inline void work(Pipe pipe, std::uint32_t occupies, std::uint32_t latency = 0) {
    isa::CorePort::current().push(
        {.info = &work_info, .site = here, .pipe = pipe, .occupies = occupies, .latency = latency});
}

inline void copy(Pipe pipe, isa::Route route, std::uint64_t offset, std::uint32_t bytes) {
    isa::CorePort::current().push(
        isa::TimedOp{
            .info = &copy_info, .site = here, .kind = isa::OpKind::transfer, .pipe = pipe, .bytes = bytes},
        isa::Transfer{.offset = offset, .row_bytes = bytes, .route = route});
}

inline void set(Pipe from, Pipe to, std::uint32_t id = 0) {
    isa::CorePort::current().push({.info = &flag_info,
                                   .site = here,
                                   .kind = isa::OpKind::set_flag,
                                   .pipe = from,
                                   .a = static_cast<std::uint8_t>(from),
                                   .b = static_cast<std::uint8_t>(to),
                                   .id = id});
}

inline void await(Pipe from, Pipe to, std::uint32_t id = 0) {
    isa::CorePort::current().push({.info = &flag_info,
                                   .site = here,
                                   .kind = isa::OpKind::wait_flag,
                                   .pipe = to,
                                   .a = static_cast<std::uint8_t>(from),
                                   .b = static_cast<std::uint8_t>(to),
                                   .id = id});
}

inline void barrier(Pipe pipe) {
    isa::CorePort::current().push(
        {.info = &flag_info, .site = here, .kind = isa::OpKind::barrier, .pipe = pipe});
}

inline void cross_set(Pipe pipe, std::uint32_t mode, std::uint32_t id) {
    isa::CorePort& core = isa::CorePort::current();
    core.push({.info = &flag_info,
               .site = here,
               .kind = isa::OpKind::cross_set,
               .pipe = pipe,
               .a = static_cast<std::uint8_t>(mode),
               .id = id});
    core.raise_cross_flag(mode, id, here);
}

inline void cross_await(Pipe pipe, std::uint32_t id) {
    isa::CorePort& core = isa::CorePort::current();
    core.push({.info = &flag_info, .site = here, .kind = isa::OpKind::cross_wait, .pipe = pipe, .id = id});
    core.await_cross_flag(id, here);
}

/// A chip whose scalar unit, flags and launch cost nothing, so that expected times can be added up in sight.
inline ChipSpec plain_chip() {
    ChipSpec chip;
    chip.name = "plain";
    chip.scalar.issue_cycles = 0;
    chip.scalar.init_cycles = 0;
    chip.sync.set_cycles = 0;
    chip.sync.wait_cycles = 0;
    chip.sync.flag_latency = 0;
    chip.sync.barrier_cycles = 0;
    chip.hbm.bytes = 1ULL << 30;
    chip.hbm.queue_cycles = 0;
    return chip;
}

/// Runs one launch of `program` on vector cores and returns how it went.
inline LaunchOutcome run_vector(const ChipSpec& chip,
                                std::uint32_t blocks,
                                Program program,
                                record::Recorder& recorder) {
    Machine machine{chip, recorder, {.cold_code = false, .launch_overhead = false}};
    LaunchOutcome outcome;
    machine.run([&](Machine& m) {
        outcome = m.launch(
            {.name = "test", .kind = CoreUse::aiv, .blocks = blocks, .vector_program = std::move(program)});
    });
    return outcome;
}

inline std::uint64_t vector_cycles(const ChipSpec& chip, std::uint32_t blocks, Program program) {
    record::Recorder recorder{""};
    return run_vector(chip, blocks, std::move(program), recorder).cores_end;
}

}  // namespace ascendsim::testing
