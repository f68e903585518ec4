// SPDX-License-Identifier: Apache-2.0
#include "app/profile/step_export.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/profile/gaps.hpp"
#include "app/profile/vendor_profile.hpp"

namespace ascendsim::profile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::filesystem::path models = std::filesystem::path{ASCENDSIM_ROOT} / "models";

/// A step that has run.
struct RunStep {
    steps::StepProgram program;
    steps::StepRun run;
    steps::StepFigures figures;

    explicit RunStep(const std::string& tasks)
        : program{steps::read_step(
              TomlFile::parse("[step]\nnode = \"atlas800t_a2\"\nranks = 2\n" + tasks, "step.toml"),
              {.nodes = models / "nodes", .hosts = models / "hosts"})},
          run{steps::run_step(program)},
          figures{steps::figures_of(program, run)} {}
};

const std::string reduced = R"([[task]]
name = "backward"
us = 400
times = 2
mode = "launch"
[[task]]
kind = "collective"
name = "reduce"
stream = "communication"
bytes = 8000000
after = ["backward"]
[[task]]
name = "update"
us = 50
mode = "launch"
after = ["reduce"]
)";

TEST(StepExport, IsReadAsTheProfileOfARun) {
    const RunStep step{reduced};
    Profile profile;
    read_operators(kernel_details(step.program, step.run, 0), "kernel_details.csv", profile);
    read_trace(trace_view(step.program, step.run, 0), "trace_view.json", profile);
    read_steps(step_trace_time(step.figures, 0), "step_trace_time.csv", profile);
    ASSERT_EQ(profile.operators.size(), 4U);
    EXPECT_EQ(profile.operators[0].type, "backward");
    EXPECT_DOUBLE_EQ(profile.operators[0].us, 400);
    EXPECT_TRUE(profile.operators[2].communicates());
    EXPECT_EQ(profile.operators[2].type, "hcom_all_reduce_");
    EXPECT_EQ(profile.flows.size(), 4U);
    const ProfiledStep& row = profile.steps.at(0);
    EXPECT_DOUBLE_EQ(row.computing, 850);
    EXPECT_NEAR(
        row.computing + row.communication_not_overlapped + row.free, row.stage, 2e-3);  // three digits
    const DeviceTime device = starvation_of(profile).devices.at(0);
    EXPECT_NEAR(device.computing_us, 850, 1e-6);
    EXPECT_NEAR(device.communication_us, row.communication_not_overlapped, 0.01);
}

TEST(StepExport, HasTheSameTasksInOpSummary) {
    const RunStep step{reduced};
    Profile details;
    Profile summary;
    read_operators(kernel_details(step.program, step.run, 1), "k", details);
    read_operators(op_summary(step.program, step.run, 1), "o", summary);
    ASSERT_EQ(details.operators.size(), summary.operators.size());
    for (std::size_t i = 0; i < details.operators.size(); ++i) {
        EXPECT_EQ(details.operators[i].name, summary.operators[i].name);
        EXPECT_EQ(details.operators[i].us, summary.operators[i].us);
        EXPECT_EQ(details.operators[i].start_us, summary.operators[i].start_us);
    }
}

TEST(Chakra, OrdersTasksAsTheStepDoes) {
    const RunStep step{reduced};
    const std::vector<ChakraNode> nodes = chakra_nodes(step.program, step.run, 0);
    std::map<std::string, const ChakraNode*> device;
    for (const ChakraNode& node : nodes) {
        if (!node.on_host) {
            device[node.name] = &node;  // of several the last
        }
    }
    EXPECT_EQ(device.at("reduce")->kind, ChakraKind::collective);
    EXPECT_EQ(device.at("reduce")->bytes, 8'000'000U);
    EXPECT_THAT(device.at("reduce")->after, testing::Contains(device.at("backward")->id));
    EXPECT_THAT(device.at("update")->after, testing::Contains(device.at("reduce")->id));
    EXPECT_EQ(nodes.front().id, 1U);
    EXPECT_TRUE(nodes.front().on_host);
    for (const ChakraNode& node : nodes) {
        for (const std::uint64_t before : node.after) {
            EXPECT_LT(before, node.id) << "a trace has no rings";
        }
    }
}

TEST(Chakra, WritesMessagesBehindTheirLengths) {
    const std::string written =
        chakra_trace({{.id = 300, .name = "a", .after = {1, 300}, .start_us = 1, .us = 2}});
    // GlobalMetadata: version (field 1, text) "0.0.4".
    EXPECT_EQ(written.substr(0, 8),
              std::string("\x07\x0a\x05"
                          "0.0.4",
                          8));
    const std::string node = written.substr(8);
    // id 300 is two bytes, ac 02; name; type 4; data_deps as a list of three bytes; start 1; duration 2.
    EXPECT_EQ(node.substr(1, 17),
              std::string("\x08\xac\x02"
                          "\x12\x01"
                          "a"
                          "\x18\x04"
                          "\x2a\x03\x01\xac\x02"
                          "\x30\x01\x38\x02",
                          17));
    EXPECT_EQ(static_cast<unsigned char>(node[0]), node.size() - 1);
    EXPECT_THAT(node, HasSubstr("is_cpu_op"));
}

}  // namespace
}  // namespace ascendsim::profile
