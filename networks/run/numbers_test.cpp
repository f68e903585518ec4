// SPDX-License-Identifier: Apache-2.0
#include "networks/run/numbers.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "models/spec/chip_file.hpp"
#include "networks/fusion/fusion.hpp"
#include "runtime/session/isolated.hpp"

namespace ascendsim::networks {
namespace {

using Axes64 = std::vector<std::int64_t>;

/// Networks of an input x and constants, computed in float32.
class NetworkNumbers : public testing::Test {
protected:
    void SetUp() override {
        graph_.opset = 17;
        setenv("XDG_CACHE_HOME", (installation_.libraries.parent_path() / "test_cache").c_str(), 1);
    }

    void add(std::string op,
             std::vector<std::string> inputs,
             std::string output,
             std::map<std::string, Attribute, std::less<>> attributes = {}) {
        graph_.nodes.push_back({.name = output,
                                .op = std::move(op),
                                .inputs = std::move(inputs),
                                .outputs = {output},
                                .attributes = std::move(attributes)});
    }

    void table(const std::string& name, host::Shape shape, std::vector<double> values) {
        graph_.constants[name] = constant(isa::DataType::float32, std::move(shape), std::move(values));
    }

    /// What the last node makes of x, computed in a process of its own.
    std::vector<double> last(const host::Shape& shape, const std::vector<double>& x) {
        graph_.inputs = {{.name = "x", .type = isa::DataType::float32, .shape = {}}};
        const std::string output = graph_.nodes.back().outputs[0];
        const runtime::IsolatedResult result = runtime::run_isolated([&] {
            NetworkPlan plan =
                plan_network(graph_, {{"x", shape}}, {.precision = Precision::as_stated, .chip = chip_});
            if (fused_) {  // all that can be: every kernel takes as long as another
                plan = fuse_loops(plan, {output}, chip_, [](const std::vector<Task>& tasks) {
                           return std::vector<TaskResult>(tasks.size(), {.time_us = 1});
                       }).plan;
                EXPECT_EQ(plan.nodes.size(), 1U);
            }
            const ReadyTasks tasks = ready_tasks(plan, chip_, installation_);
            std::vector<const runtime::ReadyPlan*> plans;
            for (const auto& task : tasks) {
                plans.push_back(task.get());
            }
            Elements elements{{"x", x}};
            for (const auto& [name, tensor] : graph_.constants) {
                elements[name] = *tensor.values;
            }
            Numbers numbers;
            const runtime::RunRequest request{.chip = chip_, .work = {}, .options = {}};
            const runtime::SessionOutcome outcome =
                runtime::run_sequence(request, plans, [&](const runtime::RunPlan& run) {
                    numbers = compute(plan, tasks, elements, {output}, run);
                });
            EXPECT_EQ(outcome.failure, nullptr);
            return nlohmann::ordered_json{{"y", numbers.outputs.at(output)},
                                          {"failure", numbers.first_failure}};
        });
        EXPECT_EQ(result.error, "");
        if (!result.error.empty()) {
            return {};
        }
        EXPECT_EQ(result.value["failure"], "");
        return result.value["y"];
    }

    bool fused_ = false;
    Graph graph_;
    toolchain::Installation installation_ = toolchain::Installation::find();
    ChipSpec chip_ = load_chip("910b3", installation_.chips());
};

std::vector<double> counting_up(std::size_t count) {
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = static_cast<double>(i);
    }
    return values;
}

TEST_F(NetworkNumbers, PassFromKernelToKernel) {
    table("w", {2, 1, 1, 1}, {1, -2});
    table("b", {2}, {0.5, 100});
    add("Conv", {"x", "w", "b"}, "c");  // x + 0.5 and 100 - 2 x
    add("MaxPool", {"c"}, "y", {{"kernel_shape", Axes64{2, 2}}, {"strides", Axes64{2, 2}}});
    // Rows 0..3, 4..7: the windows' largest x are 5 and 7, their smallest 0 and 2.
    EXPECT_EQ(last({1, 1, 2, 4}, counting_up(8)), (std::vector<double>{5.5, 7.5, 100, 96}));
}

TEST_F(NetworkNumbers, AConvolutionOfAnyWindowIsAProduct) {
    table("w", {1, 1, 1, 2}, {1, 10});
    add("Conv", {"x", "w"}, "y", {{"pads", Axes64{0, 0, 0, 1}}});
    // x0 + 10 x1 along each row, with a zero behind it.
    EXPECT_EQ(last({1, 1, 2, 3}, counting_up(6)), (std::vector<double>{10, 21, 2, 43, 54, 5}));
}

TEST_F(NetworkNumbers, PartsAreJoinedAndCutAsTheyLie) {
    table("more", {2, 1}, {8, 9});
    graph_.constants["reverse"] = constant(isa::DataType::int64, {1}, {-1});
    graph_.constants["from"] = constant(isa::DataType::int64, {1}, {3});
    graph_.constants["to"] = constant(isa::DataType::int64, {1}, {-9});
    graph_.constants["axis"] = constant(isa::DataType::int64, {1}, {1});
    add("Concat", {"x", "more"}, "c", {{"axis", std::int64_t{1}}});
    add("Slice", {"c", "from", "to", "axis", "reverse"}, "y");
    EXPECT_EQ(last({2, 3}, counting_up(6)), (std::vector<double>{8, 2, 1, 0, 9, 5, 4, 3}));
}

TEST_F(NetworkNumbers, RowsAreGatheredByAnIndexThatAKernelReads) {
    graph_.constants["i"] = constant(isa::DataType::int64, {3}, {3, 0, -1});
    add("Gather", {"x", "i"}, "y");
    EXPECT_EQ(last({4, 2}, counting_up(8)), (std::vector<double>{6, 7, 0, 1, 6, 7}));
}

TEST_F(NetworkNumbers, FusedKernelsComputeTheSame) {
    table("w", {3}, {1, 2, 4});
    add("Mul", {"x", "w"}, "a");
    add("Abs", {"a"}, "b");
    add("ReduceSum", {"b", "last"}, "y");
    graph_.constants["last"] = constant(isa::DataType::int64, {1}, {1});
    fused_ = true;
    // |-1| + 2 |2| + 4 |-3|, and 4 + 2 * 5 + 4 * 6
    EXPECT_EQ(last({2, 3}, {-1, 2, -3, 4, 5, 6}), (std::vector<double>{17, 38}));
}

TEST(TensorBytes, HoldWhatTheTypeHolds) {
    const std::vector<double> elements{1.0 / 3, 300, -1};
    const auto there_and_back = [&](isa::DataType type) {
        return elements_of(type, bytes_of(type, elements), 3);
    };
    EXPECT_EQ(there_and_back(isa::DataType::uint8), (std::vector<double>{0, 255, 0}));
    EXPECT_EQ(there_and_back(isa::DataType::float64), elements);
    EXPECT_NEAR(there_and_back(isa::DataType::half)[0], 1.0 / 3, 0x1p-12);
}

}  // namespace
}  // namespace ascendsim::networks
