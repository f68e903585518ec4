// SPDX-License-Identifier: Apache-2.0
#include "app/benchmark/benchmark_run.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/scenario/result.hpp"
#include "app/scenario/usual_node.hpp"
#include "app/steps/kernel_times.hpp"
#include "app/studies/batch.hpp"
#include "models/node/node_file.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::benchmark {
namespace {

using nlohmann::ordered_json;
using scenario::Override;

void take(Case& one, const BenchmarkPlan& plan, std::vector<Iteration> iterations) {
    std::vector<double> times;
    std::vector<double> device;
    for (const Iteration& iteration : iterations) {
        times.push_back(iteration.us);
        device.push_back(iteration.device_us);
    }
    one.iterations = std::move(iterations);
    one.iteration = statistics_of(times, plan.fence);
    one.device = statistics_of(device, plan.fence);
}

/// A case before it has run.
struct AskedCase {
    std::vector<Override> run;
    std::string name;  // of the plan's case; empty: there is none
};

/// Each of `runs` with each of the plan's cases.
std::vector<AskedCase> asked_cases(const std::vector<std::vector<Override>>& runs,
                                   const BenchmarkPlan& plan) {
    std::vector<AskedCase> result;
    for (const std::vector<Override>& run : runs) {
        if (plan.cases.empty()) {
            result.push_back({run, {}});
        }
        for (const CaseValues& one : plan.cases) {
            result.push_back({run, one.name});
            result.back().run.insert(result.back().run.end(), one.set.begin(), one.set.end());
        }
    }
    return result;
}

/// `base` is what the file's own variants are called.
Case case_of(const AskedCase& asked, std::size_t given, const std::string& base) {
    Case one;
    one.label = asked.name.empty() ? base : base + "-" + asked.name;
    for (std::size_t i = given; i < asked.run.size(); ++i) {
        one.values.emplace_back(asked.run[i].path, asked.run[i].value);
    }
    return one;
}

/// A case's run without what the plan sets.
std::vector<Override> variant_of(const AskedCase& asked, const BenchmarkPlan& plan) {
    std::vector<Override> run = asked.run;
    const auto at = std::ranges::find(plan.cases, asked.name, &CaseValues::name);
    run.resize(run.size() - (at == plan.cases.end() ? 0 : at->set.size()));
    return run;
}

/// In the run's process: the time of each execution, in us; of a host program the whole of it.
ordered_json executions_of(const scenario::RunResult& result) {
    const nlohmann::json& totals = result.heads->totals();
    if (const auto program = totals.find("program"); program != totals.end()) {
        return {{"program_us", program->value("timeline", nlohmann::json::object()).value("total_us", 0.0)}};
    }
    const double us_a_cycle =
        result.summary.cycles > 0 ? result.summary.time_us / static_cast<double>(result.summary.cycles) : 0;
    ordered_json times = ordered_json::array();
    if (totals.contains("executions")) {
        for (const nlohmann::json& execution : totals["executions"]) {
            const double cycles = execution.value("end", 0.0) - execution.value("start", 0.0);
            times.push_back(cycles * us_a_cycle);
        }
    }
    return {{"us", std::move(times)}};
}

/// Why a run's figures are not to be used; empty if they are.
std::string fault_of(const study::BatchResult& result) {
    if (!result.error.empty()) {
        return result.error;
    }
    if (result.json.is_object() &&
        scenario::count_errors(result.json.value("hazards", ordered_json::array())) > 0) {
        return "hazards: 'ascendsim run' shows them";
    }
    return result.exit == 0 ? std::string{} : "numbers are wrong: 'ascendsim run' shows them";
}

void finish_case(Case& one,
                 const BenchmarkPlan& plan,
                 const node::HostSpec& host,
                 const study::BatchResult& result) {
    one.error = fault_of(result);
    one.exit = result.exit;
    if (!result.seen.is_object()) {
        return;
    }
    if (const auto program = result.seen.find("program_us"); program != result.seen.end()) {
        std::vector<Iteration> iterations;
        for (std::uint32_t cycle = 0; cycle < plan.repeat; ++cycle) {
            for (std::uint32_t i = 0; i < plan.active; ++i) {
                iterations.push_back({.cycle = cycle, .number = i, .us = *program, .device_us = 0});
            }
        }
        take(one, plan, std::move(iterations));
        return;
    }
    const auto times = result.seen.value("us", std::vector<double>{});
    if (!times.empty()) {
        take(one, plan, iterate(plan, host, times));
    }
}

node::HostSpec host_of(const BenchmarkPlan& plan,
                       const ChipSpec& chip,
                       const toolchain::Installation& installation) {
    const std::filesystem::path models = installation.root / "models";
    const std::string usual = node::open_node(scenario::usual_node(chip), models / "nodes").spec.host;
    return node::open_host(plan.host.empty() ? usual : plan.host, models / "hosts").spec;
}

}  // namespace

Benchmark run_benchmark(const scenario::ScenarioFile& file,
                        const BenchmarkPlan& plan,
                        const toolchain::Installation& installation,
                        const BenchmarkOptions& options) {
    const std::size_t given = file.overrides().size();
    std::vector<study::BatchRun> runs;
    Benchmark benchmark{.name = std::filesystem::path{file.path()}.stem().string(),
                        .title = {},
                        .machine = {},
                        .plan = plan,
                        .cases = {},
                        .notes = {}};
    node::HostSpec host;
    for (AskedCase& asked : asked_cases(file.runs(), plan)) {
        std::vector<Override>& run = asked.run;
        Case one = case_of(asked, given, scenario::run_label(file, variant_of(asked, plan), given));
        const scenario::Scenario read = file.read(run);  // says now what is wrong with it
        if (read.program && plan.jitter.any()) {
            throw UserError{
                "{}: benchmark.jitter: a host program's calls are inside its own timeline; jitter here is "
                "for "
                "kernels and steps, that of a program is [program.jitter]",
                file.path()};
        }
        one.items = items_of(plan, scenario::with_overrides(file.toml(), run));
        host = host_of(plan, read.chip.spec, installation);
        benchmark.title = read.title;
        benchmark.machine = fmt::format("{} · {}", read.chip.spec.name, host.title);
        if (!read.program) {
            run.push_back({"run.warm_up", "0"});
            run.push_back(
                {"run.repeat", std::to_string(std::min<std::uint64_t>(plan.simulated, plan.iterations()))});
        } else if (benchmark.notes.empty()) {
            benchmark.notes.emplace_back("A host program takes the same time in each iteration.");
        }
        runs.push_back({.file = file, .run = std::move(run), .label = one.label, .recording = {}});
        benchmark.cases.push_back(std::move(one));
    }
    const std::vector<study::BatchResult> results = study::run_batch(runs,
                                                                     installation,
                                                                     {.jobs = options.jobs,
                                                                      .look = executions_of,
                                                                      .progress = options.progress,
                                                                      .limits = options.limits});
    for (std::size_t i = 0; i < results.size(); ++i) {
        finish_case(benchmark.cases[i], plan, host, results[i]);
    }
    return benchmark;
}

Benchmark run_benchmark(const TomlFile& step,
                        const std::vector<Override>& overrides,
                        const BenchmarkPlan& plan,
                        const toolchain::Installation& installation,
                        const BenchmarkOptions& options) {
    const std::filesystem::path models = installation.root / "models";
    const std::string name = std::filesystem::path{step.name()}.stem().string();
    Benchmark benchmark{
        .name = name, .title = {}, .machine = {}, .plan = plan, .of_step = true, .cases = {}, .notes = {}};
    std::vector<steps::StepProgram> programs;
    for (const AskedCase& asked : asked_cases({overrides}, plan)) {
        Case one = case_of(asked, overrides.size(), name);
        const TomlFile file = scenario::with_overrides(step, asked.run);
        programs.push_back(steps::read_step(file, {.nodes = models / "nodes", .hosts = models / "hosts"}));
        steps::StepProgram& program = programs.back();
        if (!plan.host.empty()) {
            program.host = node::open_host(plan.host, models / "hosts").spec;
        }
        one.items = items_of(plan, file);
        benchmark.title = program.title;
        benchmark.machine = fmt::format("{} · {} rank{} · {}",
                                        program.node.title,
                                        program.ranks,
                                        program.ranks == 1 ? "" : "s",
                                        program.host.title);
        benchmark.cases.push_back(std::move(one));
    }
    steps::time_kernels(
        programs, installation, {.jobs = options.jobs, .progress = [&](std::size_t done, std::size_t all) {
                                     if (options.progress) {
                                         options.progress(done, all, name);
                                     }
                                 }});
    for (std::size_t i = 0; i < programs.size(); ++i) {
        take(benchmark.cases[i], plan, iterate(plan, programs[i]));
    }
    return benchmark;
}

}  // namespace ascendsim::benchmark
