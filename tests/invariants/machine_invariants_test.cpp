// SPDX-License-Identifier: Apache-2.0
// What must hold of any run. Random programs; the seed is in each failure's message.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "models/core/testing_programs.hpp"
#include "sim/record/occupancy.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): test vocabulary

constexpr std::uint64_t memory_bytes = 64ULL << 20;

/// Load, compute, store over `buffers` buffers, with random sizes; the same for the same seed and block.
void random_pipeline(std::uint32_t seed, std::uint32_t buffers) {
    const std::uint32_t block = isa::CorePort::current().identity().block;
    std::mt19937 random{seed * 977 + block};
    const auto pick = [&](std::uint32_t low, std::uint32_t high) {
        return low + static_cast<std::uint32_t>(random()) % (high - low + 1);
    };
    for (std::uint32_t slot = 0; slot < buffers; ++slot) {
        set(Pipe::vector, Pipe::mte2, slot);
        set(Pipe::mte3, Pipe::vector, slot);
    }
    const std::uint32_t rounds = 20 + seed % 10;
    for (std::uint32_t round = 0; round < rounds; ++round) {
        const std::uint32_t slot = round % buffers;
        const std::uint32_t bytes = pick(1, 40) * 480;
        const std::uint64_t offset = std::uint64_t{pick(0, 60)} << 20U;
        await(Pipe::vector, Pipe::mte2, slot);
        copy(Pipe::mte2, isa::Route::gm_to_ub, offset, bytes);
        set(Pipe::mte2, Pipe::vector, slot);
        await(Pipe::mte2, Pipe::vector, slot);
        await(Pipe::mte3, Pipe::vector, slot);
        for (std::uint32_t i = pick(1, 6); i > 0; --i) {
            work(Pipe::vector, pick(3, 300), pick(0, 30));
            barrier(Pipe::vector);
        }
        set(Pipe::vector, Pipe::mte2, slot);
        set(Pipe::vector, Pipe::mte3, slot);
        await(Pipe::vector, Pipe::mte3, slot);
        copy(Pipe::mte3, isa::Route::ub_to_gm, offset, bytes);
        set(Pipe::mte3, Pipe::vector, slot);
    }
    for (std::uint32_t slot = 0; slot < buffers; ++slot) {
        await(Pipe::vector, Pipe::mte2, slot);
        await(Pipe::mte3, Pipe::vector, slot);
    }
}

struct Case {
    ChipSpec chip{};
    std::uint32_t blocks = 48;
    std::uint32_t buffers = 2;
    bool functional = false;
};

/// Runs in a child process, as SystemC elaborates once in each, and returns the cycles; the recording goes to
/// `file`.
std::uint64_t cycles_of(const Case& run, std::uint32_t seed, const std::string& file = "") {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        record::Recorder recorder{file};
        Machine machine{run.chip, recorder, {.functional = run.functional}};
        machine.memory().allocate("x", memory_bytes);
        machine.run([&](Machine& m) {
            m.launch({.name = "random", .blocks = run.blocks, .vector_program = [&] {
                          random_pipeline(seed, run.buffers);
                      }});
        });
        const std::uint64_t cycles = machine.totals().cycles;
        recorder.finish({{"cycles", cycles}});
        const bool written = write(ends[1], &cycles, sizeof cycles) == sizeof cycles;
        _exit(written ? 0 : 1);
    }
    std::uint64_t cycles = 0;
    EXPECT_EQ(read(ends[0], &cycles, sizeof cycles), static_cast<ssize_t>(sizeof cycles)) << "seed " << seed;
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << "seed " << seed;
    close(ends[0]);
    close(ends[1]);
    return cycles;
}

std::string bytes_of(const std::string& file) {
    std::ifstream stream{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{stream}, {}};
}

std::string temporary(const std::string& name) {
    return (std::filesystem::temp_directory_path() / (name + std::to_string(getpid()))).string();
}

constexpr std::uint32_t seeds = 8;

}  // namespace

TEST(Invariants, SameInputSameBytes) {
    const std::string first = temporary("first");
    const std::string second = temporary("second");
    for (std::uint32_t seed = 0; seed < 3; ++seed) {
        cycles_of({}, seed, first);
        cycles_of({}, seed, second);
        EXPECT_EQ(bytes_of(first), bytes_of(second)) << "seed " << seed;
    }
    EXPECT_GT(bytes_of(first).size(), 1000U);
}

TEST(Invariants, MoreBandwidthIsNeverSlower) {
    for (std::uint32_t seed = 0; seed < seeds; ++seed) {
        Case slow;
        slow.chip.hbm.gb_per_s = 400;
        const Case fast;
        EXPECT_LE(cycles_of(fast, seed), cycles_of(slow, seed)) << "seed " << seed;
    }
}

TEST(Invariants, MoreBuffersAreNotSlower) {
    for (std::uint32_t seed = 0; seed < seeds; ++seed) {
        Case alone;
        alone.blocks = 1;
        alone.buffers = 1;
        Case two = alone;
        two.buffers = 2;
        EXPECT_LT(cycles_of(two, seed), cycles_of(alone, seed)) << "seed " << seed;
    }
}

TEST(Invariants, FunctionalAndTimingOnlyTakeTheSameCycles) {
    for (std::uint32_t seed = 0; seed < 3; ++seed) {
        Case functional;
        functional.functional = true;
        EXPECT_EQ(cycles_of(functional, seed), cycles_of({}, seed)) << "seed " << seed;
    }
}

TEST(Invariants, ReasonsOfEveryLaneSumToTheRunTime) {
    const std::string file = temporary("reasons");
    for (std::uint32_t seed = 0; seed < seeds; ++seed) {
        Case run;
        run.blocks = 5 + seed * 17;
        cycles_of(run, seed, file);
        const record::Recording recording{file};
        for (std::uint32_t lane = 0; lane < recording.lanes().size(); ++lane) {
            const record::Occupancy occupancy = record::occupancy(recording, lane, 0, recording.cycles());
            EXPECT_EQ(occupancy.total(), recording.cycles()) << "seed " << seed << " lane " << lane;
        }
    }
}

TEST(Invariants, SpansOfALaneAreInOrderAndCausesComeBefore) {
    const std::string file = temporary("order");
    cycles_of({}, 4, file);
    const record::Recording recording{file};
    for (const record::Lane& lane : recording.lanes()) {
        for (std::size_t i = 0; i < lane.size(); ++i) {
            EXPECT_LE(lane.issue[i], lane.start[i]);
            EXPECT_LE(lane.start[i], lane.end[i]);
            EXPECT_LE(lane.end[i], lane.complete[i]);
            if (i > 0) {
                EXPECT_LE(lane.end[i - 1], lane.start[i]);
            }
            if (lane.culprit(i).valid() && lane.reason[i] != record::Reason::none) {
                ASSERT_TRUE(recording.contains(lane.culprit(i)));
                EXPECT_LE(recording.span(lane.culprit(i)).start, lane.end[i]);
            }
        }
    }
}

TEST(Invariants, LanesOfARecordingAreInTheOrderOfTheirCoresPaths) {
    const std::string file = temporary("paths");
    const Case run;
    cycles_of(run, 6, file);
    const record::Recording recording{file};
    ASSERT_FALSE(recording.lanes().empty());
    EXPECT_EQ(recording.lane(0).path.core_path().text(), "device0/group0/aic0");
    EXPECT_EQ(recording.lanes().back().core_index, run.chip.cores.aic + run.chip.cores.aiv - 1);
    for (std::size_t i = 1; i < recording.lanes().size(); ++i) {
        const record::Lane& before = recording.lanes()[i - 1];
        const record::Lane& lane = recording.lanes()[i];
        EXPECT_LE(before.path.core_path(), lane.path.core_path());
        EXPECT_LE(before.core_index, lane.core_index);
        EXPECT_EQ(before.core_index == lane.core_index, before.path.core() == lane.path.core());
    }
}

TEST(Invariants, BytesAskedForArriveOnEveryRoute) {
    const std::string file = temporary("bytes");
    cycles_of({}, 5, file);
    const record::Recording recording{file};
    std::uint64_t in = 0;
    std::uint64_t out = 0;
    std::uint64_t sectors = 0;
    std::uint64_t code = 0;  // the scalar unit's: the program's own
    for (const record::Lane& lane : recording.lanes()) {
        for (std::size_t t = 0; t < lane.transfers.size(); ++t) {
            const std::uint32_t bytes = lane.bytes[lane.transfers.row[t]];
            (lane.path.pipe() == "mte2" ? in : lane.path.pipe() == "mte3" ? out : code) += bytes;
            if (lane.path.pipe() == "mte2") {
                sectors += lane.transfers.l2_hit_bytes[t] + lane.transfers.hbm_read_bytes[t];
            }
        }
    }
    EXPECT_EQ(in, out);      // the program stores what it loads
    EXPECT_GE(sectors, in);  // whole sectors move
    EXPECT_LT(sectors, in + in / 8);
}

TEST(Invariants, NoRunIsFasterThanItsBound) {
    const std::string file = temporary("bound");
    for (std::uint32_t seed = 0; seed < seeds; ++seed) {
        const Case run;
        const std::uint64_t cycles = cycles_of(run, seed, file);
        const record::Recording recording{file};
        std::uint64_t hbm = 0;
        for (const record::Lane& lane : recording.lanes()) {
            for (std::size_t t = 0; t < lane.transfers.size(); ++t) {
                hbm += lane.transfers.hbm_read_bytes[t] + lane.transfers.hbm_write_bytes[t];
            }
        }
        const double bound = double(hbm) / (run.chip.hbm.gb_per_s / run.chip.cores.clock_ghz);
        EXPECT_GE(double(cycles), bound) << "seed " << seed;
    }
}

}  // namespace ascendsim
