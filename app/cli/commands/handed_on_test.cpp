// SPDX-License-Identifier: Apache-2.0
// What a run leaves behind: files that are whole, that do not depend on the folder, and that can be handed
// on.
#include <csignal>
#include <thread>

#include "app/cli/testing/command_line.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

/// A project in each of two folders, with the same kernel.
class HandedOn : public CommandLine {
protected:
    void SetUp() override {
        CommandLine::SetUp();
        for (const char* name : {"a", "b longer"}) {
            fs::create_directories(folder / name);
            fs::rename(folder / "faults.cpp", folder / name / "faults.cpp");
            fs::rename(folder / "faults.toml", folder / name / "faults.toml");
            write(std::string{name} + "/LICENSE", "a project of its own\n");
            copy("faults.cpp", folder);
            copy("faults.toml", folder);
        }
    }

    [[nodiscard]] Outcome in(const std::string& project, const std::string& arguments) const {
        return ascendsim(fmt::format("--version >/dev/null && cd '{}' && '{}' {}",
                                     (folder / project).string(),
                                     (build / "bin" / "ascendsim").string(),
                                     arguments));
    }

    /// Files in the folder and below it that are no sources, scenarios or arrays.
    [[nodiscard]] std::vector<std::string> left() const {
        std::vector<std::string> names;
        for (const fs::directory_entry& file : fs::recursive_directory_iterator{folder}) {
            const fs::path ending = file.path().extension();
            if (file.is_regular_file() && file.path().filename() != "LICENSE" && ending != ".cpp" &&
                ending != ".toml" && ending != ".npy") {
                names.push_back(file.path().lexically_relative(folder).string());
            }
        }
        return names;
    }
};

TEST_F(HandedOn, TheBytesOfARecordingDoNotDependOnTheFolder) {
    for (const char* project : {"a", "b longer"}) {
        fs::create_directories(folder / project / "out");
        ASSERT_EQ(in(project, "run faults.cpp --quiet --record out/run.rec").exit, 0);
    }
    const std::string bytes = contents(folder / "a/out/run.rec");
    EXPECT_EQ(bytes, contents(folder / "b longer/out/run.rec"));
    EXPECT_THAT(bytes, Not(HasSubstr(folder.string())));
    EXPECT_THAT(bytes, HasSubstr("Kernels that go wrong"));
}

TEST_F(HandedOn, AStrippedRecordingHoldsNoSourceAndNoFolder) {
    const std::string secret = " -D SECRET=hunter2 -I '" + folder.string() + "'";
    ASSERT_EQ(in("a", "run faults.cpp --quiet --strip --record run.rec" + secret).exit, 0);
    const std::string bytes = contents(folder / "a/run.rec");
    EXPECT_THAT(bytes, Not(HasSubstr(folder.string())));
    EXPECT_THAT(bytes, Not(HasSubstr("hunter2")));
    EXPECT_THAT(bytes, Not(HasSubstr("__aicore__")));
    EXPECT_EQ(in("a", "explain run.rec").exit, 0);
    EXPECT_THAT(in("a", "explain run.rec --try").output, HasSubstr("nothing of that is run"));

    ASSERT_EQ(in("a", "run faults.cpp --quiet --record run.rec" + secret).exit, 0);
    EXPECT_THAT(contents(folder / "a/run.rec"), HasSubstr("hunter2"));
}

TEST_F(HandedOn, ABaselineHoldsNoFolderAndIfAskedNoSource) {
    ASSERT_EQ(in("a", "check faults.toml --baseline base --update").exit, 0);
    EXPECT_THAT(contents(folder / "a/base/faults.rec"), Not(HasSubstr(folder.string())));
    EXPECT_THAT(contents(folder / "a/base/faults.rec"), HasSubstr("__aicore__"));
    ASSERT_EQ(in("a", "check faults.toml --baseline base --update --strip").exit, 0);
    EXPECT_THAT(contents(folder / "a/base/faults.rec"), Not(HasSubstr("__aicore__")));
    EXPECT_THAT(contents(folder / "a/base/faults.json"), Not(HasSubstr(folder.string())));
}

TEST_F(HandedOn, AFullDiskLeavesNoPartOfAFile) {
    ASSERT_EQ(in("a", "run faults.cpp --quiet --record run.rec").exit, 0);  // compiled now
    fs::remove(folder / "a/run.rec");
    // Room for the recording, of some 50 KB, that the cache keeps; the blocks that the shell counts are of
    // 512 B.
    const Outcome outcome =
        ascendsim(fmt::format("--version >/dev/null && cd '{}' && ulimit -f 128 && '{}' run faults.cpp "
                              "--quiet --set args.x.shape=[65536] "
                              "--csv tables",
                              (folder / "a").string(),
                              (build / "bin" / "ascendsim").string()));
    EXPECT_EQ(outcome.exit, 2) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("File too large"));
    EXPECT_THAT(left(), testing::IsEmpty());
    // Not even for the recording, 4 KiB.
    const Outcome none = ascendsim(
        fmt::format("--version >/dev/null && cd '{}' && ulimit -f 8 && '{}' run faults.cpp --quiet --out out",
                    (folder / "a").string(),
                    (build / "bin" / "ascendsim").string()));
    EXPECT_EQ(none.exit, 2) << none.output;
    EXPECT_THAT(none.output, HasSubstr("File too large"));
    EXPECT_TRUE(fs::is_empty(folder / "a/out"));
}

TEST_F(HandedOn, AStudyThatIsEndedLeavesNothingInTheTemporaryFolder) {
    fs::create_directories(folder / "tmp");
    setenv("TMPDIR", (folder / "tmp").c_str(), 1);
    for (const char* signal : {"TERM", "KILL"}) {
        const Outcome outcome = ascendsim(
            fmt::format("--version >/dev/null && ('{}' whatif faults.cpp --set launch.entry=endless --set "
                        "limits.idle_s=20 & "
                        "child=$!; for i in $(seq 100); do [ -n \"$(ls tmp)\" ] && break; sleep 0.1; done; "
                        "kill -{} $child; wait $child)",
                        (build / "bin" / "ascendsim").string(),
                        signal));
        EXPECT_NE(outcome.exit, 0);
        if (std::string{"KILL"} != signal) {
            EXPECT_TRUE(fs::is_empty(folder / "tmp")) << signal;
        }
    }
    // What was left by the one that was killed goes with the next study.
    EXPECT_FALSE(fs::is_empty(folder / "tmp"));
    static_cast<void>(ascendsim("whatif faults.cpp --timing-only"));
    EXPECT_TRUE(fs::is_empty(folder / "tmp"));
    unsetenv("TMPDIR");
}

TEST_F(HandedOn, ManyRunsIntoOneFolderLeaveWholeFiles) {
    ASSERT_EQ(in("a", "run faults.cpp --quiet --record run.rec").exit, 0);
    fs::remove(folder / "a/run.rec");
    std::vector<std::jthread> runs;
    std::vector<int> exits(20);
    for (int& exit : exits) {
        runs.emplace_back([&] { exit = in("a", "run faults.cpp --quiet --out out").exit; });
    }
    runs.clear();
    EXPECT_THAT(exits, testing::Each(0));
    EXPECT_TRUE(nlohmann::json::accept(contents(folder / "a/out/faults.json")));
    EXPECT_TRUE(nlohmann::json::accept(contents(folder / "a/out/faults.trace.json")));
    EXPECT_THAT(contents(folder / "a/out/faults.html"), testing::EndsWith("</html>\n"));
    for (const std::string& name : left()) {
        EXPECT_THAT(name, Not(HasSubstr(".ascendsim-")));
    }
}

}  // namespace
}  // namespace ascendsim::cli
