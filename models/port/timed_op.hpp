// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/port/pipe.hpp"

namespace ascendsim::isa {

/// What an instruction is, as reports and pictures name it. One constant per instruction; identity is its
/// address.
struct OpInfo {
    std::string_view name;     // as in "vadd", "load2d", "mmad"
    std::string_view meaning;  // a sentence for `describe` and hovers
};

/// The instructions that one file declares (models/isa/instructions.hpp).
using Instructions = std::vector<const OpInfo*>;

/// How the timing of an operation works.
enum class OpKind : std::uint8_t {
    compute,       // holds its pipe for `occupies`, result usable `latency` later
    transfer,      // moves bytes to or from global memory: `id` names its Transfer
    set_flag,      // pipe `a` raises flag `id` for pipe `b` when its earlier work is complete
    wait_flag,     // pipe `b` waits for flag `id` of pipe `a`
    barrier,       // the pipe waits for its own earlier work
    barrier_all,   // the scalar unit waits for every pipe
    scalar_work,   // the scalar unit computes for `scalar` cycles
    scalar_load,   // the scalar unit reads global memory through its data cache: `id` names its Transfer; `a`
                   // says what it waits for
    cross_set,     // CrossCoreSetFlag: mode `a`, flag `id`, on the pipe
    cross_wait,    // CrossCoreWaitFlag: flag `id`, on the pipe
    sync_all,      // every core of the kernel's kind (a = 0) or of both kinds (a = 1) arrives
    system_cycle,  // the kernel reads the clock
    buffer,        // nothing but its `step`; no instruction, costs no time
};

/// `a` of a scalar_load.
constexpr std::uint8_t load_waits = 0;    // until its line is there
constexpr std::uint8_t load_starts = 1;   // and does not wait: it is preload number `latency`
constexpr std::uint8_t load_arrives = 2;  // its line is under way by preload number `id`: until that is there

/// What becomes of a buffer of the kernel framework; rides on the operation that decides when.
enum class BufferStep : std::uint8_t {
    none,
    born,         // whoever fills it may begin
    handed_over,  // it is full: whoever reads it may begin
    died,         // its last reader is done
    forgotten,    // every buffer of the core was dropped
};

/// One issued operation, reduced to what timing needs. Made by issue(), consumed by the core's timeline.
struct TimedOp {
    const OpInfo* info = nullptr;
    Site site{};
    OpKind kind = OpKind::compute;
    Pipe pipe = Pipe::scalar;
    std::uint8_t a = 0;  // see OpKind
    std::uint8_t b = 0;
    std::uint32_t id = 0;        // see OpKind
    std::uint32_t scalar = 0;    // scalar cycles before it is handed over
    std::uint32_t occupies = 0;  // cycles it holds its pipe; transfers: a floor
    std::uint32_t latency = 0;   // further cycles until its result may be used
    std::uint32_t conflict = 0;  // of `occupies`, cycles lost to bank conflicts
    std::uint32_t bytes = 0;     // moved, or written to a buffer
    std::uint32_t work = 0;      // elements of a vector operation, multiply-accumulates of a cube operation
    std::uint32_t offset = 0;    // where in `memory` it writes (or reads, when it writes global memory)
    Memory memory = Memory::gm;
    BufferStep step = BufferStep::none;  // of the buffer of `bytes` at `offset` of `memory`
    std::uint8_t position = 0;           // the buffer's TPosition
};

/// The name of a TPosition: "VECIN", "A1".
[[nodiscard]] std::string_view position_name(std::uint8_t position);

/// How a transfer touches global memory; it decides request sizes and start-up.
enum class Route : std::uint8_t {
    gm_to_ub,
    gm_to_l1,
    gm_to_l1_nd2nz,
    gm_to_l0,
    ub_to_gm,
    l1_to_gm,
    l0c_to_gm,
    l0c_to_gm_nz2nd,
    scalar_read,
    scalar_write,
};

inline constexpr std::size_t route_count = 10;
[[nodiscard]] std::string_view name(Route route);

[[nodiscard]] constexpr bool is_write(Route route) {
    return (route >= Route::ub_to_gm && route <= Route::l0c_to_gm_nz2nd) || route == Route::scalar_write;
}

/// A copy between a core and global memory: `planes` x `rows` rows of `row_bytes`, at `offset` in global
/// memory.
struct Transfer {
    std::uint64_t offset = 0;       // B, from the start of global memory
    std::uint64_t row_pitch = 0;    // B, from row to row
    std::uint64_t plane_pitch = 0;  // B, from plane to plane
    std::uint32_t row_bytes = 0;
    std::uint32_t rows = 1;
    std::uint32_t planes = 1;
    Route route = Route::gm_to_ub;
    bool atomic = false;     // read-modify-write in L2
    bool bypass_l2 = false;  // L2 cache hint: do not keep

    [[nodiscard]] constexpr std::uint64_t bytes() const { return std::uint64_t{row_bytes} * rows * planes; }
};

}  // namespace ascendsim::isa
