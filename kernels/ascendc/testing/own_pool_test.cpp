// SPDX-License-Identifier: Apache-2.0
// Pools that a kernel divides itself, calls that no chip here has, and the host's sizes of types.
#include <array>

#include <gmock/gmock.h>

#include "kernels/ascendc/graph/types.h"
#include "models/port/testing/plain_core.hpp"

extern "C" void own_pool(
    std::uint8_t* x, std::uint8_t* z, std::uint32_t tiles, std::uint32_t room, std::uint32_t* at);
extern "C" void scalar_atomic(std::uint8_t* x);

namespace ascendsim::isa {
namespace {

using testing::HasSubstr;

constexpr std::uint32_t tiles = 4;
constexpr std::uint32_t tile_bytes = 64 * sizeof(float);

struct OwnPool : testing::Test {
    ChipSpec chip;
    GlobalMemory memory{1U << 20U};
    std::byte* x = memory.allocate("x", tiles* tile_bytes);
    std::byte* z = memory.allocate("z", tiles* tile_bytes);
    std::array<std::uint32_t, tiles + 1> at{};
    PlainCore core{chip, memory, CoreKind::aiv};

    void run(std::uint32_t room) {
        own_pool(
            reinterpret_cast<std::uint8_t*>(x), reinterpret_cast<std::uint8_t*>(z), tiles, room, at.data());
    }
};

TEST_F(OwnPool, LendsItsBlocksAtTheAddressesItChose) {
    auto* from = reinterpret_cast<float*>(x);
    for (std::uint32_t i = 0; i < tiles * 64; ++i) {
        from[i] = static_cast<float>(i);
    }
    run(3 * tile_bytes);
    for (std::uint32_t i = 0; i < tiles * 64; ++i) {
        ASSERT_EQ(reinterpret_cast<const float*>(z)[i], 2.0F * static_cast<float>(i)) << i;
    }
    // The pool starts behind a buffer of 32 bytes; the queue's first block is the upper one. Empty again, it
    // starts anew.
    EXPECT_THAT(at, testing::ElementsAre(32 + tile_bytes, 32, 32 + tile_bytes, 32, 32));
}

TEST_F(OwnPool, HoldsNoMoreThanItsMemory) {
    core.set_strict(true);
    try {
        run(2 * tile_bytes);
        FAIL() << "no error";
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("256 bytes requested, 512 of 512 bytes"));
    }
}

TEST_F(OwnPool, GoesOnBeyondItsMemoryAsTheChipDoes) {
    run(2 * tile_bytes);
    // The two blocks and the buffer of the test above; the third tile of room was not asked for.
    EXPECT_THAT(at, testing::ElementsAre(32 + tile_bytes, 32, 32 + tile_bytes, 32, 32));
}

TEST_F(OwnPool, ScalarAtomicsAreOfAnotherChip) {
    try {
        scalar_atomic(reinterpret_cast<std::uint8_t*>(x));
        FAIL() << "no error";
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("AtomicAdd"));
        EXPECT_THAT(error.what(), HasSubstr("no scalar atomics"));
    }
}

TEST(TypeSizes, AreThoseOfTheGraphEngine) {
    EXPECT_EQ(ge::GetSizeByDataType(ge::DT_BF16), 2);
    EXPECT_EQ(ge::GetSizeByDataType(ge::DT_FLOAT), 4);
    EXPECT_EQ(ge::GetSizeByDataType(ge::DT_COMPLEX128), 16);
    EXPECT_EQ(ge::GetSizeByDataType(ge::DT_INT4), 1004);
    EXPECT_EQ(ge::GetSizeByDataType(ge::DT_STRING), -1);
}

}  // namespace
}  // namespace ascendsim::isa
