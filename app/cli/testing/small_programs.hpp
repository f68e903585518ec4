// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/process/subprocess.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::cli {

/// Runs small host programs as `ascendsim run` does.
class SmallPrograms : public ::testing::Test {
protected:
    toolchain::Installation installation = toolchain::Installation::find();
    std::filesystem::path build = installation.libraries.parent_path();
    std::filesystem::path folder =
        build / "test_cache" / "programs" /
        fmt::format("{}.{}",
                    ::testing::UnitTest::GetInstance()->current_test_info()->test_suite_name(),
                    ::testing::UnitTest::GetInstance()->current_test_info()->name());

    void SetUp() override {
        std::filesystem::create_directories(folder);
        setenv("XDG_CACHE_HOME", (build / "test_cache").c_str(), 1);
    }

    struct Outcome {
        int exit = 0;
        std::string output;
    };

    [[nodiscard]] Outcome run(const std::filesystem::path& program,
                              const std::string& more = "--quiet",
                              const std::string& recording = "run.rec") const {
        process::Subprocess process{{"sh",
                                     "-c",
                                     fmt::format("cd '{0}' && '{1}' run '{2}' --record '{0}/{3}' {4}",
                                                 folder.string(),
                                                 (build / "bin" / "ascendsim").string(),
                                                 program.string(),
                                                 recording,
                                                 more)}};
        const int exit = process.wait();
        return {exit, process.output()};
    }

    /// Runs a main with this body, with `before` in front of it.
    [[nodiscard]] Outcome run_body(const std::string& body,
                                   const std::string& more = "--quiet",
                                   const std::string& before = {}) const {
        std::ofstream{folder / "main.cpp"} << head() << before << "int main() {\n"
                                           << body << "\nreturn 0;\n}\n";
        return run("main.cpp", more);
    }

    /// A kernel that works on no data, one that adds a value to the first `count` floats of x, and one that
    /// keeps `blocks` of a vector core busy for `rounds` additions.
    [[nodiscard]] static const char* head() {
        return "#include \"acl/acl.h\"\n#include \"kernel_operator.h\"\n#include <cstdio>\n#include "
               "<cstring>\n"
               "#include <thread>\n#include <mutex>\n#include <condition_variable>\n#include <atomic>\n"
               "#include <vector>\n#include <future>\n"
               "__global__ __vector__ void idle(GM_ADDR x) {}\n"
               "__global__ __vector__ void add_value(GM_ADDR x, float value) {\n"
               "    AscendC::TPipe pipe;\n    AscendC::TBuf<AscendC::TPosition::VECCALC> buf;\n"
               "    pipe.InitBuffer(buf, 256);\n    AscendC::GlobalTensor<float> gx;\n"
               "    gx.SetGlobalBuffer((__gm__ float*)x, 64);\n"
               "    AscendC::LocalTensor<float> u = buf.Get<float>();\n    AscendC::DataCopy(u, gx, 64);\n"
               "    AscendC::PipeBarrier<PIPE_ALL>();\n    AscendC::Adds(u, u, value, 64);\n"
               "    AscendC::PipeBarrier<PIPE_ALL>();\n    AscendC::DataCopy(gx, u, 64);\n}\n"
               "__global__ __vector__ void busy(GM_ADDR x, uint32_t rounds) {\n"
               "    AscendC::TPipe pipe;\n    AscendC::TBuf<AscendC::TPosition::VECCALC> buf;\n"
               "    pipe.InitBuffer(buf, 4096);\n    AscendC::LocalTensor<float> u = buf.Get<float>();\n"
               "    AscendC::Duplicate(u, 1.0F, 1024);\n"
               "    for (uint32_t i = 0; i < rounds; ++i) {\n        AscendC::PipeBarrier<PIPE_V>();\n"
               "        AscendC::Adds(u, u, 1.0F, 1024);\n    }\n}\n";
    }
};

}  // namespace ascendsim::cli
