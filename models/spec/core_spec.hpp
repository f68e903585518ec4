// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tuple>

#include "models/spec/vector_costs.hpp"
#include "sim/config/field.hpp"

namespace ascendsim {

/// Sizes of the memories inside a core, and the bank structure of the unified buffer.
struct BufferSpec {
    std::uint32_t l1 = 524288;
    std::uint32_t l0a = 65536;
    std::uint32_t l0b = 65536;
    std::uint32_t l0c = 131072;
    std::uint32_t ub = 196608;
    std::uint32_t bias_table = 1024;
    std::uint32_t fixpipe_buffer = 7168;
    std::uint32_t ub_bank_groups = 16;
    std::uint32_t ub_bank_bytes = 4096;

    static constexpr auto fields() {
        return std::tuple{
            field("l1", &BufferSpec::l1, 1024, 1 << 26, "B", "L1 buffer"),
            field("l0a", &BufferSpec::l0a, 1024, 1 << 24, "B", "left operand buffer of the cube"),
            field("l0b", &BufferSpec::l0b, 1024, 1 << 24, "B", "right operand buffer of the cube"),
            field("l0c", &BufferSpec::l0c, 1024, 1 << 24, "B", "result buffer of the cube"),
            field("ub", &BufferSpec::ub, 1024, 1 << 24, "B", "unified buffer of the vector unit"),
            field("bias_table", &BufferSpec::bias_table, 0, 1 << 20, "B", "bias table"),
            field("fixpipe_buffer", &BufferSpec::fixpipe_buffer, 0, 1 << 20, "B", "fixpipe parameter buffer"),
            field("ub_bank_groups",
                  &BufferSpec::ub_bank_groups,
                  1,
                  256,
                  "groups",
                  "groups that consecutive 32 B blocks go to"),
            field("ub_bank_bytes", &BufferSpec::ub_bank_bytes, 32, 1 << 20, "B", "size of one bank"),
        };
    }
};

/// The scalar unit: it runs the kernel, issues in program order, and keeps a small data cache before global
/// memory.
struct ScalarSpec {
    std::uint32_t issue_cycles = 1;           // hand one instruction to its pipe
    std::uint32_t call_cycles = 3;            // address and parameter arithmetic before an instruction
    std::uint32_t queue_depth = 32;           // MTE1 and cube: documented; MTE2, MTE3 and fixpipe alike
    std::uint32_t queue_depth_other = 16;     // vector: not published
    std::uint32_t buffer_access_cycles = 10;  // GetValue/SetValue on a buffer of the core
    std::uint32_t dcache_bytes = 32768;
    std::uint32_t dcache_line = 64;
    std::uint32_t dcache_hit_cycles = 4;
    std::uint32_t divide_cycles = 21;
    std::uint32_t queue_op_cycles = 1;  // TQue Alloc/EnQue/DeQue/Free bookkeeping
    std::uint32_t init_cycles = 400;    // TPipe construction and block prologue
    std::uint32_t pipe_lines = 8;       // of the data cache that a TPipe and what is beside it take

    static constexpr std::uint32_t stack_bytes =
        16 * 1024;  // of global memory that the model gives each core's stack
    /// What a kernel's local variables may take: the toolkit builds kernels with
    /// -cce-aicore-stack-size=0x8000 and -cce-aicore-function-stack-size=0x8000 (docs/sources.md, S31).
    static constexpr std::uint32_t stack_limit = 32 * 1024;

    static constexpr auto fields() {
        return std::tuple{
            field("issue_cycles",
                  &ScalarSpec::issue_cycles,
                  0,
                  1000,
                  "cycles",
                  "hand one instruction to its pipe"),
            field("call_cycles",
                  &ScalarSpec::call_cycles,
                  0,
                  1000,
                  "cycles",
                  "parameter arithmetic before an instruction"),
            field("queue_depth",
                  &ScalarSpec::queue_depth,
                  1,
                  4096,
                  "entries",
                  "instruction queue of every pipe but vector"),
            field("queue_depth_other",
                  &ScalarSpec::queue_depth_other,
                  1,
                  4096,
                  "entries",
                  "instruction queue of the vector pipe"),
            field("buffer_access_cycles",
                  &ScalarSpec::buffer_access_cycles,
                  0,
                  1000,
                  "cycles",
                  "scalar access to a core buffer"),
            field("dcache_bytes", &ScalarSpec::dcache_bytes, 0, 1 << 22, "B", "scalar data cache"),
            field("dcache_line", &ScalarSpec::dcache_line, 16, 1024, "B", "line of the scalar data cache"),
            field("dcache_hit_cycles",
                  &ScalarSpec::dcache_hit_cycles,
                  0,
                  1000,
                  "cycles",
                  "scalar access to cached global memory"),
            field(
                "divide_cycles", &ScalarSpec::divide_cycles, 0, 1000, "cycles", "scalar divide or remainder"),
            field("queue_op_cycles",
                  &ScalarSpec::queue_op_cycles,
                  0,
                  1000,
                  "cycles",
                  "bookkeeping of one TQue operation"),
            field("init_cycles", &ScalarSpec::init_cycles, 0, 100000, "cycles", "prologue of a block"),
            field("pipe_lines",
                  &ScalarSpec::pipe_lines,
                  0,
                  1024,
                  "lines",
                  "of the data cache, touched when a TPipe is set up"),
        };
    }
};

/// A core's instruction cache. A place of the kernel that a core meets for the first time brings its code
/// from L2 or global memory, and the scalar unit waits for it.
struct InstructionCacheSpec {
    std::uint32_t bytes = 32768;     // 0: instructions are always there
    std::uint32_t fill_bytes = 512;  // brought by one miss
    std::uint32_t call_bytes = 160;  // code of one call that moves or computes, with the arithmetic around it
    std::uint32_t flag_bytes = 32;   // of a flag, a barrier or a piece of scalar work

    static constexpr auto fields() {
        return std::tuple{
            field("bytes",
                  &InstructionCacheSpec::bytes,
                  0,
                  1 << 24,
                  "B",
                  "capacity; 0: instructions are always there"),
            field("fill_bytes", &InstructionCacheSpec::fill_bytes, 32, 1 << 16, "B", "brought by one miss"),
            field("call_bytes",
                  &InstructionCacheSpec::call_bytes,
                  1,
                  1 << 16,
                  "B",
                  "code of a call that moves or computes, with the arithmetic around it"),
            field("flag_bytes",
                  &InstructionCacheSpec::flag_bytes,
                  1,
                  1 << 16,
                  "B",
                  "code of a flag, a barrier or a piece of scalar work"),
        };
    }
};

/// The cube unit: one 16 x k0 x 16 step a cycle.
struct CubeSpec {
    std::uint32_t m0 = 16;
    std::uint32_t n0 = 16;
    std::uint32_t k0_bytes = 32;      // 16 halves, 32 int8
    std::uint32_t fp32_slowdown = 2;  // fp32 takes k0 = 4 where its 32 bytes hold 8
    std::uint32_t head_cycles = 21;   // isolated
    std::uint32_t gap_cycles = 2;     // back to back

    static constexpr auto fields() {
        return std::tuple{
            field("m0", &CubeSpec::m0, 1, 256, "rows", "rows of A a step takes"),
            field("n0", &CubeSpec::n0, 1, 256, "columns", "columns of B a step takes"),
            field("k0_bytes", &CubeSpec::k0_bytes, 1, 1024, "B", "depth a step takes"),
            field(
                "fp32_slowdown", &CubeSpec::fp32_slowdown, 1, 16, "x", "steps for one 32-byte depth of fp32"),
            field("head_cycles",
                  &CubeSpec::head_cycles,
                  0,
                  1000,
                  "cycles",
                  "start-up and drain of an isolated Mmad"),
            field("gap_cycles",
                  &CubeSpec::gap_cycles,
                  0,
                  1000,
                  "cycles",
                  "added to an Mmad that follows another"),
        };
    }
};

/// MTE1: L1 to L0A, L0B, bias table and fixpipe buffer.
struct Mte1Spec {
    std::uint32_t l0a_bytes_per_cycle = 256;
    std::uint32_t l0b_bytes_per_cycle = 128;
    std::uint32_t bt_bytes_per_cycle = 32;
    std::uint32_t load2d_latency = 28;
    std::uint32_t load3d_latency = 50;
    std::uint32_t bt_latency = 20;
    std::uint32_t gap_cycles = 2;

    static constexpr auto fields() {
        return std::tuple{
            field("l0a_bytes_per_cycle", &Mte1Spec::l0a_bytes_per_cycle, 1, 4096, "B/cycle", "L1 to L0A"),
            field("l0b_bytes_per_cycle", &Mte1Spec::l0b_bytes_per_cycle, 1, 4096, "B/cycle", "L1 to L0B"),
            field("bt_bytes_per_cycle",
                  &Mte1Spec::bt_bytes_per_cycle,
                  1,
                  4096,
                  "B/cycle",
                  "L1 to bias table or fixpipe buffer"),
            field("load2d_latency",
                  &Mte1Spec::load2d_latency,
                  0,
                  1000,
                  "cycles",
                  "until a LoadData 2D result may be used"),
            field("load3d_latency",
                  &Mte1Spec::load3d_latency,
                  0,
                  1000,
                  "cycles",
                  "until a LoadData 3D result may be used"),
            field("bt_latency",
                  &Mte1Spec::bt_latency,
                  0,
                  1000,
                  "cycles",
                  "until a bias table load may be used"),
            field("gap_cycles", &Mte1Spec::gap_cycles, 0, 1000, "cycles", "between transfers back to back"),
        };
    }
};

/// Fixpipe: L0C to L1 or global memory with quantisation, ReLU and format change.
struct FixpipeSpec {
    std::uint32_t l1_elements_per_cycle = 64;
    std::uint32_t gm_bytes_per_cycle = 128;
    std::uint32_t latency = 20;
    std::uint32_t start_cycles = 55;
    std::uint32_t max_request = 256;  // B, largest write request with NZ to ND
    double atomic_efficiency = 0.4;   // of the write rate while atomic add is on

    static constexpr auto fields() {
        return std::tuple{
            field("l1_elements_per_cycle",
                  &FixpipeSpec::l1_elements_per_cycle,
                  1,
                  4096,
                  "elements/cycle",
                  "L0C to L1"),
            field("gm_bytes_per_cycle",
                  &FixpipeSpec::gm_bytes_per_cycle,
                  1,
                  4096,
                  "B/cycle",
                  "L0C to global memory"),
            field("latency", &FixpipeSpec::latency, 0, 10000, "cycles", "until a result in L1 may be used"),
            field("start_cycles",
                  &FixpipeSpec::start_cycles,
                  0,
                  10000,
                  "cycles",
                  "start of an output to global memory"),
            field("max_request",
                  &FixpipeSpec::max_request,
                  32,
                  4096,
                  "B",
                  "largest write request with NZ to ND"),
            field("atomic_efficiency",
                  &FixpipeSpec::atomic_efficiency,
                  0.01,
                  1,
                  "x",
                  "write rate while atomic accumulation is on"),
        };
    }
};

/// Paths that only a coupled core has, where cube and vector unit share one core. Zero where the path is
/// absent.
struct CoupledSpec {
    std::uint32_t l1_ub_bytes_per_cycle = 0;   // MTE1
    std::uint32_t ub_l1_bytes_per_cycle = 0;   // MTE3
    std::uint32_t l0c_ub_bytes_per_cycle = 0;  // vector unit

    static constexpr auto fields() {
        return std::tuple{
            field(
                "l1_ub_bytes_per_cycle", &CoupledSpec::l1_ub_bytes_per_cycle, 0, 4096, "B/cycle", "L1 to UB"),
            field(
                "ub_l1_bytes_per_cycle", &CoupledSpec::ub_l1_bytes_per_cycle, 0, 4096, "B/cycle", "UB to L1"),
            field("l0c_ub_bytes_per_cycle",
                  &CoupledSpec::l0c_ub_bytes_per_cycle,
                  0,
                  4096,
                  "B/cycle",
                  "L0C to UB"),
        };
    }
};

/// Flags and barriers.
struct SyncSpec {
    std::uint32_t flag_ids = 8;  // per ordered pipe pair
    std::uint32_t set_cycles = 1;
    std::uint32_t wait_cycles = 1;
    std::uint32_t flag_latency = 10;  // from set to the waiting pipe's release
    std::uint32_t barrier_cycles = 5;
    std::uint32_t cross_flag_ids = 16;
    std::uint32_t cross_flag_latency = 220;
    std::uint32_t cross_flag_max = 15;    // sets that nobody has waited for yet; one more is an error
    std::uint32_t sync_all_cycles = 700;  // hardware SyncAll, after the last arrival
    bool hardware_cross_core = true;

    static constexpr auto fields() {
        return std::tuple{
            field(
                "flag_ids", &SyncSpec::flag_ids, 1, 64, "ids", "event flags for each ordered pair of pipes"),
            field("set_cycles", &SyncSpec::set_cycles, 0, 100, "cycles", "SetFlag in the source pipe"),
            field(
                "wait_cycles", &SyncSpec::wait_cycles, 0, 100, "cycles", "WaitFlag that finds its flag set"),
            field("flag_latency",
                  &SyncSpec::flag_latency,
                  0,
                  1000,
                  "cycles",
                  "from a set to the release of the waiting pipe"),
            field("barrier_cycles",
                  &SyncSpec::barrier_cycles,
                  0,
                  1000,
                  "cycles",
                  "PipeBarrier after the pipe drained"),
            field("cross_flag_ids", &SyncSpec::cross_flag_ids, 1, 64, "ids", "cross-core flags"),
            field("cross_flag_latency",
                  &SyncSpec::cross_flag_latency,
                  0,
                  10000,
                  "cycles",
                  "from CrossCoreSetFlag to the waiting core"),
            field("cross_flag_max",
                  &SyncSpec::cross_flag_max,
                  1,
                  255,
                  "",
                  "most sets of a cross-core flag before a wait"),
            field("sync_all_cycles",
                  &SyncSpec::sync_all_cycles,
                  0,
                  100000,
                  "cycles",
                  "SyncAll after the last core arrived"),
            field("hardware_cross_core",
                  &SyncSpec::hardware_cross_core,
                  0,
                  1,
                  "",
                  "cross-core flags exist in hardware"),
        };
    }
};

}  // namespace ascendsim
