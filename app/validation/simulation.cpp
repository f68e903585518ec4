// SPDX-License-Identifier: Apache-2.0
#include "app/validation/simulation.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <unistd.h>

#include "app/scenario/request.hpp"
#include "app/scenario/scenario.hpp"
#include "runtime/session/isolated.hpp"
#include "runtime/session/session.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::validation {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// In the run's own process, which the system ends when it takes too long.
ordered_json simulate(const scenario::ScenarioFile& file,
                      const std::vector<scenario::Override>& overrides,
                      const toolchain::Installation& installation,
                      unsigned limit_s) {
    alarm(limit_s);
    const scenario::Scenario scenario = file.read(overrides);
    runtime::SessionProgress progress;
    const runtime::SessionOutcome outcome =
        runtime::run_session(scenario::make_request(scenario, installation), installation, {}, progress);
    if (outcome.failure) {
        std::rethrow_exception(outcome.failure);
    }
    const double clock = scenario.chip.spec.cores.clock_ghz;
    std::uint64_t core_cycles = 0;
    const json& launches = outcome.totals["launches"];
    const std::size_t not_counted = launches.size() * scenario.warm_up / (scenario.warm_up + scenario.repeat);
    for (std::size_t i = not_counted; i < launches.size(); ++i) {
        core_cycles +=
            launches[i]["cores_end"].get<std::uint64_t>() - launches[i]["first_core"].get<std::uint64_t>();
    }
    const double executions = scenario.repeat;
    return {{"task_us", outcome.totals["time_us"]},
            {"core_us", static_cast<double>(core_cycles) / executions / clock / 1000},
            {"clock_ghz", clock},
            {"executions", executions},
            {"lanes", outcome.totals["lanes"]}};
}

Simulated taken(const runtime::IsolatedResult& result, unsigned limit_s) {
    Simulated simulated;
    if (result.exit != 0) {
        const bool late = result.error.find("Alarm") != std::string::npos;
        simulated.error = late ? fmt::format("takes longer than {} s to simulate", limit_s)
                               : result.error.substr(0, result.error.find('\n'));
        return simulated;
    }
    simulated.task_us = result.value["task_us"];
    simulated.core_us = result.value["core_us"];
    simulated.clock_ghz = result.value["clock_ghz"];
    simulated.lanes = result.value["lanes"];
    const double executions = result.value["executions"];
    for (json& lane : simulated.lanes) {
        for (const char* const name :
             {"active_cycles", "moved_bytes", "hbm_read_bytes", "hbm_write_bytes", "l2_hit_bytes"}) {
            lane[name] = lane[name].get<double>() / executions;
        }
    }
    return simulated;
}

}  // namespace

double Simulated::pipe_us(std::string_view pipe) const {
    double busy = 0;
    double cores = 0;
    for (const auto& [name, lane] : lanes.items()) {
        const bool same = name == pipe || name.substr(name.find('_') + 1) == pipe;
        busy += same ? lane["active_cycles"].get<double>() : 0;
        cores += same ? lane["cores"].get<double>() : 0;
    }
    return cores > 0 ? busy / cores / clock_ghz / 1000 : 0;
}

std::string Simulated::account() const {
    std::string main;
    double most = 0;
    double read = 0;
    double written = 0;
    double hit = 0;
    for (const auto& [name, lane] : lanes.items()) {
        const double busy = pipe_us(name);
        if (busy > most && !name.ends_with("_scalar")) {
            most = busy;
            main = name;
        }
        read += lane["hbm_read_bytes"].get<double>();
        written += lane["hbm_write_bytes"].get<double>();
        hit += lane["l2_hit_bytes"].get<double>();
    }
    constexpr double mega = 1e6;
    return fmt::format(
        "{} busy {:.0f} % of {:.4g} us; {:.3g} MB from L2, {:.3g} MB read and {:.3g} MB written at HBM; "
        "launch "
        "{:.2f} us",
        main.empty() ? "nothing" : main,
        task_us > 0 ? 100 * most / task_us : 0,
        task_us,
        hit / mega,
        read / mega,
        written / mega,
        task_us - core_us);
}

std::size_t SimulationSet::add(const KernelRun& run,
                               const std::string& chip,
                               const std::vector<scenario::Override>& set) {
    std::vector<scenario::Override> overrides{{"scenario.kernel", "\"" + run.kernel + "\""},
                                              {"scenario.chip", "\"" + chip + "\""}};
    overrides.insert(overrides.end(), run.set.begin(), run.set.end());
    overrides.insert(overrides.end(), set.begin(), set.end());
    if (run.warm_l2) {
        overrides.push_back({"l2.state", "\"warm\""});
    }
    if (run.warm_up != 0) {
        overrides.push_back({"run.warm_up", std::to_string(run.warm_up)});
    }
    if (run.repeat != 1) {
        overrides.push_back({"run.repeat", std::to_string(run.repeat)});
    }
    if (!run.launch_overhead) {
        overrides.push_back({"run.launch_overhead", "false"});
    }
    return add(One{.scenario = {}, .set = std::move(overrides)});
}

std::size_t SimulationSet::add(const std::filesystem::path& scenario,
                               const std::string& chip,
                               const std::vector<scenario::Override>& set) {
    std::vector<scenario::Override> overrides{{"scenario.chip", "\"" + chip + "\""}};
    overrides.insert(overrides.end(), set.begin(), set.end());
    return add(One{.scenario = scenario, .set = std::move(overrides)});
}

std::size_t SimulationSet::add(One one) {
    all_.push_back(std::move(one));
    const auto [known, fresh] = numbers_.emplace(command(all_.size() - 1), all_.size() - 1);
    if (!fresh) {
        all_.pop_back();
    }
    return known->second;
}

std::string SimulationSet::command(std::size_t number) const {
    const One& one = all_[number];
    std::string line = command_of(one.set);
    constexpr std::string_view usual = "validation/case";
    return one.scenario.empty() ? line : line.replace(line.find(usual), usual.size(), one.scenario.string());
}

std::vector<Simulated> SimulationSet::run(
    const toolchain::Installation& installation,
    std::size_t jobs,
    unsigned limit_s,
    const std::vector<double>& weight,
    const std::function<void(std::size_t, std::size_t, const std::string&)>& progress) const {
    const std::filesystem::path usual = installation.measurements() / "case.toml";
    std::map<std::filesystem::path, scenario::ScenarioFile> files;
    for (const One& one : all_) {
        const std::filesystem::path& file = one.scenario.empty() ? usual : one.scenario;
        files.try_emplace(file, file.string(), installation, std::vector<scenario::Override>{});
    }
    std::vector<std::size_t> order(all_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // Long ones first, so that no process is left alone with one at the end.
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return weight[a] > weight[b]; });
    std::vector<std::function<ordered_json()>> works;
    for (const std::size_t number : order) {
        const One& one = all_[number];
        const scenario::ScenarioFile& file = files.at(one.scenario.empty() ? usual : one.scenario);
        works.emplace_back(
            [&one, &file, &installation, limit_s] { return simulate(file, one.set, installation, limit_s); });
    }
    std::size_t done = 0;
    const std::vector<runtime::IsolatedResult> results =
        runtime::run_isolated(works, jobs, [&](std::size_t number) {
            ++done;
            if (progress) {
                progress(done, order.size(), all_[order[number]].set.front().value);
            }
        });
    std::vector<Simulated> simulated(all_.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        simulated[order[i]] = taken(results[i], limit_s);
    }
    return simulated;
}

std::string command_of(const std::vector<scenario::Override>& overrides) {
    std::string line = "ascendsim run validation/case";
    for (const scenario::Override& set : overrides) {
        line += fmt::format(" --set '{}={}'", set.path, set.value);
    }
    return line;
}

}  // namespace ascendsim::validation
