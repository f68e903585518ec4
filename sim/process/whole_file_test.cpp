// SPDX-License-Identifier: Apache-2.0
#include "sim/process/whole_file.hpp"

#include <csignal>
#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/error.hpp"
#include "sim/process/file_text.hpp"
#include "sim/process/program_start.hpp"
#include "sim/process/temporary_folder.hpp"

namespace ascendsim::process {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class WholeFile : public testing::Test {
protected:
    TemporaryFolder folder;
    fs::path file = folder.path() / "figures.json";

    [[nodiscard]] std::size_t files() const {
        const fs::directory_iterator all{folder.path()};
        return static_cast<std::size_t>(
            std::count_if(begin(all), end(all), [](const fs::directory_entry& one) {
                return !one.path().filename().string().starts_with(".lock");
            }));
    }

    /// Calls `write` in a process of its own, and returns how that ended.
    template <class Write>
    static int apart(const Write& write) {
        const pid_t child = fork();
        if (child == 0) {
            write();
            _exit(0);
        }
        return wait_for(child);
    }
};

TEST_F(WholeFile, ReplacesWhatWasThereAndLeavesNothingElse) {
    write_whole(file, "first, and longer");
    write_whole(file, "second");
    EXPECT_EQ(text_of(file), "second");
    EXPECT_EQ(files(), 1U);
}

TEST_F(WholeFile, KeepsTheModeAndTheLink) {
    write_whole(file, "first");
    ASSERT_EQ(chmod(file.c_str(), 0600), 0);
    const fs::path link = folder.path() / "link";
    fs::create_symlink("figures.json", link);
    write_whole(link, "second");
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(text_of(file), "second");

    struct stat now {};

    ASSERT_EQ(stat(file.c_str(), &now), 0);
    EXPECT_EQ(now.st_mode & 0777U, 0600U);
}

TEST_F(WholeFile, AFileThatGrowsTooLargeLeavesTheOldOne) {
    write_whole(file, "old");
    const int status = apart([&] {
        const rlimit limit{4096, 4096};
        std::signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        try {
            write_whole(file, std::string(10'000, 'x'));
        } catch (const UserError& error) {
            _exit(std::string{error.what()} == file.string() + ": cannot be written: File too large" ? 7 : 8);
        }
    });
    EXPECT_EQ(exit_code_of(status), 7);
    EXPECT_EQ(text_of(file), "old");
    EXPECT_EQ(files(), 1U);
}

TEST_F(WholeFile, AProcessThatIsKilledLeavesTheOldOne) {
    write_whole(file, "old");
    const std::string much(std::size_t{64} << 20U, 'x');
    const pid_t child = fork();
    if (child == 0) {
        for (;;) {
            write_whole(folder.path() / "other.json", much);
        }
    }
    constexpr useconds_t some_time = 20'000;
    usleep(some_time);
    kill(child, SIGKILL);
    wait_for(child);
    EXPECT_EQ(text_of(file), "old");
    const fs::path other = folder.path() / "other.json";
    EXPECT_TRUE(!fs::exists(other) || fs::file_size(other) == much.size());
}

TEST_F(WholeFile, WritesWhatIsNoFileAsItStands) {
    EXPECT_NO_THROW(write_whole("/dev/null", "text"));
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(WholeFile, SaysWhyAFileCannotBeWritten) {
    const auto complaint = [](const fs::path& place) -> std::string {
        try {
            write_whole(place, "text");
        } catch (const UserError& error) {
            return error.what();
        }
        return {};
    };
    EXPECT_THAT(complaint(folder.path() / "missing" / "x"),
                HasSubstr("x: cannot be written: No such file or directory"));
    EXPECT_THAT(complaint(folder.path()), HasSubstr("cannot be written: Is a directory"));
    EXPECT_THAT(complaint(folder.path() / std::string(300, 'n')),
                HasSubstr("cannot be written: File name too long"));
    EXPECT_EQ(files(), 0U);
}

}  // namespace
}  // namespace ascendsim::process
