// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/spec/core_spec.hpp"
#include "models/spec/memory_spec.hpp"

namespace ascendsim {

/// How many cores there are, how they are grouped and clocked.
struct CoresSpec {
    std::uint32_t aic = 24;         // AI cores: cube cores of a split chip, whole cores of a coupled one
    std::uint32_t aiv = 48;         // vector cores; 0 on a coupled chip
    std::uint32_t aiv_per_aic = 2;  // vector cores in one group with a cube core
    bool split = true;              // cube and vector units in cores of their own, each with a scalar unit
    double clock_ghz = 1.85;

    static constexpr auto fields() {
        return std::tuple{
            field("aic", &CoresSpec::aic, 1, 64, "cores", "cube cores; on a coupled chip the whole AI cores"),
            field("aiv", &CoresSpec::aiv, 0, 128, "cores", "vector cores"),
            field("aiv_per_aic",
                  &CoresSpec::aiv_per_aic,
                  0,
                  4,
                  "cores",
                  "vector cores grouped with one cube core"),
            field("split", &CoresSpec::split, 0, 1, "", "cube and vector units are separate cores"),
            field("clock_ghz",
                  &CoresSpec::clock_ghz,
                  0.1,
                  4,
                  "GHz",
                  "AI-core clock, the unit of every cycle count"),
        };
    }
};

/// What passes between the host's launch call and the first instruction of a core.
struct LaunchSpec {
    double head_us = 1.3;              // on one core
    double per_core_us = 0.05;         // added for each further core started
    double mix_extra_us = 1.0;         // added when cube and vector programs start together
    double mix_share_us = 0;           // added then, times the share of the chip's cores that start
    double idle_us = 5.0;              // added when the device was idle before
    double tail_us = 0.1;              // completion of the last core to the task's end
    std::uint32_t block_cycles = 150;  // dispatch of a further block to a core that finished one

    static constexpr auto fields() {
        return std::tuple{
            field("head_us",
                  &LaunchSpec::head_us,
                  0,
                  100,
                  "us",
                  "from task start to the first core's first instruction"),
            field("per_core_us",
                  &LaunchSpec::per_core_us,
                  0,
                  5,
                  "us",
                  "added to the head for each further core started"),
            field("mix_extra_us",
                  &LaunchSpec::mix_extra_us,
                  0,
                  20,
                  "us",
                  "added when cube and vector programs start together"),
            field("mix_share_us",
                  &LaunchSpec::mix_share_us,
                  0,
                  20,
                  "us",
                  "added then too, times the share of the chip's cube cores that start"),
            field("idle_us",
                  &LaunchSpec::idle_us,
                  0,
                  100,
                  "us",
                  "added to a launch that finds the device idle"),
            field("tail_us", &LaunchSpec::tail_us, 0, 20, "us", "from the last core's end to the task's end"),
            field("block_cycles",
                  &LaunchSpec::block_cycles,
                  0,
                  100000,
                  "cycles",
                  "dispatch of a further block to a core"),
        };
    }
};

/// One chip: everything a run needs to know of the machine. Read from models/chips/<name>.toml.
struct ChipSpec {
    std::string name;   // as in `--chip`
    std::string title;  // as a person says it
    std::string arch;   // __NPU_ARCH__: 1001, 2002, 2201, or 0 where undocumented
    CoresSpec cores;
    BufferSpec buffers;
    ScalarSpec scalar;
    InstructionCacheSpec icache;
    VectorSpec vector;
    CubeSpec cube;
    Mte1Spec mte1;
    FixpipeSpec fixpipe;
    CoupledSpec coupled;
    SyncSpec sync;
    PortSpec port;
    L2Spec l2;
    HbmSpec hbm;
    LaunchSpec launch;

    static constexpr auto fields() {
        return std::tuple{
            group("cores", &ChipSpec::cores, "cores and clock"),
            group("buffers", &ChipSpec::buffers, "on-core memories"),
            group("scalar", &ChipSpec::scalar, "scalar unit: issue, queues, data cache"),
            group("icache", &ChipSpec::icache, "instruction cache"),
            group("vector", &ChipSpec::vector, "vector unit"),
            group("cube", &ChipSpec::cube, "cube unit"),
            group("mte1", &ChipSpec::mte1, "L1 to L0 transfers"),
            group("fixpipe", &ChipSpec::fixpipe, "L0C output"),
            group("coupled", &ChipSpec::coupled, "paths between cube and vector side of a coupled core"),
            group("sync", &ChipSpec::sync, "flags, barriers, cross-core synchronisation"),
            group("port", &ChipSpec::port, "a core's port to global memory (MTE2, MTE3, fixpipe)"),
            group("l2", &ChipSpec::l2, "shared L2 cache"),
            group("hbm", &ChipSpec::hbm, "global memory"),
            group("launch", &ChipSpec::launch, "kernel launch"),
        };
    }
};

}  // namespace ascendsim
