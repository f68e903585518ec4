// SPDX-License-Identifier: Apache-2.0
#include "toolchain/installation/cache.hpp"

#include <cstdlib>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "toolchain/installation/cache_files.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::toolchain {

namespace {

namespace fs = std::filesystem;

/// A cache of its own with three files of 100 B, used three, two and no hours ago.
class Cache : public testing::Test {
protected:
    fs::path folder = fs::path{testing::TempDir()} /
                      (std::string{"cache_"} + testing::UnitTest::GetInstance()->current_test_info()->name());

    void SetUp() override {
        fs::remove_all(folder);
        setenv("XDG_CACHE_HOME", folder.c_str(), 1);
        put("runs/old.rec", 3);
        put("kernels/middle.so", 2);
        put("runs/fresh.rec", 0);
    }

    void TearDown() override { fs::remove_all(folder); }

    static void put(const std::string& name, int hours_ago) {
        const fs::path file = cache_folder() / name;
        fs::create_directories(file.parent_path());
        std::ofstream{file} << std::string(100, 'x');
        fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours{hours_ago});
    }

    static bool has(const std::string& name) { return fs::exists(cache_folder() / name); }
};

TEST_F(Cache, TellsWhatItHolds) {
    const std::vector<CachePart> parts = cache_parts();
    EXPECT_EQ(parts.at(0).name, "runs");
    EXPECT_EQ(parts.at(0).files, 2U);
    EXPECT_EQ(parts.at(0).bytes, 200U);
    EXPECT_EQ(parts.at(1).bytes, 100U);
}

TEST_F(Cache, KeepsEverythingBelowTheBound) {
    EXPECT_EQ(trim_cache(300), 0U);
    EXPECT_TRUE(has("runs/old.rec"));
}

TEST_F(Cache, DropsWhatWasUsedLongestAgo) {
    EXPECT_EQ(trim_cache(250), 100U);
    EXPECT_FALSE(has("runs/old.rec"));
    EXPECT_TRUE(has("kernels/middle.so"));
}

TEST_F(Cache, SparesWhatIsInUse) {
    mark_used(cache_folder() / "runs/old.rec");
    EXPECT_EQ(trim_cache(0), 100U);  // the one used two hours ago
    EXPECT_TRUE(has("runs/old.rec"));
    EXPECT_TRUE(has("runs/fresh.rec"));
    EXPECT_FALSE(has("kernels/middle.so"));
    EXPECT_EQ(trim_cache(0, std::chrono::minutes{0}), 200U);
}

TEST_F(Cache, SparesWhatAThreadIsWriting) {
    const std::string mine = "kernels/00ff." + writer_tag() + ".so";
    const std::string of_nobody =
        "kernels/00ff.4194999.4194999.so";  // Linux has no process of a number so high
    const std::string my_run = fmt::format("runs/my_add.{}.part.rec", getpid());
    const std::string run_of_nobody = "runs/my_add.4194999.part.rec";
    for (const std::string& name : {mine, of_nobody, my_run, run_of_nobody}) {
        std::ofstream{cache_folder() / name} << "part";
    }
    trim_cache(0, std::chrono::minutes{0});
    EXPECT_TRUE(has(mine));
    EXPECT_TRUE(has(my_run));
    EXPECT_FALSE(has(of_nobody));
    EXPECT_FALSE(has(run_of_nobody));
    EXPECT_FALSE(has("runs/old.rec"));
}

TEST_F(Cache, IsLookedAtOnceInFiveMinutes) {
    const fs::path stamp = cache_folder() / "trimmed";
    const auto now = fs::file_time_type::clock::now();
    EXPECT_TRUE(trim_cache_now_and_then());
    EXPECT_FALSE(trim_cache_now_and_then());
    fs::last_write_time(stamp, now - std::chrono::minutes{6});
    EXPECT_TRUE(trim_cache_now_and_then());
    fs::last_write_time(stamp, now + std::chrono::hours{1});  // of a clock that was set back since
    EXPECT_TRUE(trim_cache_now_and_then());
    EXPECT_TRUE(has("runs/old.rec"));  // far below the bound
}

}  // namespace

}  // namespace ascendsim::toolchain
