// SPDX-License-Identifier: Apache-2.0
#include "sim/record/handed_on.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "sim/base/error.hpp"
#include "sim/record/recorder.hpp"
#include "sim/record/recording.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim::record {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::TemporaryFile;

void make(const std::filesystem::path& file) {
    Recorder recorder{file};
    recorder.relative_to("/home/me/p");
    recorder.metadata({{"file", "/home/me/p/add.toml"},
                       {"project", "/home/me/p"},
                       {"sources", {{"/home/me/p/add.cpp", "secret text"}}},
                       {"overrides", {{"command.define", "[\"KEY=hunter2\"]"}, {"kernel.tile", "4"}}}});
    const std::uint32_t lane = recorder.lane(TrackPath::parse("aiv0/vector"));
    recorder.span(lane,
                  {.start = 0, .end = 5, .complete = 5, .site = recorder.site("/home/me/p/add.cpp", 41)});
    recorder.span(lane, {.start = 5, .end = 9, .complete = 9, .site = recorder.site("/opt/x/lib.h", 7)});
    recorder.span(
        lane, {.start = 9, .end = 9, .complete = 9, .site = recorder.called_site("/opt/x/engine.h", 12, 1)});
    recorder.finish({{"cycles", 9}, {"error", "bad access at /home/me/p/add.cpp:41"}});
}

std::vector<std::uint64_t> ends(const Recording& recording) {
    std::vector<std::uint64_t> result;
    for (const std::uint64_t end : recording.lane(0).end) {
        result.push_back(end);
    }
    return result;
}

TEST(HandedOn, ARecordingNamesFilesOfItsProjectByTheirPathInIt) {
    const TemporaryFile file;
    make(file.path());
    const Recording recording{file.path()};
    EXPECT_EQ(recording.site(1).file, "add.cpp");
    EXPECT_EQ(recording.metadata().at("file"), "add.toml");
    EXPECT_TRUE(recording.metadata().at("sources").contains("add.cpp"));
    EXPECT_EQ(recording.totals().at("error"), "bad access at add.cpp:41");
}

TEST(HandedOn, ACopyWithoutItsPlaceLosesNothingElse) {
    const TemporaryFile file;
    const TemporaryFile copy{".copy.rec"};
    make(file.path());
    copy_without_place(file.path(), copy.path());
    EXPECT_THAT(copy.contents(), Not(HasSubstr("/home/me/p")));
    const Recording before{file.path()};
    const Recording after{copy.path()};
    EXPECT_EQ(after.metadata().at("sources"), before.metadata().at("sources"));
    EXPECT_EQ(after.totals(), before.totals());
    EXPECT_EQ(ends(after), ends(before));
    EXPECT_EQ(before.kernel_line(3).line, 41U) << "of the line that called the library";
    EXPECT_EQ(after.sites(), before.sites());
}

TEST(HandedOn, AStrippedCopyHoldsNoSourceNoMacroAndNoFolder) {
    const TemporaryFile file;
    const TemporaryFile copy{".copy.rec"};
    make(file.path());
    copy_stripped(file.path(), copy.path());
    for (const char* word : {"/home", "/opt", "secret", "hunter2"}) {
        EXPECT_THAT(copy.contents(), Not(HasSubstr(word)));
    }
    const Recording after{copy.path()};
    EXPECT_EQ(after.site(1).file, "add.cpp");
    EXPECT_EQ(after.site(1).line, 41U);
    EXPECT_EQ(after.site(2).file, "lib.h");
    EXPECT_EQ(after.totals().at("error"), "bad access at add.cpp:41");
    EXPECT_EQ(after.metadata().at("overrides"), nlohmann::json({{"kernel.tile", "4"}}));
    EXPECT_EQ(ends(after), (std::vector<std::uint64_t>{5, 9, 9}));
    EXPECT_EQ(after.site(3).caller, 1U);
}

TEST(HandedOn, ADamagedRecordingIsNotCopied) {
    const TemporaryFile file;
    const TemporaryFile copy{".copy.rec"};
    make(file.path());
    std::string bytes = file.contents();
    bytes[40] = static_cast<char>(bytes[40] ^ 1);
    file.write(bytes);
    EXPECT_THROW(copy_stripped(file.path(), copy.path()), UserError);
    EXPECT_FALSE(std::filesystem::exists(copy.path()));
}

}  // namespace
}  // namespace ascendsim::record
