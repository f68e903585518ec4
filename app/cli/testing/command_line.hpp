// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "sim/process/subprocess.hpp"
#include "sim/record/recording.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::cli {

/// How a command ended, and what it printed.
struct Outcome {
    int exit = 0;
    std::string output;
};

/// A folder of its own with the faulty kernels; compiled kernels are kept in the build folder between runs.
class CommandLine : public ::testing::Test {
protected:
    toolchain::Installation installation = toolchain::Installation::find();
    std::filesystem::path build = installation.libraries.parent_path();
    std::filesystem::path folder =
        std::filesystem::path{::testing::TempDir()} /
        (std::string{"cli_"} + ::testing::UnitTest::GetInstance()->current_test_info()->name());

    void SetUp() override {
        std::filesystem::remove_all(folder);
        std::filesystem::create_directories(folder);
        setenv("XDG_CACHE_HOME", (build / "test_cache").c_str(), 1);
        copy("faults.cpp", folder);
        copy("faults.toml", folder);
        // The cache knows a source by its place too: one place for all tests compiles each fault once.
        std::filesystem::create_directories(build / "test_cache");
        if (!std::filesystem::exists(shared()) || contents(shared()) != contents(folder / "faults.cpp")) {
            const std::filesystem::path fresh = build / "test_cache" / fmt::format("faults.{}.cpp", getpid());
            std::filesystem::copy(folder / "faults.cpp", fresh);
            std::filesystem::rename(fresh, shared());
        }
    }

    void TearDown() override { std::filesystem::remove_all(folder); }

    void copy(const std::string& name, const std::filesystem::path& to) const {
        std::filesystem::copy(installation.root / "app/cli/testing" / (name + ".in"), to / name);
    }

    [[nodiscard]] std::filesystem::path shared() const { return build / "test_cache" / "faults.cpp"; }

    [[nodiscard]] static std::string contents(const std::filesystem::path& file) {
        std::ifstream stream{file};
        return {std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}};
    }

    void write(const std::string& name, const std::string& text) const {
        std::ofstream{folder / name} << text;
    }

    /// Runs `ascendsim` with `arguments` (of a shell) in the folder.
    [[nodiscard]] Outcome ascendsim(const std::string& arguments) const {
        process::Subprocess process{
            {"sh",
             "-c",
             fmt::format(
                 "cd '{}' && '{}' {}", folder.string(), (build / "bin" / "ascendsim").string(), arguments)}};
        const int exit = process.wait();
        return {exit, process.output()};
    }

    [[nodiscard]] Outcome fault(const std::string& entry, const std::string& more = {}) const {
        return ascendsim(
            fmt::format("run faults.cpp --quiet --record run.rec --set launch.entry={} {}", entry, more));
    }

    void expect_program_error(const std::string& entry, const std::string& sentence) const {
        const Outcome outcome = fault(entry);
        EXPECT_EQ(outcome.exit, 3) << outcome.output;
        EXPECT_THAT(outcome.output, ::testing::HasSubstr(sentence));
        const record::Recording recording{folder / "run.rec"};  // kept, readable, and says what happened
        EXPECT_EQ(recording.totals().at("outcome"), "failed");
        EXPECT_THAT(recording.totals().at("error").get<std::string>(), ::testing::HasSubstr(sentence));
    }

    void expect_user_error(const std::string& arguments, const std::string& sentence) const {
        const Outcome outcome = ascendsim(arguments);
        EXPECT_EQ(outcome.exit, 2) << outcome.output;
        EXPECT_THAT(outcome.output, ::testing::HasSubstr(sentence));
    }
};

}  // namespace ascendsim::cli
