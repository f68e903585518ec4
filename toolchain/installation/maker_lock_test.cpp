// SPDX-License-Identifier: Apache-2.0
#include "toolchain/installation/maker_lock.hpp"

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sim/process/temporary_folder.hpp"

namespace ascendsim::toolchain {
namespace {

TEST(MakerLock, LetsOneMakeWhatTheOthersWaitFor) {
    const process::TemporaryFolder folder;
    const std::filesystem::path stem = folder.path() / "key";
    std::atomic<bool> there = false;
    std::atomic<int> made = 0;
    std::vector<std::thread> makers;
    for (int i = 0; i < 8; ++i) {
        makers.emplace_back([&] {
            const MakerLock lock{stem};
            if (!there) {
                std::this_thread::sleep_for(std::chrono::milliseconds{50});
                ++made;
                there = true;
            }
        });
    }
    for (std::thread& maker : makers) {
        maker.join();
    }
    EXPECT_EQ(made, 1);
    EXPECT_FALSE(std::filesystem::exists(stem.string() + ".lock"));
}

TEST(MakerLock, LosesPatienceWithOneThatDoesNotEnd) {
    const process::TemporaryFolder folder;
    const MakerLock held{folder.path() / "key"};
    const MakerLock other{folder.path() / "another"};
    const MakerLock impatient{folder.path() / "key", std::chrono::seconds{0}};
    EXPECT_TRUE(held.held());
    EXPECT_TRUE(other.held());
    EXPECT_FALSE(impatient.held());
}

TEST(MakerLock, IsNotHeldWhereThereCanBeNone) {
    const MakerLock lock{"/nowhere/key"};
    EXPECT_FALSE(lock.held());
}

}  // namespace
}  // namespace ascendsim::toolchain
