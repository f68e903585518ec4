// SPDX-License-Identifier: Apache-2.0
// What a kernel reads and writes through plain pointers into global memory takes the time of the data cache;
// lines may be asked for ahead of time.
#include "models/port/pointer_access.hpp"

#include <functional>
#include <vector>

#include <gmock/gmock.h>

#include "models/core/testing_programs.hpp"
#include "models/port/scalar_access.hpp"

namespace ascendsim {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): test vocabulary

constexpr std::uint32_t hit = 4;
constexpr std::uint32_t line = 64;
// A line's 64 B are part of a request, so the whole line of L2, 512 B, comes past it at 45.6 B/cycle; 347
// until the last byte is there.
constexpr std::uint64_t miss = 12 + 347;

ChipSpec cached_chip() {
    ChipSpec chip = plain_chip();
    chip.scalar.dcache_line = line;
    chip.scalar.dcache_hit_cycles = hit;
    chip.scalar.call_cycles = 0;
    return chip;
}

/// As the code of a kernel does in front of an access.
void pointer_access(const std::byte* pointer, std::uint64_t bytes, bool write = false) {
    const std::uint64_t distance = reinterpret_cast<std::uint64_t>(pointer) - ascendsim_global_begin;
    if (distance < ascendsim_global_bytes) {
        ascendsim_pointer_access(pointer, bytes, write ? 1 : 0, here.file, here.line);
    }
}

const std::byte* global(std::uint64_t offset) {
    return isa::CorePort::current().global().base() + offset;
}

/// Reads or writes at an address of global memory that no other program of the test touches.
using PlacedProgram = std::function<void(std::uint64_t at)>;

/// What launches of these programs, one after the other, take on a core; with 100 cycles of the vector unit
/// at the end of each.
std::vector<std::uint64_t> cycles_of(const std::vector<PlacedProgram>& programs) {
    record::Recorder recorder{""};
    const ChipSpec chip = cached_chip();
    Machine machine{chip, recorder, {.cold_code = false, .launch_overhead = false}};
    std::vector<std::uint64_t> cycles;
    machine.memory().allocate("x", programs.size() << 20U);
    machine.run([&](Machine& m) {
        for (std::size_t i = 0; i < programs.size(); ++i) {
            const LaunchOutcome outcome = m.launch({.name = "test", .vector_program = [&programs, i] {
                                                        programs[i](i << 20U);
                                                        work(Pipe::vector, 100);
                                                    }});
            cycles.push_back(outcome.cores_end - outcome.first_core);
        }
    });
    return cycles;
}

std::uint64_t cycles_of(const PlacedProgram& program) {
    return cycles_of(std::vector<PlacedProgram>{program}).front();
}

void read_value(std::uint64_t at) {
    isa::scalar_gm_access(global(at), 4, false, here);
}

void read_pointer(std::uint64_t at) {
    pointer_access(global(at), 4);
}

void preload(std::uint64_t at) {
    isa::CorePort::current().preload_line(global(at), here);
}

TEST(PointerAccess, TakesTheTimeOfGetValue) {
    const auto loop = [](auto access) {
        return [access](std::uint64_t at) {
            for (std::uint64_t i = 0; i < 3 * line / 4; ++i) {
                access(at + 4 * i);
            }
        };
    };
    const std::vector<std::uint64_t> cycles = cycles_of({loop(read_value), loop(read_pointer)});
    EXPECT_EQ(cycles[0], cycles[1]);
    EXPECT_GT(cycles[1], 3U * line / 4U * hit + miss);
}

TEST(PointerAccess, OfAnotherPlaceOfTheHostIsFree) {
    EXPECT_EQ(cycles_of([](std::uint64_t /*at*/) {
                  const std::byte own{};
                  pointer_access(&own, 1);
              }),
              100U);
}

// As a tiling that is copied, and of which fields are then read where they lie.
TEST(PointerAccess, OfALineThatIsThereCostsAHit) {
    EXPECT_EQ(cycles_of([](std::uint64_t at) {
                  read_value(at);
                  pointer_access(global(at + 8), 48);
              }),
              hit + miss + hit + 100U);
}

TEST(PointerAccess, OfABlockTouchesEachOfItsLinesOnce) {
    const auto block = [](std::uint64_t bytes) {
        return [bytes](std::uint64_t at) { pointer_access(global(at), bytes); };
    };
    const std::vector<std::uint64_t> cycles =
        cycles_of({block(line), block(line + 1), block(2 * std::uint64_t{line})});
    EXPECT_EQ(cycles[0], hit + miss + 100U);
    EXPECT_GT(cycles[1], cycles[0] + hit);
    EXPECT_EQ(cycles[1], cycles[2]);
}

// tensor(i) has taken the time of its element, which the kernel's code then reads or writes.
TEST(PointerAccess, OfAReferenceIsNotPaidTwice) {
    EXPECT_EQ(cycles_of([](std::uint64_t at) {
                  isa::scalar_gm_reference(global(at), 4, here);
                  read_pointer(at);
              }),
              hit + miss + 100U);
}

TEST(PointerAccess, BehindAnInvalidationReadsTheLineAgain) {
    EXPECT_GT(cycles_of([](std::uint64_t at) {
                  read_pointer(at);
                  isa::CorePort::current().clean_data_cache(global(at), false);
                  read_pointer(at);
              }),
              hit + miss + hit + 100U);
}

TEST(Preload, LetsTheScalarUnitGoOn) {
    EXPECT_EQ(cycles_of(preload), 1U + 100U);
}

// The preload itself is an instruction of one cycle; what it brings has been under way since it began.
TEST(Preload, OfALineUnderWayWaitsForTheRestAndOfOneThatHasArrivedCostsAHit) {
    const auto read_later = [](std::uint32_t between, auto access) {
        return [between, access](std::uint64_t at) {
            preload(at);
            isa::scalar_work(between, here);
            access(at + 8);
        };
    };
    EXPECT_THAT(
        cycles_of({read_later(100, read_value),
                   read_later(200, read_pointer),
                   read_later(1000, read_value),
                   read_later(1000, read_pointer)}),
        ::testing::ElementsAre(miss + 100U, miss + 100U, 1U + 1000U + hit + 100U, 1U + 1000U + hit + 100U));
}

TEST(Preload, OfALineThatIsThereLoadsNothing) {
    EXPECT_EQ(cycles_of([](std::uint64_t at) {
                  read_value(at);
                  preload(at);
                  read_value(at);
              }),
              hit + miss + hit + 100U);
}

// Asked for right behind a load, a line comes while that is still awaited: two at a time.
TEST(Preload, OfTheNextLineGoesOutWhileThisOneIsAwaited) {
    constexpr std::uint64_t lines = 100;
    const std::uint64_t cycles = cycles_of([](std::uint64_t at) {
        for (std::uint64_t i = 0; i < lines; ++i) {
            read_pointer(at + i * 512);
            preload(at + (i + 1) * 512);
        }
    });
    EXPECT_GT(cycles, lines * miss / 2);
    EXPECT_LT(cycles, lines * (miss + 60) / 2);
}

TEST(Preload, OfEachOfManyLinesIsFollowed) {
    constexpr std::uint64_t lines = 200;  // more than are remembered at a time
    const auto walk = [](bool ahead) {
        return [ahead](std::uint64_t at) {
            for (std::uint64_t i = 0; i < lines; ++i) {
                if (ahead && i + 4 < lines) {
                    preload(at + (i + 4) * 512);
                }
                read_value(at + i * 512);
            }
        };
    };
    const std::vector<std::uint64_t> cycles = cycles_of({walk(false), walk(true)});
    EXPECT_LT(cycles[1], cycles[0] / 2);
}

}  // namespace
}  // namespace ascendsim
