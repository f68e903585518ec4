// SPDX-License-Identifier: Apache-2.0
// Code is loaded from the cache: it is the user's alone, wherever it lies.
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/error.hpp"
#include "toolchain/installation/cache_files.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

class CachePlace : public testing::Test {
protected:
    fs::path folder =
        fs::path{testing::TempDir()} /
        (std::string{"cache_place_"} + testing::UnitTest::GetInstance()->current_test_info()->name());

    std::map<std::string, std::string> before;  // variables that tests change

    void SetUp() override {
        for (const char* name : {"HOME", "XDG_CACHE_HOME", "TMPDIR"}) {
            if (const char* const value = std::getenv(name)) {
                before[name] = value;
            }
            unsetenv(name);
        }
        fs::remove_all(folder);
        fs::create_directories(folder);
        setenv("XDG_CACHE_HOME", folder.c_str(), 1);
    }

    void TearDown() override {
        unsetenv("TMPDIR");
        for (const auto& [name, value] : before) {
            setenv(name.c_str(), value.c_str(), 1);
        }
        fs::remove_all(folder);
    }

    [[nodiscard]] static unsigned mode_of(const fs::path& place) {
        struct stat is {};

        return stat(place.c_str(), &is) == 0 ? is.st_mode & 0777U : 0;
    }
};

TEST_F(CachePlace, IsMadeForTheUserAlone) {
    const mode_t mask = umask(0);
    const fs::path kernels = made_cache_folder("kernels");
    umask(mask);
    EXPECT_EQ(kernels, folder / "ascendsim" / "kernels");
    EXPECT_EQ(mode_of(folder / "ascendsim"), 0700U);
}

TEST_F(CachePlace, OneThatIsOpenToOthersIsClosed) {
    fs::create_directories(folder / "ascendsim");
    ASSERT_EQ(chmod((folder / "ascendsim").c_str(), 0777), 0);
    static_cast<void>(cache_folder());
    EXPECT_EQ(mode_of(folder / "ascendsim"), 0700U);
}

TEST_F(CachePlace, SomeoneElsesIsNotUsed) {
    if (geteuid() != 0) {
        GTEST_SKIP() << "only root can give a folder away";
    }
    constexpr uid_t someone = 12345;
    fs::create_directories(folder / "ascendsim");
    ASSERT_EQ(chown((folder / "ascendsim").c_str(), someone, someone), 0);
    try {
        static_cast<void>(made_cache_folder("kernels"));
        FAIL() << "it was used";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("ascendsim: belongs to user 12345, not to you"));
        EXPECT_THAT(error.what(), testing::HasSubstr("XDG_CACHE_HOME"));
    }
    fs::remove(folder / "ascendsim");
    fs::create_directories(folder / "mine");
    fs::create_directory_symlink(folder / "mine", folder / "ascendsim");  // laid by someone else
    ASSERT_EQ(lchown((folder / "ascendsim").c_str(), someone, someone), 0);
    EXPECT_THROW(static_cast<void>(cache_folder()), UserError);
}

TEST_F(CachePlace, WithoutAHomeItIsInAFolderOfTheProcessAlone) {
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    setenv("TMPDIR", folder.c_str(), 1);
    const fs::path place = cache_folder();
    EXPECT_EQ(place, cache_folder());
    EXPECT_EQ(place.parent_path().parent_path(), folder);
    EXPECT_EQ(mode_of(place.parent_path()), 0700U);
    remove_private_cache();
    EXPECT_FALSE(fs::exists(place.parent_path()));
}

// A file is in its place, and a file system of the kernel's takes no folders.
TEST_F(CachePlace, WhereItCannotBeWrittenItIsInAFolderOfTheProcessAlone) {
    setenv("TMPDIR", folder.c_str(), 1);
    std::ofstream{folder / "file"} << "no folder\n";
    for (const fs::path& place : {folder / "file", fs::path{"/proc"}, fs::path{"/dev/null"}}) {
        setenv("XDG_CACHE_HOME", place.c_str(), 1);
        EXPECT_FALSE(cache_folder().string().starts_with(place.string() + "/")) << place;
        EXPECT_TRUE(has_private_cache());
        EXPECT_TRUE(fs::is_directory(made_cache_folder("kernels")));
    }
    remove_private_cache();
}

}  // namespace
}  // namespace ascendsim::toolchain
