// SPDX-License-Identifier: Apache-2.0
// What kernels touch through plain pointers, as the code that the compiler pass adds tells it.
#include "models/port/plain_access.hpp"

#include <array>

#include "models/sanitize/testing/checker_fixture.hpp"

namespace ascendsim::sanitize {
namespace {

struct PlainPointers : TwoCores {
    std::byte* z = memory.base() + gm;
    std::byte* y = memory.allocate("y", 4096);

    PlainPointers() {
        core.set_observer(&checker);
        second.set_observer(&checker);
        checker.declare_unwritten(gm, 4096);
        begin(core);
    }

    ~PlainPointers() override { isa::close_plain_runs(); }

    void begin(isa::PlainCore& which) {
        isa::close_plain_runs();
        which.resume();
        checker.on_begin();
    }

    static isa::PlainSite place(std::uint32_t line, bool write) {
        return {
            .file = "k.cpp", .line = line, .bytes = 4, .write = static_cast<std::uint16_t>(write ? 1 : 0)};
    }

    /// What a kernel's code asks the table of accesses that were seen.
    static bool seen(const isa::PlainSite& site, const std::byte* pointer, const std::byte* root) {
        constexpr std::uint64_t word = 4;  // of all places here
        const auto address = reinterpret_cast<std::uint64_t>(pointer);
        const std::uint64_t known = ascendsim_plain_seen[address / word % isa::PlainSeen::entries];
        const std::uint64_t differs = known ^ (address + site.key);
        return root == site.root && (site.write != 0 ? differs : differs << 1U) == 0;
    }

    /// What a kernel's code does in front of an access.
    static void touch(isa::PlainSite& site, const std::byte* pointer, const std::byte* root) {
        const std::uint64_t distance = reinterpret_cast<std::uint64_t>(pointer) - site.begin;
        if (distance < site.starts || seen(site, pointer, root)) {
            return;
        }
        if (distance == site.starts + site.bytes - 1 && distance < site.most) {
            site.starts += site.bytes;
        } else {
            ascendsim_plain_access(&site, pointer, root);
        }
    }

    [[nodiscard]] std::vector<std::string> found() {
        isa::close_plain_runs();
        return kinds();
    }
};

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(PlainPointers, WhatWasWrittenMayBeRead) {
    isa::PlainSite store = place(1, true);
    isa::PlainSite load = place(2, false);
    for (std::size_t i = 0; i < 1024; ++i) {
        touch(store, z + 4 * i, z);
        touch(load, z + 4 * i, z);
    }
    EXPECT_THAT(found(), IsEmpty());
    EXPECT_TRUE(checker.unwritten_runs(gm, 4096).empty());
}

TEST_F(PlainPointers, OneWordMoreThanWasWrittenIsNamedWithItsLine) {
    isa::PlainSite store = place(1, true);
    isa::PlainSite load = place(2, false);
    for (std::size_t i = 0; i < 16; ++i) {
        touch(store, z + 4 * i, z);
    }
    for (std::size_t i = 0; i <= 16; ++i) {
        touch(load, z + 4 * i, z);
    }
    EXPECT_THAT(found(), ElementsAre("uninitialised_read"));
    EXPECT_EQ(checker.findings()[0].later.line, 2);
    EXPECT_EQ(checker.findings()[0].overlap_offset, 64);
}

TEST_F(PlainPointers, WordsInNoOrderAreFollowedToo) {
    isa::PlainSite store = place(1, true);
    isa::PlainSite load = place(2, false);
    isa::PlainSite stray = place(3, false);
    for (std::size_t i = 0; i < 512; ++i) {
        const std::size_t word = i * 37 % 512;  // each word once, as 37 and 512 have no common factor
        touch(store, z + 4 * word, z);
        touch(load, z + 4 * word, z);
    }
    EXPECT_THAT(checker.findings(), IsEmpty());
    for (const std::size_t word : {7U, 500U, 3U, 90U, 41U, 11U, 512U}) {
        touch(stray, z + 4 * word, z);  // the last has not been written
    }
    EXPECT_THAT(found(), ElementsAre("uninitialised_read"));
    EXPECT_EQ(checker.unwritten_runs(gm, 4096),
              (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{gm + 2048, gm + 4096}}));
}

TEST_F(PlainPointers, OutsideOfEveryArgumentTheDistanceIsSaid) {
    isa::PlainSite store = place(1, true);
    touch(store, z + 4096 + 8, z);
    EXPECT_THAT(found(), ElementsAre("out_of_range"));
    EXPECT_NE(checker.findings()[0].message.find("8 bytes behind the end of 'z'"), std::string::npos)
        << checker.findings()[0].message;
}

TEST_F(PlainPointers, OneMemoryOfACoreDoesNotLeadIntoTheNext) {
    isa::PlainCore cube{chip, memory, CoreKind::aic};
    cube.set_observer(&checker);
    begin(cube);
    isa::PlainSite load = place(1, false);
    const std::byte* const l1 = cube.local(Memory::l1).data();
    const std::byte* const l0a = cube.local(Memory::l0a).data();
    touch(load, l1 + 16, l1);
    EXPECT_THROW(touch(load, l0a, l1), std::runtime_error);
    const std::vector<std::string> all = found();
    EXPECT_THAT(all, ::testing::Contains("out_of_range"));
    begin(core);
}

TEST_F(PlainPointers, ANeighbourIsNotHitSilently) {
    isa::PlainSite load = place(1, false);
    touch(load, y + 16, z);
    EXPECT_THAT(found(), ElementsAre("out_of_range"));
    EXPECT_NE(checker.findings()[0].message.find("by a pointer to 'z'"), std::string::npos);
}

TEST_F(PlainPointers, AWordThatWasSeenIsStillNoOtherArguments) {
    isa::PlainSite of_z = place(1, true);
    isa::PlainSite of_y = place(2, true);
    for (std::size_t round = 0; round < 3; ++round) {  // in the second one they are known, in the third seen
        for (std::size_t i = 0; i < 64; ++i) {
            touch(of_z, z + 4 * (i * 37 % 64), z);
            touch(of_y, y + 4 * (i * 37 % 64), y);
        }
    }
    EXPECT_TRUE(seen(of_z, z + 12, z));
    EXPECT_FALSE(seen(of_y, z + 12, y));
    touch(of_y, z + 12, y);
    EXPECT_THAT(found(), ElementsAre("out_of_range"));
    EXPECT_FALSE(seen(of_z, z + 12, z));  // all is told by now
}

TEST_F(PlainPointers, TwoCoresOnOneWordAreARaceWithBothSides) {
    isa::PlainSite one = place(1, true);
    isa::PlainSite other = place(2, true);
    touch(one, y, y);
    begin(second);
    touch(other, y, y);
    EXPECT_THAT(found(), ElementsAre("core_race"));
    EXPECT_EQ(checker.findings()[0].earlier->line, 1);
    EXPECT_EQ(checker.findings()[0].later.line, 2);
}

TEST_F(PlainPointers, WhatAnotherCoreHasInItsCacheIsNotReadYet) {
    isa::PlainSite one = place(1, true);
    isa::PlainSite other = place(2, false);
    touch(one, y, y);
    begin(second);
    touch(other, y, y);
    EXPECT_THAT(found(), ElementsAre("cache_not_cleaned"));
}

TEST_F(PlainPointers, ACopyIsAwaitedBeforeItIsRead) {
    issue(Pipe::mte2, {ub(true, 0, 1024)}, isa::OpKind::transfer);  // line 1
    isa::PlainSite load = place(7, false);
    const std::byte* buffer = core.at({Memory::ub, 0});
    touch(load, buffer + 4, buffer);
    EXPECT_THAT(found(), ElementsAre("race"));
}

TEST_F(PlainPointers, AfterItsFlagACopyMayBeRead) {
    issue(Pipe::mte2, {ub(true, 0, 1024)}, isa::OpKind::transfer);
    set(Pipe::mte2, Pipe::scalar);
    await(Pipe::mte2, Pipe::scalar);
    isa::PlainSite load = place(7, false);
    const std::byte* buffer = core.at({Memory::ub, 0});
    touch(load, buffer + 4, buffer);
    EXPECT_THAT(found(), IsEmpty());
}

TEST_F(PlainPointers, TheStackIsNobodysBusiness) {
    isa::PlainSite store = place(1, true);
    std::array<std::byte, 64> local{};
    touch(store, local.data(), local.data());
    EXPECT_THAT(found(), IsEmpty());
    EXPECT_NE(store.starts, 0);  // and is not asked for again
}

}  // namespace
}  // namespace ascendsim::sanitize
