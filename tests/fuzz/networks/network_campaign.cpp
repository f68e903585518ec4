// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/networks/network_campaign.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/spec/chip_file.hpp"
#include "networks/fusion/graph_fusion.hpp"
#include "networks/run/task_plan.hpp"
#include "networks/run/wide_ranges.hpp"
#include "runtime/session/isolated.hpp"
#include "sim/process/digest.hpp"
#include "tests/fuzz/networks/random_network.hpp"
#include "toolchain/installation/cache.hpp"
#include "toolchain/installation/cache_files.hpp"

namespace ascendsim::fuzz {
namespace {

namespace fs = std::filesystem;
using networks::Task;
using nlohmann::ordered_json;

/// Joining always pays.
std::vector<networks::TaskResult> joined_is_faster(const std::vector<Task>& tasks) {
    std::vector<networks::TaskResult> results;
    for (const Task& task : tasks) {
        results.push_back({.time_us = task.loop != nullptr ? 0.1 : 1});
    }
    return results;
}

/// Both forms of one network, and what runs them.
struct BothForms {
    std::uint32_t seed = 0;
    RandomNetwork network;
    networks::NetworkPlan apart;
    networks::NetworkPlan fused;
    networks::ReadyTasks apart_tasks;
    networks::ReadyTasks fused_tasks;
    std::size_t kernels = 0;
    std::size_t rewritings = 0;
};

/// The generated kernels of many networks in one source: the framework's headers are compiled once.
class SharedSource {
public:
    /// The kernel's entry, unique in the source.
    std::string add(const networks::loops::Loop& loop, const ChipSpec& chip) {
        networks::loops::Loop named = loop;
        named.name = "fused";
        const std::string known = networks::loops::generate(named, chip).source;
        const auto [place, is_new] = entries_.try_emplace(known, fmt::format("fused_{}", entries_.size()));
        if (is_new) {
            named.name = place->second;
            text_ += in_namespace(networks::loops::generate(named, chip).source, place->second);
        }
        return place->second;
    }

    /// Writes it to the cache.
    [[nodiscard]] fs::path file() const {
        const std::string whole = "#include \"kernel_operator.h\"\n\n" + text_;
        process::Digest digest;
        digest.add(whole);
        fs::path file = toolchain::made_cache_folder("generated") /
                        fmt::format("fuzz_{}.cpp", digest.hex().substr(0, 16));
        toolchain::write_whole(file, whole);
        return file;
    }

private:
    /// All but the entry, which has C's linkage, goes to a namespace of its own.
    static std::string in_namespace(std::string source, const std::string& name) {
        const std::string include = "#include \"kernel_operator.h\"\n";
        source.erase(source.find(include), include.size());
        const std::size_t entry = source.find("\nextern \"C\"");
        std::string function = source.substr(entry);
        const auto qualify = [&](const std::string& word) {
            const std::string whole = "n_" + name + "::" + word;
            for (std::size_t at = function.find(word); at != std::string::npos;
                 at = function.find(word, at + whole.size())) {
                function.replace(at, word.size(), whole);
            }
        };
        qualify("Tiling tiling");
        qualify("Kernel(");
        return fmt::format("namespace n_{} {{\n{}}}\n{}\n", name, source.substr(0, entry + 1), function);
    }

    std::string text_;
    std::map<std::string, std::string> entries_;  // by source
};

/// Networks that share a process.
class NetworkBatch {
public:
    NetworkBatch(std::uint32_t first, std::size_t count, const std::string& chip)
        : chip_{load_chip(chip, installation_.chips())} {
        for (std::size_t i = 0; i < count; ++i) {
            forms_.push_back(form(first + static_cast<std::uint32_t>(i)));
        }
        const fs::path source = write_sources();
        for (BothForms& both : forms_) {
            try {
                both.apart_tasks = ready(both.apart, source);
                both.fused_tasks = ready(both.fused, source);
            } catch (const UserError& error) {
                differ(both, error.what());
                both.apart.nodes.clear();
                both.fused.nodes.clear();
            }
        }
    }

    ordered_json run() {
        std::vector<const runtime::ReadyPlan*> plans;
        for (const BothForms& both : forms_) {
            for (const auto* tasks : {&both.apart_tasks, &both.fused_tasks}) {
                std::ranges::transform(
                    *tasks, std::back_inserter(plans), [](const auto& task) { return task.get(); });
            }
        }
        runtime::RunRequest request{.chip = chip_, .work = {}, .options = {}};
        request.options.sanitize = true;
        const runtime::SessionOutcome outcome =
            runtime::run_sequence(request, plans, [this](const runtime::RunPlan& run) {
                for (const BothForms& both : forms_) {
                    compute_both(both, run);
                }
            });
        if (outcome.failure) {
            std::rethrow_exception(outcome.failure);
        }
        if (!outcome.hazards.empty()) {
            differences_.push_back(fmt::format("seeds from {}: {}", forms_.front().seed, outcome.hazards));
        }
        return result();
    }

private:
    BothForms form(std::uint32_t seed) {
        BothForms both{.seed = seed, .network = random_network(seed)};
        const networks::Lowering lowering{.precision = both.network.precision, .chip = chip_};
        both.network.graph = with_wide_ranges(std::move(both.network.graph), both.network.shapes, lowering);
        both.apart = plan_network(both.network.graph, both.network.shapes, lowering);
        networks::GraphFusion graph = networks::fuse_graph(
            both.network.graph, both.network.shapes, lowering, networks::all_patterns(), joined_is_faster);
        networks::Fusion fusion =
            networks::fuse_loops(graph.plan, both.network.graph.outputs, chip_, joined_is_faster);
        const auto taken = [](const auto& decisions) {
            return static_cast<std::size_t>(std::ranges::count(decisions, true, &networks::Decision::taken));
        };
        both.rewritings = taken(graph.decisions);
        both.kernels = taken(fusion.decisions);
        both.fused = std::move(fusion.plan);
        for (const auto& [name, tensor] : graph.graph.constants) {
            both.network.graph.constants.try_emplace(name, tensor);
        }
        return both;
    }

    fs::path write_sources() {
        for (const BothForms& both : forms_) {
            for (const networks::NetworkPlan* plan : {&both.apart, &both.fused}) {
                for (const networks::PlannedNode& node : plan->nodes) {
                    for (const Task& task : node.tasks) {
                        if (task.loop != nullptr) {
                            entries_[task.loop.get()] = shared_.add(*task.loop, chip_);
                        }
                    }
                }
            }
        }
        return shared_.file();
    }

    networks::ReadyTasks ready(const networks::NetworkPlan& plan, const fs::path& source) const {
        networks::ReadyTasks tasks;
        for (const networks::PlannedNode& node : plan.nodes) {
            if (!node.refusal.empty()) {
                throw UserError{"{}: {}", node.op, node.refusal};
            }
            for (const Task& task : node.tasks) {
                if (!task.on_host) {
                    tasks.push_back(
                        std::make_unique<runtime::ReadyPlan>(run_of(task, source), chip_, installation_));
                }
            }
        }
        return tasks;
    }

    runtime::PlannedRun run_of(const Task& task, const fs::path& source) const {
        if (task.loop == nullptr) {
            return networks::planned(task, chip_, installation_);
        }
        networks::loops::Loop named = *task.loop;
        named.name = entries_.at(task.loop.get());
        runtime::PlannedRun run{
            .kernel = {},
            // Compiling takes nearly all of the time.
            .source = runtime::KernelSource{.source = source, .more_sources = {}, .flags = {"-O0"}},
            .plan = networks::loops::generate(named, chip_).plan,
            .outputs = {},
            .argument_bytes = {}};
        return run;
    }

    void compute_both(const BothForms& both, const runtime::RunPlan& run) {
        if (both.apart.nodes.empty()) {
            return;
        }
        networks::Elements elements = both.network.elements;
        for (const auto& [name, tensor] : both.network.graph.constants) {
            elements[name] = *tensor.values;
        }
        std::vector<std::string> all = both.network.graph.outputs;
        for (const networks::PlannedNode& node : both.apart.nodes) {
            all.insert(all.end(), node.outputs.begin(), node.outputs.end());
        }
        const networks::Numbers apart = compute(both.apart, both.apart_tasks, elements, all, run);
        const networks::Numbers fused =
            compute(both.fused, both.fused_tasks, elements, both.network.graph.outputs, run);
        for (const networks::Numbers* numbers : {&apart, &fused}) {
            if (!numbers->first_failure.empty()) {
                differ(both, numbers->first_failure);
            }
            for (const networks::NodeNumbers& node : numbers->nodes) {
                compared_ += node.compared;
            }
        }
        compare_outputs(both, apart, fused);
    }

    /// Errors of both forms add up over ten operators: a hundredth of the largest element is far beyond them
    /// in float16, and far below what another formula would make.
    void compare_outputs(const BothForms& both,
                         const networks::Numbers& apart,
                         const networks::Numbers& fused) {
        constexpr double allowed = 0.01;
        for (const std::string& name : both.network.graph.outputs) {
            const std::vector<double>& a = apart.outputs.at(name);
            const std::vector<double>& b = fused.outputs.at(name);
            double largest = 1;
            double error = 0;
            for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
                largest = std::max(largest, std::abs(a[i]));
                const double off = std::abs(a[i] - b[i]);
                error = off <= error ? error : off;  // NaN stays
            }
            if (a.size() != b.size() || !(error <= allowed * largest)) {
                differ(both, fmt::format("'{}' is off by {} of {} at most, joined", name, error, largest));
            }
        }
    }

    void differ(const BothForms& both, const std::string& what) {
        differences_.push_back(fmt::format("seed {}: {}", both.seed, what));
    }

    ordered_json result() const {
        ordered_json json{{"networks", forms_.size()},
                          {"joined", 0},
                          {"kernels", 0},
                          {"rewritings", 0},
                          {"compared", compared_},
                          {"differences", differences_}};
        for (const BothForms& both : forms_) {
            json["joined"] =
                json["joined"].get<std::size_t>() + (both.kernels + both.rewritings > 0 ? 1U : 0U);
            json["kernels"] = json["kernels"].get<std::size_t>() + both.kernels;
            json["rewritings"] = json["rewritings"].get<std::size_t>() + both.rewritings;
        }
        return json;
    }

    toolchain::Installation installation_ = toolchain::Installation::find();
    ChipSpec chip_;
    std::vector<BothForms> forms_;
    SharedSource shared_;
    std::map<const networks::loops::Loop*, std::string> entries_;
    std::size_t compared_ = 0;
    std::vector<std::string> differences_;
};

}  // namespace

NetworkOutcome run_networks(
    std::uint32_t first, std::size_t count, const std::string& chip, std::size_t each, std::size_t jobs) {
    std::vector<std::function<ordered_json()>> works;
    for (std::size_t at = 0; at < count; at += each) {
        works.emplace_back([=] {
            const std::size_t some = std::min(each, count - at);
            return NetworkBatch{first + static_cast<std::uint32_t>(at), some, chip}.run();
        });
    }
    NetworkOutcome outcome;
    const std::vector<runtime::IsolatedResult> results = runtime::run_isolated(works, jobs);
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!results[i].error.empty()) {
            outcome.differences.push_back(
                fmt::format("seeds from {}: {}", first + i * each, results[i].error));
            continue;
        }
        const ordered_json& value = results[i].value;
        outcome.networks += value["networks"].get<std::size_t>();
        outcome.joined += value["joined"].get<std::size_t>();
        outcome.kernels += value["kernels"].get<std::size_t>();
        outcome.rewritings += value["rewritings"].get<std::size_t>();
        outcome.compared += value["compared"].get<std::size_t>();
        for (const ordered_json& one : value["differences"]) {
            outcome.differences.push_back(one);
        }
    }
    return outcome;
}

}  // namespace ascendsim::fuzz
