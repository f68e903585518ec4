// SPDX-License-Identifier: Apache-2.0
// The doctor on this machine, which has everything, and on ones that lack something.
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/cli/testing/command_line.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Doctor : public CommandLine {
protected:
    struct Examined {
        int exit = 0;
        nlohmann::json json;

        [[nodiscard]] nlohmann::json finding(std::string_view subject) const {
            for (const nlohmann::json& one : json.at("findings")) {
                if (one.at("subject") == subject) {
                    return one;
                }
            }
            ADD_FAILURE() << "no finding on " << subject;
            return {{"state", ""}, {"found", ""}, {"advice", ""}};
        }
    };

    /// Runs the doctor with variables of the shell in front; an output that is no JSON fails the test.
    [[nodiscard]] Examined examine(const std::string& environment) const {
        process::Subprocess process{
            {"sh",
             "-c",
             fmt::format(
                 "cd '{}' && env -u DISPLAY -u WAYLAND_DISPLAY -u SDL_VIDEODRIVER {} '{}' doctor --json - "
                 "2>/dev/null",
                 folder.string(),
                 environment,
                 (build / "bin" / "ascendsim").string())}};
        Examined result{.exit = process.wait(), .json = {}};
        result.json = nlohmann::json::parse(process.output(), nullptr, false);
        EXPECT_FALSE(result.json.is_discarded()) << process.output();
        return result;
    }

    /// A clang++ in a folder of its own that runs `script` instead, or before the real one.
    [[nodiscard]] std::string path_with_compiler(const std::string& script) const {
        fs::create_directories(folder / "bin");
        const fs::path file = folder / "bin" / "clang++";
        std::ofstream{file} << "#!/bin/sh\n" << script << "\nexec /usr/bin/clang++ \"$@\"\n";
        fs::permissions(file, fs::perms::owner_all);
        return fmt::format("PATH='{}':\"$PATH\"", (folder / "bin").string());
    }
};

TEST_F(Doctor, IsContentWhereKernelsAreCompiledAndRun) {
    const std::string cache = fmt::format("XDG_CACHE_HOME='{}'", (folder / "cache").string());
    const Examined here = examine(cache);
    EXPECT_EQ(here.exit, 0) << here.json.dump(2);
    EXPECT_TRUE(here.json.at("ready").get<bool>());
    for (const char* subject : {"installation", "compiler", "pass", "linker", "headers", "cache", "trial"}) {
        EXPECT_EQ(here.finding(subject).at("state"), "good") << here.finding(subject).dump();
    }
    EXPECT_THAT(here.finding("trial").at("found"), HasSubstr("compiled and run"));
    EXPECT_FALSE(fs::exists(folder / "cache" / "ascendsim" / "doctor")) << "the trial left something";
}

TEST_F(Doctor, WithoutADisplayItIsContentAndSaysSo) {
    const Examined here = examine("");
    EXPECT_EQ(here.exit, 0) << here.json.dump(2);
    EXPECT_EQ(here.finding("dashboard").at("state"), "warning");
    EXPECT_NE(here.finding("dashboard").at("advice"), "");
}

TEST_F(Doctor, MissesTheCompiler) {
    const Examined here = examine("PATH=/none");
    EXPECT_EQ(here.exit, 1);
    EXPECT_FALSE(here.json.at("ready").get<bool>());
    EXPECT_EQ(here.finding("compiler").at("state"), "missing");
    EXPECT_THAT(here.finding("compiler").at("advice"), HasSubstr("apt-get install clang"));
    EXPECT_EQ(here.finding("trial").at("state"), "missing");
    EXPECT_THAT(here.finding("trial").at("found"), HasSubstr("clang++ cannot be started"));
}

TEST_F(Doctor, MissesTheClangThatThePassWasBuiltFor) {
    const Examined here = examine(
        path_with_compiler("if [ \"$1\" = -dumpversion ]; then echo 99.0.1; exit; fi\n"
                           "case \"$*\" in *-fplugin=*) echo 'error: no such plug-in'; exit 1;; esac"));
    EXPECT_EQ(here.exit, 1);
    EXPECT_EQ(here.finding("compiler").at("state"), "missing");
    EXPECT_THAT(here.finding("compiler").at("found"), HasSubstr("clang++ 99.0.1"));
    EXPECT_THAT(here.finding("compiler").at("found"), HasSubstr("was built for clang "));
    EXPECT_EQ(here.finding("pass").at("state"), "missing");
    EXPECT_THAT(here.finding("pass").at("found"), HasSubstr("no such plug-in"));
    EXPECT_EQ(here.finding("headers").at("state"), "good");
}

TEST_F(Doctor, MissesTheLinkerAndTheHeadersOfFmt) {
    const Examined here = examine(path_with_compiler(
        "case \"$*\" in *print-prog-name*) echo /none/ld.lld; exit;;\n"
        "*'-include fmt/format.h'*) echo \"fatal error: 'fmt/format.h' file not found\"; exit 1;; esac"));
    EXPECT_EQ(here.exit, 1);
    EXPECT_EQ(here.finding("linker").at("state"), "missing");
    EXPECT_EQ(here.finding("linker").at("advice"), "apt-get install lld");
    EXPECT_EQ(here.finding("headers").at("state"), "missing");
    EXPECT_EQ(here.finding("headers").at("advice"), "apt-get install libfmt-dev");
    EXPECT_EQ(here.finding("compiler").at("state"), "good");
}

TEST_F(Doctor, MissesACacheThatCanBeWritten) {
    const Examined here = examine("XDG_CACHE_HOME=/dev/null/cache");
    EXPECT_EQ(here.exit, 1);
    EXPECT_EQ(here.finding("cache").at("state"), "missing");
    EXPECT_THAT(here.finding("cache").at("advice"), HasSubstr("XDG_CACHE_HOME"));
}

TEST_F(Doctor, TellsPeopleInLines) {
    const Outcome outcome = ascendsim("doctor");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, testing::ContainsRegex("good +compiler +clang"));
    EXPECT_THAT(outcome.output, HasSubstr("Kernels can be compiled and run."));
}

}  // namespace
}  // namespace ascendsim::cli
