// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tuple>

#include "sim/config/field.hpp"

namespace ascendsim {

/// One core's way to global memory: request sizes, what may be under way, and the costs of awkward shapes.
struct PortSpec {
    double read_bytes_per_cycle = 128;
    double write_bytes_per_cycle = 128;
    double ub_write_bytes_per_cycle = 71;  // UB to GM through MTE3
    double hbm_bytes_per_cycle = 45.6;     // one vector core's share of the way past L2
    double l1_hbm_bytes_per_cycle = 32;    // one cube core's
    std::uint32_t outstanding_reads = 64;
    std::uint32_t outstanding_writes = 48;
    std::uint32_t max_request = 512;
    std::uint32_t min_request = 128;
    std::uint32_t read_start_cycles = 20;  // a copy in holds its pipe at least so long
    std::uint32_t write_start_cycles = 12;
    std::uint32_t nd2nz_start_cycles = 210;  // from the first request to the first data, beyond the latency
    double nd2nz_efficiency = 1;
    double nd2nz_row_cycles = 2.3;
    double burst_cycles = 1.0;  // per row into UB, or into L1 as NZ, that ends inside a block of 32 B

    static constexpr auto fields() {
        return std::tuple{
            field("read_bytes_per_cycle",
                  &PortSpec::read_bytes_per_cycle,
                  1,
                  4096,
                  "B/cycle",
                  "reads of one core"),
            field("write_bytes_per_cycle",
                  &PortSpec::write_bytes_per_cycle,
                  1,
                  4096,
                  "B/cycle",
                  "writes of one core"),
            field("ub_write_bytes_per_cycle",
                  &PortSpec::ub_write_bytes_per_cycle,
                  1,
                  4096,
                  "B/cycle",
                  "UB to global memory"),
            field("hbm_bytes_per_cycle",
                  &PortSpec::hbm_bytes_per_cycle,
                  1,
                  4096,
                  "B/cycle",
                  "a core's traffic past L2, to and from its unified buffer"),
            field("l1_hbm_bytes_per_cycle",
                  &PortSpec::l1_hbm_bytes_per_cycle,
                  1,
                  4096,
                  "B/cycle",
                  "a core's reads past L2 into L1 and L0"),
            field("outstanding_reads", &PortSpec::outstanding_reads, 1, 4096, "requests", "reads under way"),
            field(
                "outstanding_writes", &PortSpec::outstanding_writes, 1, 4096, "requests", "writes under way"),
            field("max_request", &PortSpec::max_request, 32, 4096, "B", "largest request a copy is cut into"),
            field("min_request", &PortSpec::min_request, 32, 4096, "B", "what a shorter leftover costs"),
            field("read_start_cycles",
                  &PortSpec::read_start_cycles,
                  0,
                  10000,
                  "cycles",
                  "least time of its pipe that a copy in takes"),
            field("write_start_cycles",
                  &PortSpec::write_start_cycles,
                  0,
                  10000,
                  "cycles",
                  "least time of its pipe that a copy out takes"),
            field("nd2nz_start_cycles",
                  &PortSpec::nd2nz_start_cycles,
                  0,
                  10000,
                  "cycles",
                  "what an ND to NZ copy adds to the latency"),
            field("nd2nz_efficiency", &PortSpec::nd2nz_efficiency, 0.01, 1, "x", "rate of ND to NZ copies"),
            field("nd2nz_row_cycles",
                  &PortSpec::nd2nz_row_cycles,
                  0,
                  1000,
                  "cycles",
                  "what each row of an ND to NZ copy adds"),
            field("burst_cycles",
                  &PortSpec::burst_cycles,
                  0,
                  1000,
                  "cycles",
                  "each row into UB, or into L1 as NZ, that ends inside a block of 32 B"),
        };
    }
};

/// The shared L2: capacity, lines, and what all cores together may take.
struct L2Spec {
    std::uint64_t bytes = 201326592;
    std::uint32_t line = 512;
    std::uint32_t ways = 16;
    double gb_per_s = 4700;
    double requests_per_ns = 13.0;  // all cores; reads and writes
    std::uint32_t read_latency = 241;
    std::uint32_t write_latency = 96;
    std::uint64_t write_back_bytes = 4194304;  // dirty lines on their way out that hold nobody up
    double same_line_cycles = 1;               // each request that finds its line in use by another core

    static constexpr auto fields() {
        return std::tuple{
            field("bytes", &L2Spec::bytes, 0, 1e10, "B", "capacity"),
            field("line", &L2Spec::line, 32, 4096, "B", "line"),
            field("ways", &L2Spec::ways, 1, 1024, "ways", "associativity"),
            field("gb_per_s", &L2Spec::gb_per_s, 1, 100000, "GB/s", "bandwidth of all slices, decimal"),
            field("requests_per_ns",
                  &L2Spec::requests_per_ns,
                  0.01,
                  1000,
                  "requests/ns",
                  "requests all cores may start"),
            field("read_latency", &L2Spec::read_latency, 0, 10000, "cycles", "hit, from request to data"),
            field("write_latency", &L2Spec::write_latency, 0, 10000, "cycles", "write absorbed by L2"),
            field("write_back_bytes",
                  &L2Spec::write_back_bytes,
                  0,
                  1e10,
                  "B",
                  "dirty lines on their way out that hold nobody up"),
            field("same_line_cycles",
                  &L2Spec::same_line_cycles,
                  0,
                  1000,
                  "cycles",
                  "a request whose line another core is using"),
        };
    }
};

/// Global memory behind L2.
struct HbmSpec {
    std::uint64_t bytes = 68719476736;
    double gb_per_s = 1600;     // nominal
    double efficiency = 0.955;  // of nominal that long streams reach
    std::uint32_t read_latency = 347;
    std::uint32_t write_latency = 203;
    double queue_cycles =
        39;  // that a channel serves a read; reads wait for it, the longer the busier memory is
    std::uint32_t least_read_bytes = 205;  // of bandwidth that a request reading past L2 takes
    double same_line_cycles =
        0.375;  // such a request of cores that read the same lines in step, one after the other
    double turn_cycles = 0.4;  // in which memory moves nothing, for each line written back amid reads
    double write_share = 1.5;  // rate of a write to L2 beside reads of memory through L2, which have 1

    static constexpr auto fields() {
        return std::tuple{
            field("bytes", &HbmSpec::bytes, 1 << 20, 1e13, "B", "capacity"),
            field("gb_per_s", &HbmSpec::gb_per_s, 1, 100000, "GB/s", "nominal bandwidth, decimal"),
            field(
                "efficiency", &HbmSpec::efficiency, 0.01, 1, "x", "share of nominal that long streams reach"),
            field("read_latency", &HbmSpec::read_latency, 0, 100000, "cycles", "from request to data"),
            field(
                "write_latency", &HbmSpec::write_latency, 0, 100000, "cycles", "from request to acceptance"),
            field("queue_cycles",
                  &HbmSpec::queue_cycles,
                  0,
                  10000,
                  "cycles",
                  "that a channel serves a read; reads wait for it, the longer the busier memory is"),
            field("least_read_bytes",
                  &HbmSpec::least_read_bytes,
                  0,
                  4096,
                  "B",
                  "bandwidth that a request which reads past L2 takes at least"),
            field("same_line_cycles",
                  &HbmSpec::same_line_cycles,
                  0,
                  1000,
                  "cycles",
                  "such a request of cores that read the same lines in step, all one after the other"),
            field("turn_cycles",
                  &HbmSpec::turn_cycles,
                  0,
                  1000,
                  "cycles",
                  "in which memory moves nothing, for each line written back amid reads"),
            field("write_share",
                  &HbmSpec::write_share,
                  0.01,
                  100,
                  "x",
                  "rate of a write to L2 beside reads of memory through L2, over theirs"),
        };
    }
};

}  // namespace ascendsim
