// SPDX-License-Identifier: Apache-2.0
// `--json -` leaves one JSON value on standard output and nothing else, whatever runs and whichever command
// asks.
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/process/subprocess.hpp"
#include "tests/every_scenario/small_scenarios.hpp"

namespace ascendsim::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class JsonAlone : public ::testing::Test {
protected:
    toolchain::Installation installation = toolchain::Installation::find();
    fs::path build = installation.libraries.parent_path();
    fs::path folder =
        fs::path{::testing::TempDir()} /
        fmt::format("json_alone_{}", ::testing::UnitTest::GetInstance()->current_test_info()->name());

    void SetUp() override {
        fs::create_directories(folder);
        setenv("XDG_CACHE_HOME", folder.c_str(), 1);
    }

    void TearDown() override { fs::remove_all(folder); }

    /// Standard output of `ascendsim ARGUMENTS --json -`, read as JSON; discarded if it is none.
    [[nodiscard]] json output_of(const std::string& arguments) const {
        process::Subprocess process{{"sh",
                                     "-c",
                                     fmt::format("cd '{}' && '{}' {} --json - 2>/dev/null",
                                                 folder.string(),
                                                 (build / "bin" / "ascendsim").string(),
                                                 arguments)}};
        EXPECT_EQ(process.wait(), 0) << arguments;
        return json::parse(process.output(), nullptr, false);
    }
};

TEST_F(JsonAlone, OfEveryScenario) {
    for (const SmallScenario& one : small_scenarios(installation)) {
        const json runs = output_of(fmt::format("run {} {}", one.name, one.options()));
        ASSERT_FALSE(runs.is_discarded()) << one.name;
        ASSERT_TRUE(runs.is_object()) << one.name;
        const json all = runs.contains("runs") ? runs.at("runs") : json::array({runs});
        ASSERT_FALSE(all.empty()) << one.name;
        for (const json& run : all) {
            EXPECT_GT(run.at("cycles").get<double>(), 0) << one.name;
            const fs::path recording = run.at("recording").get<std::string>();
            EXPECT_EQ(output_of(fmt::format("explain {}", recording.string())).at("cycles"),
                      run.at("cycles"));
            EXPECT_EQ(
                output_of(fmt::format("compare {0} {0}", recording.string())).at("time_us").at("difference"),
                0);
        }
    }
}

TEST_F(JsonAlone, OfEveryCommand) {
    EXPECT_TRUE(output_of("whatif add_8192_910b1 --set kernel.shape='[64, 64]'").is_object());
    EXPECT_EQ(output_of("whatif layer_norm_gelu_910b3 --set kernel.shape='[8, 64]'").at("runs").size(),
              2U);  // two variants
    EXPECT_TRUE(output_of("tune cross_attention_910b3 --set kernel.batch=1 --budget 2").is_object());
    EXPECT_TRUE(output_of("check add_8192_910b1").is_object());
    EXPECT_TRUE(output_of("audit multimodal").at("runs").is_array());
    EXPECT_TRUE(output_of("validate --family COLL").is_object());
    EXPECT_TRUE(output_of("describe chip 910b1").is_object());
    EXPECT_TRUE(output_of("describe kernel swiglu").is_object());
    EXPECT_TRUE(output_of("describe instruction mmad").is_object());
    for (const char* what : {"chips", "kernels", "scenarios", "lessons", "instructions"}) {
        EXPECT_GT(output_of(fmt::format("list {}", what)).at(what).size(), 5U);
    }
}

}  // namespace
}  // namespace ascendsim::testing
