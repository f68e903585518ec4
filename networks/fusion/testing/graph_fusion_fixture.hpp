// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "models/spec/chip_file.hpp"
#include "networks/fusion/graph_fusion.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::networks {

/// Networks whose nodes the tests add; each kernel takes 10 us, unless `times_` says otherwise.
class GraphFusionTest : public testing::Test {
protected:
    explicit GraphFusionTest() { graph_.opset = 17; }

    using Attributes = std::map<std::string, Attribute, std::less<>>;

    std::string add(std::string op,
                    std::vector<std::string> inputs,
                    std::string output,
                    Attributes attributes = {}) {
        graph_.nodes.push_back({.name = output,
                                .op = std::move(op),
                                .inputs = std::move(inputs),
                                .outputs = {output},
                                .attributes = std::move(attributes)});
        return output;
    }

    std::string number(const std::string& name, double value) {
        graph_.constants[name] = constant(isa::DataType::float32, {}, {value});
        return name;
    }

    std::string row(const std::string& name, std::vector<double> values) {
        const host::Shape shape{values.size()};
        graph_.constants[name] = constant(isa::DataType::float32, shape, std::move(values));
        return name;
    }

    std::string weight(const std::string& name, host::Shape shape) {
        graph_.constants[name] = {.type = isa::DataType::float32, .shape = std::move(shape), .values = {}};
        return name;
    }

    void input(const std::string& name, const host::Shape& shape) {
        graph_.inputs.push_back({.name = name, .type = isa::DataType::float32, .shape = {}});
        shapes_[name] = shape;
    }

    GraphFusion fused(const std::vector<std::string>& outputs, const FusionOptions& options = {}) {
        graph_.outputs = outputs;
        sort_nodes(graph_);
        return fuse_graph(
            graph_,
            shapes_,
            {.precision = precision_, .chip = chip_},
            all_patterns(),
            [this](const std::vector<Task>& tasks) {
                std::vector<TaskResult> results;
                for (const Task& task : tasks) {
                    results.push_back({.time_us = time_of(task), .busiest = "aiv_vec"});
                }
                return results;
            },
            options);
    }

    static std::vector<std::string> kinds(const GraphFusion& fusion) {
        std::vector<std::string> list;
        for (const PlannedNode& node : fusion.plan.nodes) {
            list.push_back(node.op);
        }
        return list;
    }

    static std::vector<std::string> codes(const GraphFusion& fusion) {
        std::vector<std::string> list;
        for (const NotJoined& one : fusion.not_joined) {
            list.push_back(one.code);
        }
        return list;
    }

    using Knob = std::pair<std::string, host::KnobValue>;

    static Knob flag(const std::string& name) { return {name, true}; }

    static Knob word(const std::string& name, const std::string& value) { return {name, value}; }

    static Knob real(const std::string& name, double value) { return {name, value}; }

    /// Of the first kernel of a node.
    static std::vector<Knob> knobs(const GraphFusion& fusion, std::size_t node) {
        return fusion.plan.nodes.at(node).tasks.at(0).knobs;
    }

    /// Why a pattern, or a kind, was not joined.
    static NotJoined reason(const GraphFusion& fusion, const std::string& pattern) {
        const auto found = std::ranges::find(fusion.not_joined, pattern, &NotJoined::from);
        return found == fusion.not_joined.end() ? NotJoined{} : *found;
    }

    /// The attention of `x`, [2, 16, 4, 64] by token, with scores divided by `scale`.
    void attention(double scale, bool masked, const host::Shape& mask = {2, 1, 1, 16}) {
        for (const std::string name : {"q", "k", "v"}) {
            input(name, {2, 16, 4, 64});
        }
        using Indices = std::vector<std::int64_t>;
        add("Transpose", {"q"}, "qt", {{"perm", Indices{0, 2, 1, 3}}});
        add("Transpose", {"k"}, "kt", {{"perm", Indices{0, 2, 3, 1}}});
        add("Transpose", {"v"}, "vt", {{"perm", Indices{0, 2, 1, 3}}});
        add("Div", {add("MatMul", {"qt", "kt"}, "products"), number("scale", scale)}, "scores");
        std::string scores = "scores";
        if (masked) {
            input("mask", mask);
            scores = add("Add", {"scores", "mask"}, "masked");
        }
        add("Softmax", {scores}, "p", {{"axis", std::int64_t{-1}}});
        add("MatMul", {"p", "vt"}, "o");
        add("Transpose", {"o"}, "y", {{"perm", Indices{0, 2, 1, 3}}});
    }

    double time_of(const Task& task) const {
        for (const auto& [knob, value] : task.knobs) {
            if (const auto stated = times_by_knob_.find(knob); stated != times_by_knob_.end()) {
                return stated->second;
            }
        }
        const auto stated = times_.find(kernel_name(task));
        return stated != times_.end() ? stated->second : 10;
    }

    Graph graph_;
    std::map<std::string, host::Shape, std::less<>> shapes_;
    ChipSpec chip_ = load_chip("910b3", toolchain::Installation::find().chips());
    Precision precision_ = Precision::half;
    std::map<std::string, double> times_;
    std::map<std::string, double> times_by_knob_;  // of kernels with one of these knobs
};

}  // namespace ascendsim::networks
