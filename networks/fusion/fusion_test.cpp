// SPDX-License-Identifier: Apache-2.0
#include "networks/fusion/fusion.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/spec/chip_file.hpp"
#include "networks/fusion/loop_form.hpp"
#include "networks/run/wide_ranges.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::networks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

/// Networks of an input x, [64, 128] in half, whose nodes the tests add. Kernels of kernels/ops take 10 us
/// and generated ones `generated_us_`.
class FusionTest : public testing::Test {
protected:
    explicit FusionTest() { graph_.opset = 17; }

    void add(std::string op, std::vector<std::string> inputs, std::string output) {
        graph_.nodes.push_back({.name = output,
                                .op = std::move(op),
                                .inputs = std::move(inputs),
                                .outputs = {output},
                                .attributes = {}});
    }

    void weight(const std::string& name, host::Shape shape) {
        graph_.constants[name] = {.type = isa::DataType::float32, .shape = std::move(shape), .values = {}};
    }

    NetworkPlan plan() {
        graph_.inputs = {{.name = "x", .type = isa::DataType::float32, .shape = {}}};
        graph_ = with_wide_ranges(graph_, {{"x", {64, 128}}}, {.chip = chip_});
        return plan_network(graph_, {{"x", {64, 128}}}, {.chip = chip_});
    }

    Fusion fused(const std::vector<std::string>& outputs) {
        return fuse_loops(
            plan(),
            outputs,
            chip_,
            [this](const std::vector<Task>& tasks) {
                std::vector<TaskResult> results;
                for (const Task& task : tasks) {
                    const bool generated = task.loop != nullptr;
                    simulated_.push_back(kernel_name(task));
                    results.push_back({.time_us = generated ? generated_us_ : 10, .busiest = "aiv_vec"});
                }
                return results;
            },
            options_);
    }

    static std::vector<std::string> kinds(const NetworkPlan& plan) {
        std::vector<std::string> list;
        for (const PlannedNode& node : plan.nodes) {
            list.push_back(node.op);
        }
        return list;
    }

    FusionOptions options_;
    Graph graph_;
    ChipSpec chip_ = load_chip("910b3", toolchain::Installation::find().chips());
    double generated_us_ = 12;
    std::vector<std::string> simulated_;
};

TEST_F(FusionTest, AChainBecomesOneKernel) {
    add("Abs", {"x"}, "a");
    add("Add", {"a", "x"}, "b");
    add("Softmax", {"b"}, "y");
    const Fusion fusion = fused({"y"});
    EXPECT_THAT(kinds(fusion.plan), ElementsAre("Abs + Add + Softmax"));
    const PlannedNode& node = fusion.plan.nodes[0];
    EXPECT_THAT(node.inputs, ElementsAre("x"));
    EXPECT_THAT(node.outputs, ElementsAre("y"));
    ASSERT_THAT(fusion.decisions, SizeIs(1));
    EXPECT_TRUE(fusion.decisions[0].taken);
    EXPECT_EQ(fusion.decisions[0].apart.time_us, 30);
    // Halves of 2 bytes: 2 tensors by Abs, 3 by Add, 2 by Softmax; together x and y.
    EXPECT_EQ(fusion.decisions[0].apart_bytes, 7U * 64 * 128 * 2);
    EXPECT_EQ(fusion.decisions[0].fused_bytes, 2U * 64 * 128 * 2);
}

TEST_F(FusionTest, OneKernelComputesWhatItReplaces) {
    weight("w", {128});
    graph_.constants["two"] = constant(isa::DataType::float32, {}, {2});
    add("Mul", {"x", "w"}, "a");
    add("Div", {"a", "two"}, "b");
    add("Sub", {"b", "x"}, "y");
    const Fusion fusion = fused({"y"});
    ASSERT_THAT(fusion.plan.nodes, SizeIs(1));
    const PlannedNode& node = fusion.plan.nodes[0];
    EXPECT_THAT(node.inputs, ElementsAre("x", "w"));  // the number stands in the kernel
    std::vector<double> x(std::size_t{64} * 128);
    std::vector<double> w(128);
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<double>(i % 97);
    }
    for (std::size_t i = 0; i < w.size(); ++i) {
        w[i] = static_cast<double>(i % 5);
    }
    const std::vector<double> y =
        loops::evaluate(*node.tasks[0].loop, std::vector<std::vector<double>>{x, w})[0];
    for (std::size_t i = 0; i < x.size(); i += 61) {
        EXPECT_DOUBLE_EQ(y[i], x[i] * w[i % 128] / 2 - x[i]);
    }
}

TEST_F(FusionTest, AKernelThatRaisesThePeakOfMemoryIsNotTaken) {
    weight("wide", {128, 8192});
    weight("narrow", {8192, 16});
    add("Abs", {"x"}, "a");
    add("MatMul", {"a", "wide"}, "z");
    add("MatMul", {"z", "narrow"}, "r");
    add("Neg", {"a"}, "b");
    const Fusion fusion = fused({"r", "b"});
    ASSERT_THAT(fusion.decisions, SizeIs(1));
    EXPECT_EQ(fusion.decisions[0].code, "memory_peak");
    // z is 64 x 8192 halves, a and b are 64 x 128, r is 64 x 16. Apart, a lives beside z and r; joined, a and
    // b live beside z.
    EXPECT_THAT(fusion.decisions[0].text, HasSubstr("1081344 B would be alive at once (in 'z')"));
    EXPECT_THAT(fusion.decisions[0].text, HasSubstr("1067008 B are apart"));
    EXPECT_THAT(kinds(fusion.plan), ElementsAre("Abs", "MatMul", "MatMul", "Neg"));
}

TEST_F(FusionTest, NumbersThatAreTooFarOffAreNotJoined) {
    add("Abs", {"x"}, "a");
    add("Relu", {"a"}, "y");
    options_.wrong = {{"y", "Abs + Relu loses it"}};
    const Fusion fusion = fused({"y"});
    EXPECT_EQ(fusion.decisions.at(0).code, "numbers");
    EXPECT_THAT(kinds(fusion.plan), ElementsAre("Abs", "Relu"));
}

TEST_F(FusionTest, WhatOthersReadIsStored) {
    weight("m", {128, 64});
    add("Abs", {"x"}, "a");
    add("Neg", {"a"}, "y");
    add("MatMul", {"a", "m"}, "z");
    const Fusion fusion = fused({"y", "z"});
    EXPECT_THAT(kinds(fusion.plan), ElementsAre("Abs + Neg", "MatMul"));
    EXPECT_THAT(fusion.plan.nodes[0].outputs, ElementsAre("a", "y"));
    ASSERT_THAT(fusion.not_joined, SizeIs(1));
    EXPECT_EQ(fusion.not_joined[0].code, "no_loop");
    EXPECT_THAT(fusion.not_joined[0].text, HasSubstr("MatMul is computed by 'matmul'"));
    EXPECT_THAT(fusion.not_joined[0].text, HasSubstr("float16 [64, 128] (16384 B)"));  // 64 x 128 x 2 B
}

TEST_F(FusionTest, AKernelNeverWaitsForItself) {
    weight("m", {128, 128});
    add("Abs", {"x"}, "a");
    add("MatMul", {"a", "m"}, "p");
    add("Add", {"p", "a"}, "y");
    const Fusion fusion = fused({"y"});
    EXPECT_THAT(kinds(fusion.plan), ElementsAre("Abs", "MatMul", "Add"));
    const auto cycle = std::ranges::find(fusion.not_joined, "would_cycle", &NotJoined::code);
    ASSERT_NE(cycle, fusion.not_joined.end());
    EXPECT_THAT(cycle->text,
                HasSubstr("Abs 'a' -> MatMul 'p' -> Add 'y', 1 between the first and the last is"));
}

TEST_F(FusionTest, ALongWayThatClosesACycleIsShownByItsEnds) {
    weight("m", {128, 128});
    add("Abs", {"x"}, "a");
    std::string last = "a";
    for (int i = 0; i < 9; ++i) {  // eleven nodes with Abs and Add: eight are shown
        const std::string next = fmt::format("p{}", i);
        add("MatMul", {last, "m"}, next);
        last = next;
    }
    add("Add", {last, "a"}, "y");
    const Fusion fusion = fused({"y"});
    const auto cycle = std::ranges::find(fusion.not_joined, "would_cycle", &NotJoined::code);
    ASSERT_NE(cycle, fusion.not_joined.end());
    EXPECT_THAT(cycle->text, HasSubstr("MatMul 'p2' -> 3 more -> MatMul 'p6'"));
    EXPECT_THAT(cycle->text, HasSubstr("9 between the first and the last are"));
}

TEST_F(FusionTest, TwoKernelsDoNotWaitForEachOther) {
    weight("m", {128, 128});
    // Abs + Sub and Neg + Exp would each be free of cycles; with both, each waits for the other's product.
    add("Abs", {"x"}, "a");
    add("MatMul", {"a", "m"}, "p");
    add("Neg", {"p"}, "n");
    add("Exp", {"x"}, "e");
    add("Mul", {"n", "e"}, "f");
    add("MatMul", {"e", "m"}, "q");
    add("Sub", {"a", "q"}, "y");
    const Fusion fusion = fused({"f", "y"});
    std::set<std::string> made{"x"};
    for (const PlannedNode& node : fusion.plan.nodes) {
        for (const std::string& input : node.inputs) {
            EXPECT_TRUE(made.contains(input) || input == "m") << node.op << " reads " << input;
        }
        made.insert(node.outputs.begin(), node.outputs.end());
    }
    EXPECT_TRUE(made.contains("f") && made.contains("y"));
    EXPECT_NE(std::ranges::find(fusion.not_joined, "would_cycle", &NotJoined::code), fusion.not_joined.end());
}

TEST_F(FusionTest, AKernelOfOperatorsInFloat32SaysWhy) {
    graph_.constants["large"] = constant(isa::DataType::float32, {}, {0x1p20});  // beyond float16
    add("Mul", {"x", "large"}, "a");
    add("Sigmoid", {"a"}, "y");
    const Fusion fusion = fused({"y"});
    EXPECT_THAT(kinds(fusion.plan), ElementsAre("Cast + Mul + Sigmoid + Cast"));
    EXPECT_THAT(fusion.plan.nodes[0].note, HasSubstr("1.04858e+06 in 'large'"));
    EXPECT_EQ(fusion.plan.nodes[0].results.at(0).type, isa::DataType::half);
}

TEST_F(FusionTest, SlowerKernelsAreNotTaken) {
    generated_us_ = 25;
    add("Abs", {"x"}, "a");
    add("Neg", {"a"}, "y");
    const Fusion fusion = fused({"y"});
    EXPECT_THAT(kinds(fusion.plan), ElementsAre("Abs", "Neg"));
    ASSERT_THAT(fusion.decisions, SizeIs(1));
    EXPECT_EQ(fusion.decisions[0].code, "slower");
    EXPECT_THAT(fusion.decisions[0].text, HasSubstr("25.0 % more than 20.00 us apart"));
}

TEST_F(FusionTest, AGroupThatIsSlowerIsTriedInHalves) {
    generated_us_ = 15;  // 4 operators apart take 40 us; the whole is made slower below
    add("Abs", {"x"}, "a");
    add("Neg", {"a"}, "b");
    add("Exp", {"b"}, "c");
    add("Relu", {"c"}, "y");
    const Fusion fusion = fuse_loops(plan(), {"y"}, chip_, [this](const std::vector<Task>& tasks) {
        std::vector<TaskResult> results;
        for (const Task& task : tasks) {
            const double generated = task.loop != nullptr && task.loop->steps.size() > 2 ? 50 : generated_us_;
            results.push_back({.time_us = task.loop != nullptr ? generated : 10});
        }
        return results;
    });
    EXPECT_THAT(kinds(fusion.plan), ElementsAre("Abs + Neg", "Exp + Relu"));
    EXPECT_THAT(fusion.decisions, SizeIs(3));
}

TEST_F(FusionTest, WhatTheGeneratorRefusesIsSaid) {
    graph_.constants["rows"] = constant(isa::DataType::int64, {1}, {0});
    graph_.constants["columns"] = constant(isa::DataType::int64, {1}, {1});
    add("ReduceSum", {"x", "columns"}, "a");
    add("ReduceSum", {"a", "rows"}, "y");
    const Fusion fusion = fused({"y"});
    EXPECT_THAT(kinds(fusion.plan), ElementsAre("ReduceSum", "ReduceSum"));
    ASSERT_THAT(fusion.not_joined, SizeIs(1));
    EXPECT_EQ(fusion.not_joined[0].code, "reduced_axes");
}

TEST_F(FusionTest, AKernelHasALimitOfOperators) {
    std::string last = "x";
    for (std::size_t i = 0; i < 33; ++i) {  // one more than a kernel joins
        const std::string next = fmt::format("a{}", i);
        add(i % 2 == 0 ? "Abs" : "Neg", {last}, next);
        last = next;
    }
    const Fusion fusion = fused({last});
    const auto limit = std::ranges::find(fusion.not_joined, "group_limit", &NotJoined::code);
    ASSERT_NE(limit, fusion.not_joined.end());
    EXPECT_THAT(limit->text, HasSubstr("more than 32 operators"));
}

TEST_F(FusionTest, AViewBetweenTwoOperatorsIsNamed) {
    graph_.constants["shape"] = constant(isa::DataType::int64, {2}, {128, 64});
    add("Abs", {"x"}, "a");
    add("Reshape", {"a", "shape"}, "b");
    add("Neg", {"b"}, "y");
    const Fusion fusion = fused({"y"});
    const auto view = std::ranges::find(fusion.not_joined, "view_between", &NotJoined::code);
    ASSERT_NE(view, fusion.not_joined.end());
    EXPECT_THAT(view->text, HasSubstr("another shape: float16 [64, 128] becomes float16 [128, 64]"));
}

TEST_F(FusionTest, WhatDoesNotRunIsNotTaken) {
    add("Abs", {"x"}, "a");
    add("Neg", {"a"}, "y");
    const Fusion fusion = fuse_loops(plan(), {"y"}, chip_, [](const std::vector<Task>& tasks) {
        std::vector<TaskResult> results;
        for (const Task& task : tasks) {
            results.push_back({.error = task.loop != nullptr ? "does not compile" : "", .time_us = 10});
        }
        return results;
    });
    EXPECT_EQ(fusion.decisions.at(0).code, "cannot_run");
    EXPECT_EQ(fusion.decisions[0].text, "does not compile");
}

TEST(JoinedLoop, ReshapesAnOperandInAnotherShape) {
    JoinedLoop joined;
    const std::size_t x = joined.input({isa::DataType::float32, {2, 3}});
    const loops::Loop negate{.name = {},
                             .inputs = {{isa::DataType::float32, {6}}},
                             .steps = {{.op = loops::Op::neg,
                                        .inputs = {0},
                                        .result = {isa::DataType::float32, {6}},
                                        .axes = {},
                                        .constants = {},
                                        .label = {}}},
                             .outputs = {1}};
    const loops::Loop loop = joined.finish(joined.append(negate, {x}));
    ASSERT_THAT(loop.steps, SizeIs(2));
    EXPECT_EQ(loop.steps[0].op, loops::Op::reshape);
    EXPECT_EQ(loops::evaluate(loop, std::vector<std::vector<double>>{{1, 2, 3, 4, 5, 6}})[0],
              (std::vector<double>{-1, -2, -3, -4, -5, -6}));
}

}  // namespace
}  // namespace ascendsim::networks
