// SPDX-License-Identifier: Apache-2.0
// What `ascendsim model` does beside one whole network: many small ones, and parts of one.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/cli/batch_progress.hpp"
#include "app/cli/command.hpp"
#include "app/cli/text_output.hpp"
#include "app/networks/conformance/conformance.hpp"
#include "app/networks/decisions/decisions.hpp"
#include "app/networks/network_report.hpp"
#include "app/scenario/usual_node.hpp"
#include "models/node/node_file.hpp"
#include "models/spec/chip_file.hpp"
#include "networks/run/run_tasks.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::cli {

/// Where `ascendsim model` writes what it found of many small networks, and which of them it takes.
struct NetworkMode {
    std::string only;  // text in their names; empty: all
    std::string json;  // files; empty: none
    std::string document;
    std::size_t jobs = 1;
};

/// The server that a chip usually stands in, and its host.
[[nodiscard]] inline report::NetworkHost usual_host(const ChipSpec& chip,
                                                    const toolchain::Installation& installation) {
    const std::filesystem::path models = installation.root / "models";
    node::NodeSpec node = node::open_node(scenario::usual_node(chip), models / "nodes").spec;
    return {.node = node, .host = node::open_host(node.host, models / "hosts").spec};
}

/// The numbers of --batch, as in "1,8,32"; none if it is left out. Throws UserError for anything else.
[[nodiscard]] inline std::vector<std::uint64_t> batches_of(const std::string& list) {
    std::vector<std::uint64_t> batches;
    std::istringstream text{list};
    for (std::string word; std::getline(text, word, ',');) {
        constexpr std::uint64_t most = 1U << 20U;
        std::uint64_t batch = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), batch);
        if (error != std::errc{} || end != word.data() + word.size() || batch == 0 || batch > most) {
            throw UserError{"--batch {}: numbers from 1 to {}, as in 1,8,32", list, most};
        }
        batches.push_back(batch);
    }
    return batches;
}

/// Runs ONNX's backend tests below `folder`. Returns the exit code.
[[nodiscard]] inline int conform(const std::string& folder,
                                 const ChipSpec& chip,
                                 const NetworkMode& mode,
                                 const toolchain::Installation& installation) {
    const auto counted = batch_progress();
    const std::vector<report::ConformanceTest> tests = report::run_conformance(
        folder,
        chip,
        installation,
        {.jobs = mode.jobs, .only = mode.only, .progress = [&counted](std::size_t done, std::size_t all) {
             if (counted) {
                 counted(done, all, "tests");
             }
         }});
    const nlohmann::ordered_json json = report::to_json(tests, chip.name);
    write_json(mode.json, "model", json);
    write_text(mode.document, report::conformance_page(tests, chip.name));
    if (!takes_standard_output({mode.json, mode.document})) {
        std::ostringstream text;
        report::print_conformance(text, tests);
        say(text.str());
    }
    const nlohmann::ordered_json& summary = json["summary"];
    return summary["wrong"] == 0 && summary["crashed"] == 0 ? exit_good : exit_check_failed;
}

/// Decides from which size on joining operators pays, on `chip`, or on each if it is empty.
[[nodiscard]] inline int decide_joining(const std::string& chip,
                                        const NetworkMode& mode,
                                        const toolchain::Installation& installation) {
    report::DecisionOptions options{
        .chips = {},
        .only = mode.only,
        .time = [&](const std::vector<networks::Task>& tasks, const ChipSpec& on) {
            const auto counted = batch_progress();
            return networks::run_tasks(
                tasks,
                on,
                installation,
                {.jobs = mode.jobs, .progress = [&counted](std::size_t done, std::size_t all) {
                     if (counted) {
                         counted(done, all, "kernels");
                     }
                 }});
        }};
    if (!chip.empty()) {
        options.chips = {normalized_chip_name(chip)};
    }
    const report::DecisionCatalogue catalogue = report::read_decisions(installation);
    const std::vector<report::ChipDecision> decisions =
        report::decide_patterns(catalogue, installation, options);
    write_json(mode.json, "model", report::decisions_json(catalogue, decisions));
    write_text(mode.document, report::decisions_page(catalogue, decisions));
    if (!takes_standard_output({mode.json, mode.document})) {
        std::ostringstream text;
        report::print_decisions(text, catalogue, decisions);
        say(text.str());
    }
    return exit_good;
}

/// Leaves the nodes that --op names.
inline void keep_operators(networks::NetworkPlan& plan, const std::string& op) {
    std::vector<std::string> names;
    std::erase_if(plan.nodes, [&](const networks::PlannedNode& node) {
        std::vector<std::string> own{node.op, node.name};
        for (const std::string& joined : {node.op, node.name}) {  // "Add + Relu" is Add and Relu
            for (std::size_t at = 0; at != std::string::npos;) {
                const std::size_t end = joined.find(" + ", at);
                own.push_back(joined.substr(at, end == std::string::npos ? end : end - at));
                at = end == std::string::npos ? end : end + 3;
            }
        }
        names.insert(names.end(), own.begin(), own.end());
        return std::ranges::find(own, op) == own.end();
    });
    if (plan.nodes.empty()) {
        throw UserError{"--op {}: the network has no such operator{}", op, nearest_hint(op, names)};
    }
}

}  // namespace ascendsim::cli
