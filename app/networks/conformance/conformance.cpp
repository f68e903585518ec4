// SPDX-License-Identifier: Apache-2.0
#include "app/networks/conformance/conformance.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "networks/onnx/read_onnx.hpp"
#include "networks/run/control_flow.hpp"
#include "networks/run/numbers.hpp"
#include "runtime/session/isolated.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::report {
namespace {

namespace fs = std::filesystem;
using networks::Tensor;
using nlohmann::ordered_json;

// As ONNX's own runner of these tests compares, but for the absolute part: near zero, float32 polynomials of
// values around 1 are off by their last bit.
constexpr double relative = 1e-3;
constexpr double absolute = 1e-6;
constexpr double of_bfloat16 = 0x1p-7;  // a step: the data cut bits off where the chip rounds

/// One set of data of a test, ready to run.
struct DataSet {
    networks::NetworkPlan plan;
    networks::ReadyTasks tasks;
    networks::Elements elements;
    std::vector<std::string> outputs;
    std::vector<Tensor> expected;
    std::string on_host;  // an operator that the AI CPU computes
};

std::vector<std::pair<std::string, Tensor>> tensors_of(const fs::path& folder, const char* prefix) {
    std::vector<std::pair<std::string, Tensor>> tensors;
    for (std::size_t i = 0;; ++i) {
        const fs::path file = folder / fmt::format("{}_{}.pb", prefix, i);
        if (std::error_code error; !fs::exists(file, error)) {
            return tensors;
        }
        tensors.push_back(networks::read_tensor(file));
    }
}

/// The data hold bfloat16 as its bits, in uint16.
Tensor as_stated(Tensor tensor, isa::DataType type) {
    if (type == isa::DataType::bfloat16 && tensor.type == isa::DataType::uint16) {
        const std::vector<std::byte> bits = networks::bytes_of(tensor.type, *tensor.values);
        return networks::constant(type, tensor.shape, networks::elements_of(type, bits, tensor.count()));
    }
    return tensor;
}

const Tensor& result_of(const networks::NetworkPlan& plan,
                        const networks::Graph& graph,
                        const std::string& name) {
    for (const networks::PlannedNode& node : plan.nodes) {
        const auto found = std::ranges::find(node.outputs, name);
        const auto index = static_cast<std::size_t>(found - node.outputs.begin());
        if (found != node.outputs.end() && index < node.results.size()) {
            return node.results[index];
        }
    }
    if (const auto found = graph.constants.find(name); found != graph.constants.end()) {
        return found->second;
    }
    throw UserError{"output '{}' is made by no operator", name};
}

/// The first operator that the AI CPU computes; empty if none does. Throws UserError for one that cannot run,
/// or whose numbers nobody can know.
std::string check_runs(const networks::NetworkPlan& plan) {
    std::string on_host;
    for (const networks::PlannedNode& node : plan.nodes) {
        if (!node.refusal.empty()) {
            throw UserError{"{}: {}", node.op, node.refusal};
        }
        if (node.op.starts_with("Random") || node.op == "Bernoulli") {
            throw UserError{"{}: the AI CPU draws numbers at random, and no two libraries draw the same",
                            node.op};
        }
        on_host = on_host.empty() && node.on_host ? node.op : on_host;
    }
    return on_host;
}

/// Throws UserError with the reason if it cannot run.
DataSet data_set(networks::Graph graph,
                 const fs::path& folder,
                 const ChipSpec& chip,
                 const toolchain::Installation& installation) {
    DataSet set{
        .plan = {}, .tasks = {}, .elements = {}, .outputs = graph.outputs, .expected = {}, .on_host = {}};
    const auto inputs = tensors_of(folder, "input");
    std::map<std::string, host::Shape, std::less<>> shapes;
    for (std::size_t i = 0; i < inputs.size() && i < graph.inputs.size(); ++i) {
        const bool named =
            std::ranges::find(graph.inputs, inputs[i].first, &networks::Input::name) != graph.inputs.end();
        const std::string& name = named ? inputs[i].first : graph.inputs[i].name;
        const auto input = std::ranges::find(graph.inputs, name, &networks::Input::name);
        shapes[name] = inputs[i].second.shape;
        set.elements[name] = *as_stated(inputs[i].second, input->type).values;
    }
    for (const networks::Input& input : graph.inputs) {
        if (!shapes.contains(input.name)) {
            throw UserError{"no data for input '{}'", input.name};
        }
    }
    const networks::Lowering lowering{
        .precision = networks::Precision::as_stated, .chip = chip, .given = set.elements};
    graph = networks::with_known_control_flow(std::move(graph), shapes, lowering);
    set.plan = networks::plan_network(graph, shapes, lowering);
    set.on_host = check_runs(set.plan);
    for (auto& [name, tensor] : tensors_of(folder, "output")) {
        set.expected.push_back(std::move(tensor));
    }
    for (const auto& [name, tensor] : graph.constants) {
        set.elements[name] = *tensor.values;
    }
    for (std::size_t i = 0; i < set.expected.size() && i < set.outputs.size(); ++i) {
        set.expected[i] = as_stated(set.expected[i], result_of(set.plan, graph, set.outputs[i]).type);
    }
    set.tasks = networks::ready_tasks(set.plan, chip, installation);
    return set;
}

bool close(double got, double expected, isa::DataType type) {
    if (std::isnan(expected) || std::isinf(expected)) {
        return std::isnan(expected) ? std::isnan(got) : got == expected;
    }
    const double allowed = type == isa::DataType::bfloat16 ? of_bfloat16 : relative;
    return std::abs(got - expected) <= absolute + allowed * std::abs(expected);
}

/// What is wrong with the outputs; empty if nothing is.
std::string difference(const DataSet& set, const networks::Numbers& numbers) {
    for (std::size_t i = 0; i < set.expected.size(); ++i) {
        const Tensor& expected = set.expected[i];
        const std::string& name = set.outputs.at(i);
        for (const networks::PlannedNode& node : set.plan.nodes) {
            const auto found = std::ranges::find(node.outputs, name);
            const auto index = static_cast<std::size_t>(found - node.outputs.begin());
            if (found != node.outputs.end() && (node.results.at(index).type != expected.type ||
                                                node.results.at(index).shape != expected.shape)) {
                return fmt::format(
                    "'{}' is {}, not {}", name, node.results.at(index).text(), expected.text());
            }
        }
        const std::vector<double>& got = numbers.outputs.at(name);
        for (std::size_t at = 0; at < expected.values->size(); ++at) {
            if (at >= got.size() || !close(got[at], (*expected.values)[at], expected.type)) {
                return fmt::format("'{}': element {} is {}, not {}",
                                   name,
                                   at,
                                   at < got.size() ? fmt::format("{:.9g}", got[at]) : "missing",
                                   (*expected.values)[at]);
            }
        }
    }
    return {};
}

/// A test with what it needs to run.
struct Prepared {
    std::vector<DataSet> sets;
    ordered_json result;
};

ordered_json ended(const char* outcome, std::string reason = {}, const char* by = "") {
    return {{"outcome", outcome}, {"reason", std::move(reason)}, {"by", by}};
}

Prepared prepared(const fs::path& folder, const ChipSpec& chip, const toolchain::Installation& installation) {
    Prepared test;
    ordered_json operators = ordered_json::array();
    try {
        const networks::Graph graph = networks::read_onnx(folder / "model.onnx", networks::Weights::all);
        std::set<std::string> names;
        for (const networks::Node& node : graph.nodes) {
            names.insert(node.op);
        }
        operators = names;
        for (std::size_t i = 0;; ++i) {
            const fs::path data = folder / fmt::format("test_data_set_{}", i);
            if (std::error_code error; !fs::exists(data, error)) {
                break;
            }
            test.sets.push_back(data_set(graph, data, chip, installation));
        }
        test.result = test.sets.empty() ? ended("refused", "no test data") : ended("crashed", "not run");
    } catch (const UserError& error) {
        test.sets.clear();
        std::string reason = error.what();
        const std::string file = (folder / "model.onnx").string() + ": ";
        reason = reason.starts_with(file) ? reason.substr(file.size()) : reason;
        test.result = ended("refused", reason);
    }
    test.result["operators"] = operators;
    return test;
}

void run_test(Prepared& test, const runtime::RunPlan& run) {
    std::size_t tasks = 0;
    std::string wrong;
    const ordered_json operators = test.result["operators"];
    for (DataSet& set : test.sets) {
        const networks::Numbers numbers =
            networks::compute(set.plan, set.tasks, std::move(set.elements), set.outputs, run);
        tasks += set.tasks.size();
        wrong = wrong.empty() ? difference(set, numbers) : wrong;
        if (!wrong.empty() && !numbers.first_failure.empty()) {
            wrong += "; " + numbers.first_failure;
        }
    }
    const auto host =
        std::ranges::find_if(test.sets, [](const DataSet& set) { return !set.on_host.empty(); });
    if (!wrong.empty()) {
        test.result = ended("wrong", wrong);
    } else if (host != test.sets.end()) {
        test.result = ended(
            "refused", fmt::format("{}: the AI CPU computes it, not the cores", host->on_host), "ai_cpu");
    } else {
        test.result = ended("passed", {}, tasks != 0 ? "kernels" : "folding");
    }
    test.result["operators"] = operators;
}

/// In a process of its own: all tests on one machine.
ordered_json run_batch(const std::vector<fs::path>& folders,
                       const ChipSpec& chip,
                       const toolchain::Installation& installation) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
    std::vector<Prepared> tests;
    std::vector<std::unique_ptr<runtime::ReadyPlan>> all;
    for (const fs::path& folder : folders) {
        tests.push_back(prepared(folder, chip, installation));
    }
    std::vector<const runtime::ReadyPlan*> plans;
    for (const Prepared& test : tests) {
        for (const DataSet& set : test.sets) {
            for (const auto& task : set.tasks) {
                plans.push_back(task.get());
            }
        }
    }
    runtime::RunRequest request{.chip = chip, .work = {}, .options = {}};
    const runtime::SessionOutcome outcome =
        runtime::run_sequence(request, plans, [&tests](const runtime::RunPlan& run) {
            for (Prepared& test : tests) {
                if (!test.sets.empty()) {
                    run_test(test, run);
                }
            }
        });
    if (outcome.failure) {
        std::rethrow_exception(outcome.failure);
    }
    if (!outcome.hazards.empty()) {
        throw ProgramError{"{}", outcome.hazards};
    }
    ordered_json results = ordered_json::array();
    for (Prepared& test : tests) {
        results.push_back(std::move(test.result));
    }
    return results;
}

std::vector<ConformanceTest> tests_below(const fs::path& folder, const std::string& only) {
    std::vector<ConformanceTest> tests;
    std::error_code error;
    for (const auto& entry : fs::recursive_directory_iterator{folder, error}) {
        if (entry.path().filename() == "model.onnx") {
            const fs::path test = entry.path().parent_path();
            tests.push_back({.folder = test,
                             .suite = test.parent_path().filename().string(),
                             .name = test.filename().string(),
                             .outcome = {},
                             .reason = {},
                             .by = {},
                             .operators = {}});
        }
    }
    if (error || tests.empty()) {
        throw UserError{
            "--conformance {}: no test (a folder with model.onnx and test_data_set_0) is below it",
            folder.string()};
    }
    std::erase_if(tests, [&](const ConformanceTest& test) {
        return !only.empty() && test.name.find(only) == std::string::npos;
    });
    std::ranges::sort(tests, {}, [](const ConformanceTest& test) {
        return std::pair{test.suite, test.name};
    });
    return tests;
}

void take(ConformanceTest& test, const ordered_json& result) {
    test.outcome = result["outcome"];
    test.reason = result["reason"];
    test.by = result["by"];
    test.operators = result["operators"].get<std::vector<std::string>>();
}

}  // namespace

std::vector<ConformanceTest> run_conformance(const fs::path& folder,
                                             const ChipSpec& chip,
                                             const toolchain::Installation& installation,
                                             const ConformanceOptions& options) {
    constexpr std::size_t of_batch = 48;  // tests that share a process
    constexpr auto longest = std::chrono::seconds{600};
    std::vector<ConformanceTest> tests = tests_below(folder, options.only);
    std::size_t done = 0;
    const auto run = [&](const std::vector<std::vector<std::size_t>>& batches) {
        std::vector<std::function<ordered_json()>> works;
        for (const std::vector<std::size_t>& batch : batches) {
            std::vector<fs::path> folders;
            for (const std::size_t test : batch) {
                folders.push_back(tests[test].folder);
            }
            works.emplace_back(
                [folders, &chip, &installation] { return run_batch(folders, chip, installation); });
        }
        return runtime::run_isolated(works,
                                     options.jobs,
                                     [&](std::size_t batch) {
                                         done += batches[batch].size();
                                         if (options.progress) {
                                             options.progress(std::min(done, tests.size()), tests.size());
                                         }
                                     },
                                     {.time = longest});
    };
    std::vector<std::vector<std::size_t>> batches;
    for (std::size_t i = 0; i < tests.size(); ++i) {
        if (i % of_batch == 0) {
            batches.emplace_back();
        }
        batches.back().push_back(i);
    }
    std::vector<std::vector<std::size_t>> alone;
    const std::vector<runtime::IsolatedResult> results = run(batches);
    for (std::size_t batch = 0; batch < batches.size(); ++batch) {
        for (std::size_t i = 0; i < batches[batch].size(); ++i) {
            if (results[batch].error.empty() && results[batch].signal == 0) {
                take(tests[batches[batch][i]], results[batch].value[i]);
            } else {
                alone.push_back({batches[batch][i]});
            }
        }
    }
    const std::vector<runtime::IsolatedResult> again = run(alone);
    for (std::size_t i = 0; i < alone.size(); ++i) {
        ConformanceTest& test = tests[alone[i][0]];
        if (again[i].error.empty() && again[i].signal == 0) {
            take(test, again[i].value[0]);
        } else {
            test.outcome = "crashed";
            test.reason = again[i].error;
        }
    }
    return tests;
}

ordered_json to_json(const std::vector<ConformanceTest>& tests, const std::string& chip) {
    ordered_json summary{{"passed", 0}, {"refused", 0}, {"wrong", 0}, {"crashed", 0}};
    ordered_json list = ordered_json::array();
    for (const ConformanceTest& test : tests) {
        summary[test.outcome] = summary[test.outcome].get<int>() + 1;
        list.push_back({{"suite", test.suite},
                        {"name", test.name},
                        {"outcome", test.outcome},
                        {"by", test.by},
                        {"reason", test.reason},
                        {"operators", test.operators}});
    }
    return {{"chip", chip}, {"summary", summary}, {"tests", list}};
}

}  // namespace ascendsim::report
