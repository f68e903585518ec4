// SPDX-License-Identifier: Apache-2.0
// Steps of training on simulated kernels, and what their memory is.
#include "networks/training/training.hpp"

#include <cmath>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/spec/chip_file.hpp"
#include "networks/run/numbers.hpp"
#include "networks/training/testing/exact_network.hpp"
#include "networks/training/training_run.hpp"
#include "runtime/session/isolated.hpp"

namespace ascendsim::networks {
namespace {

using Axes = std::vector<std::int64_t>;
using testing::HasSubstr;

/// Small networks whose step runs on the simulated kernels.
class StepOnKernels : public testing::Test {
protected:
    void SetUp() override {
        graph_.opset = 17;
        setenv("XDG_CACHE_HOME", (installation_.libraries.parent_path() / "test_cache").c_str(), 1);
    }

    std::string input(const std::string& name,
                      const host::Shape& shape,
                      isa::DataType type = isa::DataType::float32) {
        graph_.inputs.push_back({.name = name, .type = type, .shape = {}});
        shapes_[name] = shape;
        return name;
    }

    std::string add(std::string op,
                    std::vector<std::string> inputs,
                    std::map<std::string, Attribute, std::less<>> attributes = {}) {
        const std::string output = fmt::format("t{}", graph_.nodes.size());
        graph_.nodes.push_back({.name = output,
                                .op = std::move(op),
                                .inputs = std::move(inputs),
                                .outputs = {output},
                                .attributes = std::move(attributes)});
        graph_.outputs = {output};
        return output;
    }

    [[nodiscard]] TrainingGraph step(Precision precision = Precision::half) const {
        return training_graph(graph_, shapes_, {.precision = precision, .chip = chip_}, options_);
    }

    /// Every weight that the step writes, against the same in float64, relative to the largest.
    void expect_near_exact(double tolerance) {
        const TrainingGraph whole = step();
        const Elements start = elements_of_inputs(whole);
        ExactNetwork::Values exact;
        for (const auto& [name, values] : start) {
            const bool real =
                std::ranges::find(whole.graph.inputs, name, &Input::name)->type != isa::DataType::int64;
            exact[name] = real ? ExactNetwork::exact(whole.shapes.at(name), values)
                               : constant(isa::DataType::int64, whole.shapes.at(name), values);
        }
        ExactNetwork{chip_}.compute(whole.graph, exact, [](const std::string&) { return true; });
        const Elements made = on_kernels(whole, start);
        ASSERT_EQ(made.size(), whole.graph.outputs.size());
        for (const auto& [name, values] : made) {
            const std::vector<double>& wanted = *exact.at(name).values;
            double largest = 0;
            double apart = 0;
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                largest = std::max(largest, std::abs(wanted[i]));
                apart = std::max(apart, std::abs(wanted[i] - values.at(i)));
            }
            EXPECT_LE(apart, tolerance * largest) << name;
            EXPECT_GT(largest, 0) << name;
        }
    }

    std::vector<NotedStep> trained_on_kernels(const TrainingGraph& whole,
                                              LossScale& scale,
                                              std::uint64_t count,
                                              Elements& elements) {
        const NetworkPlan plan = plan_network(whole.graph, whole.shapes, {.chip = chip_});
        const StepParts parts = parts_of(plan);
        const auto on_kernels_of = [&](const NetworkPlan& part, std::vector<std::string> outputs) {
            return [this, &whole, &part, outputs](const Elements& given) {
                return computed(whole, part, given, outputs);
            };
        };
        return train(whole,
                     options_,
                     scale,
                     count,
                     elements,
                     on_kernels_of(parts.passes, watched_tensors(whole, parts.passes)),
                     on_kernels_of(parts.update, updated_tensors(whole)));
    }

    TrainingOptions options_;
    Graph graph_;
    std::map<std::string, host::Shape, std::less<>> shapes_;
    toolchain::Installation installation_ = toolchain::Installation::find();
    ChipSpec chip_ = load_chip("910b3", installation_.chips());

    /// Waves for reals, whole numbers from 0 to 2 for indices.
    static Elements elements_of_inputs(const TrainingGraph& whole, bool first_step = false) {
        Elements elements;
        for (const Input& input : whole.graph.inputs) {
            std::vector<double>& values = elements[input.name];
            values.resize(host::elements(whole.shapes.at(input.name)));
            for (std::size_t i = 0; i < values.size(); ++i) {
                const double place = static_cast<double>(i + elements.size());
                values[i] = input.type == isa::DataType::int64 ? static_cast<double>(i % 3)
                                                               : std::sin(place * 1.7) / 2;
            }
            if (const auto scalar = whole.scalars.find(input.name); scalar != whole.scalars.end()) {
                values = {scalar->second};
            }
            const bool positive = input.name.starts_with("variance/");
            for (double& value : values) {
                value = positive ? value * value : value;
                value = input.keeps_type ? value : as_half(value);
            }
        }
        for (const std::string& parameter : whole.parameters) {
            if (first_step) {
                elements["master/" + parameter] = elements.at(parameter);
                for (const char* state : {"moment/", "variance/"}) {
                    const auto found = elements.find(state + parameter);
                    if (found != elements.end()) {
                        std::ranges::fill(found->second, 0);
                    }
                }
            }
        }
        return elements;
    }

    static double as_half(double value) {
        const std::vector<double> one{value};
        return networks::elements_of(isa::DataType::half, bytes_of(isa::DataType::half, one), 1)[0];
    }

    Elements on_kernels(const TrainingGraph& whole, const Elements& start) {
        const NetworkPlan plan = plan_network(whole.graph, whole.shapes, {.chip = chip_});
        return computed(whole, plan, start, whole.graph.outputs);
    }

    /// What the nodes of a plan make, in a process of its own. What is not finite is written as text.
    Elements computed(const TrainingGraph& whole,
                      const NetworkPlan& plan,
                      const Elements& start,
                      const std::vector<std::string>& outputs) {
        const runtime::IsolatedResult result = runtime::run_isolated([&] {
            const ReadyTasks tasks = ready_tasks(plan, chip_, installation_);
            std::vector<const runtime::ReadyPlan*> plans;
            for (const auto& task : tasks) {
                plans.push_back(task.get());
            }
            Elements elements = start;
            for (const auto& [name, tensor] : whole.graph.constants) {
                elements[name] = *tensor.values;
            }
            Numbers numbers;
            const runtime::RunRequest request{.chip = chip_, .work = {}, .options = {}};
            const runtime::SessionOutcome outcome =
                runtime::run_sequence(request, plans, [&](const runtime::RunPlan& run) {
                    numbers = compute(plan, tasks, elements, outputs, run);
                });
            EXPECT_EQ(outcome.failure, nullptr);
            nlohmann::ordered_json json;
            for (const auto& [name, values] : numbers.outputs) {
                for (const double value : values) {
                    json[name].push_back(fmt::format("{}", value));
                }
            }
            json["first_failure"] = numbers.first_failure;
            return json;
        });
        EXPECT_EQ(result.error, "");
        Elements made;
        for (const auto& [name, values] : result.value.items()) {
            if (name == "first_failure") {
                EXPECT_EQ(values, "");
                continue;
            }
            for (const auto& value : values) {
                made[name].push_back(std::strtod(value.get<std::string>().c_str(), nullptr));
            }
        }
        return made;
    }
};

// float16 holds 11 bits: a gradient is off by some 2^-11 of its size after a few operators, and Adam divides
// it by its own size.
constexpr double of_half = 0.01;

TEST_F(StepOnKernels, AClassifierOfImages) {
    options_.optimiser = Optimiser::sgd;
    options_.weight_decay = 0.01;
    const std::string x = input("x", {2, 3, 6, 6});
    const std::string c = add(
        "Conv", {x, input("weights_w", {4, 3, 3, 3}), input("weights_b", {4})}, {{"pads", Axes{1, 1, 1, 1}}});
    const std::string p =
        add("MaxPool",
            {add("Relu", {c})},
            {{"kernel_shape", Axes{3, 3}}, {"strides", Axes{2, 2}}, {"pads", Axes{1, 1, 1, 1}}});
    const std::string d = add(
        "Conv", {p, input("weights_v", {4, 4, 3, 3})}, {{"strides", Axes{2, 2}}, {"pads", Axes{1, 1, 1, 1}}});
    const std::string m = add("MaxPool", {d}, {{"kernel_shape", Axes{2, 1}}, {"strides", Axes{2, 1}}});
    const std::string f = add("Flatten", {add("GlobalAveragePool", {m})});
    add("Gemm", {f, input("weights_g", {5, 4}), input("weights_h", {5})}, {{"transB", std::int64_t{1}}});
    expect_near_exact(of_half);
}

TEST_F(StepOnKernels, AnEncoderOfTokens) {
    const std::string tokens = input("tokens", {2, 4}, isa::DataType::int64);
    const std::string x = add("Gather", {input("weights_e", {7, 16}), tokens});
    const std::string n = add("LayerNormalization", {x, input("weights_s", {16}), input("weights_t", {16})});
    const std::string q = add("MatMul", {n, input("weights_q", {16, 16})});
    const std::string k = add("Transpose", {q}, {{"perm", Axes{0, 2, 1}}});
    const std::string a = add("MatMul", {add("Softmax", {add("MatMul", {q, k})}), n});
    add("Add", {x, add("MatMul", {add("Tanh", {a}), input("weights_o", {16, 16})})});
    expect_near_exact(of_half);
}

TEST_F(StepOnKernels, NumbersThatFloat16CannotHold) {
    const std::string h = add("MatMul", {input("x", {4, 8}), input("weights_w", {8, 8})});
    graph_.constants["large"] = constant(isa::DataType::float32, {}, {1048576});  // 2^20
    graph_.constants["low"] = constant(isa::DataType::float32, {}, {-300000});
    const std::string c = add("Clip", {add("Mul", {h, "large"}), "low"});
    add("Div", {c, "large"});
    expect_near_exact(of_half);
    const TrainingGraph whole = step();
    const NetworkPlan plan = plan_network(whole.graph, whole.shapes, {.chip = chip_});
    for (const PlannedNode& node : plan.nodes) {
        EXPECT_THAT(node.note, testing::Not(HasSubstr("infinite"))) << node.name;
    }
}

/// Steps as the trainer takes them, in float64: no kernel, no rounding.
std::vector<NotedStep> trained_exactly(const TrainingGraph& whole,
                                       const TrainingOptions& options,
                                       LossScale& scale,
                                       std::uint64_t count,
                                       Elements& elements,
                                       const ChipSpec& chip) {
    const ExactNetwork network{chip};
    const auto part = [&](bool update) {
        return [&, update](const Elements& given) {
            ExactNetwork::Values values;
            for (const auto& [name, numbers] : given) {
                const auto shape = whole.shapes.find(name);
                if (shape != whole.shapes.end()) {
                    values[name] = ExactNetwork::exact(shape->second, numbers);
                } else if (phase_of(name) == StepPhase::backward) {
                    const auto of = std::ranges::find(whole.gradients, name);
                    if (of != whole.gradients.end()) {
                        const auto index = static_cast<std::size_t>(of - whole.gradients.begin());
                        values[name] = ExactNetwork::exact(whole.shapes.at(whole.parameters[index]), numbers);
                    }
                }
            }
            network.compute(whole.graph, values, [update](const std::string& tensor) {
                return (phase_of(tensor) == StepPhase::optimiser) == update;
            });
            Elements made;
            for (const auto& [name, tensor] : values) {
                const bool wanted = update
                                        ? phase_of(name) == StepPhase::optimiser
                                        : std::ranges::find(whole.gradients, name) != whole.gradients.end() ||
                                              std::ranges::find(whole.losses, name) != whole.losses.end();
                if (wanted) {
                    made[name] = *tensor.values;
                }
            }
            return made;
        };
    };
    return train(whole, options, scale, count, elements, part(false), part(true));
}

TEST_F(StepOnKernels, TrainsAsFloat64DoesUntilTheLossIsSmall) {
    options_.learning_rate = 0.05;
    add("MatMul", {input("x", {4, 16}), input("weights_w", {16, 16})});
    const TrainingGraph whole = step();
    const Elements start = elements_of_inputs(whole, true);
    Elements exact = start;
    LossScale exact_scale{{.start = 512}};
    const std::vector<NotedStep> wanted = trained_exactly(whole, options_, exact_scale, 10, exact, chip_);
    LossScale scale{{.start = 512}};
    Elements held = start;
    const std::vector<NotedStep> steps = trained_on_kernels(whole, scale, 10, held);
    ASSERT_EQ(steps.size(), 10U);
    EXPECT_LT(wanted.back().loss, 0.7 * wanted.front().loss);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        EXPECT_TRUE(steps[i].taken);
        EXPECT_NEAR(steps[i].loss, wanted[i].loss, 0.02 * wanted.front().loss) << i;
    }
}

TEST_F(StepOnKernels, SkipsStepsWhoseGradientsOverflow) {
    options_.loss = Loss::sum;
    options_.optimiser = Optimiser::sgd;
    add("MatMul", {input("x", {4, 16}), input("weights_w", {16, 16})});
    const TrainingGraph whole = step();
    Elements elements = elements_of_inputs(whole, true);
    elements["x"].assign(64, 8);
    const std::vector<double> before = elements["master/weights_w"];
    // Each weight's gradient is 4 * 8 times the scale: 65536 and 32768 are beyond float16 themselves or in
    // the product, and so are 4096 * 32 and 2048 * 32; 1024 * 32 is not.
    LossScale scale{{}};
    const std::vector<NotedStep> steps = trained_on_kernels(whole, scale, 8, elements);
    ASSERT_EQ(steps.size(), 8U);
    EXPECT_EQ(scale.skipped(), 6U);
    EXPECT_EQ(scale.value(), 1024);
    EXPECT_EQ(steps[5].gradients.not_finite, 256U);
    EXPECT_DOUBLE_EQ(steps[6].gradients.norm, 32 * 16);  // of 256 elements of 32
    // Clipped to a norm of 1: each gradient is 1 / 16, and the second step has momentum: 1 + 1.9.
    const double moved = before[0] - elements["master/weights_w"][0];
    EXPECT_NEAR(moved, options_.learning_rate * 2.9 / 16, 1e-7);
}

TEST_F(StepOnKernels, KeepsMastersInFloat32) {
    add("MatMul", {input("x", {2, 16}), input("weights_w", {16, 16})});
    const TrainingGraph half = step();
    const NetworkPlan plan = plan_network(half.graph, half.shapes, {.chip = chip_});
    EXPECT_EQ(plan.tensors.at("weights_w").type, isa::DataType::half);
    EXPECT_EQ(plan.tensors.at("master/weights_w").type, isa::DataType::float32);
    EXPECT_EQ(plan.tensors.at("optimiser/master/weights_w").type, isa::DataType::float32);
    EXPECT_EQ(plan.tensors.at("optimiser/weights_w").type, isa::DataType::half);
    const TrainingGraph stated = step(Precision::as_stated);
    EXPECT_FALSE(stated.shapes.contains("master/weights_w"));
    EXPECT_TRUE(stated.shapes.contains("variance/weights_w"));
}

TEST_F(StepOnKernels, HoldActivationsUntilTheirGradient) {
    const std::string x = input("x", {64, 64});
    const std::string first = add("Tanh", {add("MatMul", {x, input("weights_w", {64, 64})})});
    add("MatMul", {first, input("weights_v", {64, 64})});
    const TrainingGraph whole = step();
    const NetworkPlan plan = plan_network(whole.graph, whole.shapes, {.chip = chip_});
    std::size_t backward = plan.nodes.size();
    for (std::size_t i = plan.nodes.size(); i-- > 0;) {
        backward = phase_of(plan.nodes[i].outputs[0]) == StepPhase::backward ? i : backward;
    }
    for (const Lifetime& life : lifetimes(plan, whole.losses)) {
        if (life.tensor == first) {
            EXPECT_GT(life.last, backward);  // its own gradient and that of the second weights read it
        }
        EXPECT_NE(phase_of(life.tensor), StepPhase::optimiser) << life.tensor;  // written in place
    }
}

TEST_F(StepOnKernels, CountsTheOperationsThatTheNetworkStates) {
    add("MatMul",
        {add("MatMul", {input("x", {8, 16}), input("weights_w", {16, 32})}), input("weights_v", {32, 24})});
    const TrainingGraph whole = step();
    const NetworkPlan plan = plan_network(whole.graph, whole.shapes, {.chip = chip_});
    double flops = 0;
    for (const PlannedNode& node : plan.nodes) {
        flops += stated_flops(node, plan.tensors);
    }
    // Forward and both gradients of the second product, forward and the weights' gradient of the first.
    EXPECT_EQ(flops, 2.0 * (3 * 8 * 32 * 24 + 2 * 8 * 16 * 32));
}

TEST_F(StepOnKernels, RefuseALossThatDoesNotFit) {
    add("Relu", {add("MatMul", {input("x", {4}), input("weights_w", {4, 4})})});
    options_.loss = Loss::cross_entropy;
    try {
        static_cast<void>(step());
        FAIL() << "nothing was thrown";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr("--loss cross_entropy: output 't1' is [4]"));
    }
}

}  // namespace
}  // namespace ascendsim::networks
