// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/spec/chip_file.hpp"
#include "networks/fusion/graph_fusion.hpp"
#include "networks/run/layouts.hpp"
#include "networks/run/numbers.hpp"
#include "networks/run/wide_ranges.hpp"
#include "runtime/session/isolated.hpp"

namespace ascendsim::networks {

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
            graph_ = with_wide_ranges(graph_, {{"x", shape}}, as_stated());
            if (rewritten_) {
                graph_.outputs = {output};
                graph_ = fuse_graph(graph_, {{"x", shape}}, as_stated(), all_patterns(), equal_times).graph;
                one_is_left(graph_.nodes.size());
            }
            NetworkPlan plan = plan_network(graph_, {{"x", shape}}, as_stated());
            if (fused_) {
                plan = fuse_loops(plan, {output}, chip_, equal_times).plan;
                one_is_left(plan.nodes.size());
            }
            if (converted_) {
                plan = with_conversions(plan, {output}, chip_);
                conversions_are(plan);
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

    // What the process of its own expects and does not find must end it.

    static void one_is_left(std::size_t nodes) {
        if (nodes != 1) {
            throw UserError{"{} nodes are left, not one", nodes};
        }
    }

    void conversions_are(const NetworkPlan& plan) const {
        const auto count = std::ranges::count(plan.nodes, "TransData", &PlannedNode::op);
        if (static_cast<std::size_t>(count) != *converted_) {
            throw UserError{"{} conversions of layouts, not {}", count, *converted_};
        }
    }

    /// All is joined that can be: every kernel takes as long as another.
    static std::vector<TaskResult> equal_times(const std::vector<Task>& tasks) {
        return std::vector<TaskResult>(tasks.size(), {.time_us = 1});
    }

    [[nodiscard]] Lowering as_stated() const { return {.precision = precision_, .chip = chip_}; }

    void take_chip(const char* name) { chip_ = load_chip(name, installation_.chips()); }

    Precision precision_ = Precision::as_stated;
    bool fused_ = false;
    bool rewritten_ = false;
    std::optional<std::size_t> converted_;  // conversions of layouts that are expected
    Graph graph_;
    toolchain::Installation installation_ = toolchain::Installation::find();
    ChipSpec chip_ = load_chip("910b3", installation_.chips());
};

inline std::vector<double> counting_up(std::size_t count) {
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = static_cast<double>(i);
    }
    return values;
}

}  // namespace ascendsim::networks
