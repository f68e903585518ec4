// SPDX-License-Identifier: Apache-2.0
#include "gui/runs/run_origin.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "gui/document/run_file.hpp"
#include "sim/record/recorder.hpp"

namespace ascendsim::gui {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class RunOriginTest : public ::testing::Test {
protected:
    void SetUp() override {
        fs::create_directories(folder / "out");
        std::ofstream{folder / "add.toml"} << "[scenario]\n";
        std::ofstream{folder / "add.cpp"} << "int a;\n";
    }

    void TearDown() override { fs::remove_all(folder); }

    /// What a recording with that metadata says.
    [[nodiscard]] RunOrigin of(const nlohmann::json& metadata) const {
        const fs::path file = folder / "out" / "add.rec";
        {
            record::Recorder recorder{file};
            recorder.metadata(metadata);
            recorder.lane(record::TrackPath::parse("aiv0/vector"));
            recorder.finish({{"cycles", 1}});
        }
        RunFile opened{file, Loading::at_once};
        return origin_of(*opened.latest());
    }

    fs::path folder = fs::temp_directory_path() / ("run_origin_" + std::to_string(getpid()));
};

TEST_F(RunOriginTest, FilesAreFoundFromWhereTheRecordingLies) {
    const RunOrigin origin =
        of({{"file", "add.toml"}, {"project", ".."}, {"sources", {{"add.cpp", "int a;\n"}}}});
    EXPECT_EQ(origin.missing, std::nullopt);
    EXPECT_EQ(fs::canonical(origin.scenario), fs::canonical(folder / "add.toml"));
}

TEST_F(RunOriginTest, WhatIsNotWhatWasRecordedDoesNotRun) {
    const RunOrigin origin =
        of({{"file", "add.toml"}, {"project", ".."}, {"sources", {{"add.cpp", "int other;\n"}}}});
    ASSERT_TRUE(origin.missing.has_value());
    EXPECT_THAT(*origin.missing,
                HasSubstr("add.cpp is not what this recording was made of; open the scenario"));
}

/// `ascendsim run add` has no scenario's file, and needs none to run once more.
TEST_F(RunOriginTest, AKernelIsRunByItsName) {
    const RunOrigin origin = of({{"shipped_kernel", "add"},
                                 {"sources", nlohmann::json::object()},
                                 {"overrides", {{"kernel.buffers", "1"}}}});
    EXPECT_EQ(origin.missing, std::nullopt);
    EXPECT_TRUE(origin.shipped_kernel);
    EXPECT_EQ(origin.scenario, "add");
    ASSERT_EQ(origin.settings.size(), 1U);
    EXPECT_EQ(origin.settings[0], (lessons::Setting{"kernel.buffers", "1"}));
}

TEST_F(RunOriginTest, AKernelThatIsNotThereDoesNotRun) {
    const RunOrigin origin = of({{"shipped_kernel", "no_such"}, {"sources", nlohmann::json::object()}});
    EXPECT_FALSE(origin.shipped_kernel);
    EXPECT_TRUE(origin.missing.has_value());
}

TEST_F(RunOriginTest, AStrippedRecordingSaysThatItDoesNotSay) {
    EXPECT_EQ(of({{"scenario", "add"}}).missing, "The recording does not say which scenario made it");
}

}  // namespace
}  // namespace ascendsim::gui
