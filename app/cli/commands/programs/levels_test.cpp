// SPDX-License-Identifier: Apache-2.0
// The detailed and the composed level, where both can run: a kernel on two devices and a collective behind
// it.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/node/node_file.hpp"
#include "sim/process/subprocess.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Levels : public testing::Test {
protected:
    toolchain::Installation installation = toolchain::Installation::find();
    fs::path build = installation.libraries.parent_path();
    fs::path folder = build / "test_cache" / "levels";

    /// What a command writes to out.json of its file.
    [[nodiscard]] json figures(const std::string& command,
                               const std::string& file,
                               const std::string& text) const {
        fs::create_directories(folder);
        setenv("XDG_CACHE_HOME", (build / "test_cache").c_str(), 1);
        std::ofstream{folder / file} << text;
        process::Subprocess process{{"sh",
                                     "-c",
                                     fmt::format("cd '{}' && '{}' {} {} --json=out.json",
                                                 folder.string(),
                                                 (build / "bin" / "ascendsim").string(),
                                                 command,
                                                 file)}};
        EXPECT_EQ(process.wait(), 0) << process.output();
        std::ifstream stream{folder / "out.json"};
        return json::parse(stream);
    }

    [[nodiscard]] static double per_call(const json& calls, const std::string& name, const char* key) {
        for (const json& call : calls) {
            if (call.at("name") == name) {
                return call.at(key).get<double>() / call.at("count").get<double>();
            }
        }
        ADD_FAILURE() << name;
        return 0;
    }
};

TEST_F(Levels, AgreeWhereBothCanRun) {
    const json detailed =
        figures("run",
                "add.toml",
                "[scenario]\nkernel = \"add\"\nchip = \"910b3\"\nmode = \"timing\"\nranks = 2\n"
                "[kernel]\nshape = [512, 4096]\n[[collectives]]\nsend = \"z\"\n")
            .at("program")
            .at("timeline");
    const double kernel_us = per_call(detailed.at("calls"), "add_float16", "device_us");
    const json composed = figures("step",
                                  "step.toml",
                                  fmt::format("[step]\nnode = \"atlas800t_a2\"\nranks = 2\n"
                                              "[[task]]\nname = \"add\"\nus = {}\nmode = \"launch\"\n"
                                              "[[task]]\nkind = \"collective\"\nname = \"sum\"\nbytes = {}\n",
                                              kernel_us,
                                              512 * 4096 * 2));
    // In a step the device waits for the first call of its host; ranks' hosts are ahead.
    const double launch_us =
        node::open_host("kunpeng920", installation.root / "models" / "hosts").spec.launch_us;
    EXPECT_NEAR(
        composed.at("step_us").get<double>() - launch_us, detailed.at("total_us").get<double>(), 1e-3);
}

}  // namespace
}  // namespace ascendsim::cli
