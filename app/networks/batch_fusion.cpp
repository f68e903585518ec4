// SPDX-License-Identifier: Apache-2.0
#include "app/networks/batch_fusion.hpp"

#include <algorithm>
#include <map>
#include <ostream>
#include <set>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

namespace ascendsim::report {
namespace {

using networks::Decision;
using nlohmann::ordered_json;

/// What a decision joins, the same at every batch: its pattern and nodes.
std::string joined_nodes(const Decision& decision) {
    return fmt::format("{}\n{}", decision.pattern, fmt::join(decision.nodes, "\n"));
}

std::string what_is_joined(const Decision& decision) {
    return decision.pattern.empty() ? decision.kinds
                                    : fmt::format("{}: {}", decision.pattern, decision.kinds);
}

std::set<std::string> taken_of(const BatchDecisions& batch) {
    std::set<std::string> taken;
    for (const Decision& decision : batch.decisions) {
        if (decision.taken) {
            taken.insert(joined_nodes(decision));
        }
    }
    return taken;
}

/// Why these nodes are not joined at a batch: as simulated, or as the generator refuses them.
std::pair<std::string, std::string> why_not(const Decision& elsewhere, const BatchDecisions& batch) {
    for (const Decision& decision : batch.decisions) {
        if (!decision.taken && joined_nodes(decision) == joined_nodes(elsewhere)) {
            return {decision.code, decision.text};
        }
    }
    const std::string pattern = elsewhere.pattern;
    for (const networks::NotJoined& one : batch.not_joined) {
        const bool same = pattern.empty()
                              ? elsewhere.kinds.find(one.from + " + " + one.to) != std::string::npos
                              : one.from == pattern;
        if (same) {
            return {one.code, one.text};
        }
    }
    return {"other_group", "its operators are joined with others, or in parts"};
}

/// What `one` joins and `other` does not, equal ones counted.
void add_changes(const BatchDecisions& one, const BatchDecisions& other, bool joined, ordered_json& changes) {
    const std::set<std::string> there = taken_of(other);
    std::map<std::string, std::size_t> places;
    for (const Decision& decision : one.decisions) {
        if (!decision.taken || there.contains(joined_nodes(decision))) {
            continue;
        }
        const auto [code, text] = why_not(decision, other);
        const auto [place, is_new] = places.try_emplace(what_is_joined(decision) + code, changes.size());
        if (!is_new) {
            ordered_json& count = changes[place->second]["count"];
            count = count.get<std::size_t>() + 1;
            continue;
        }
        changes.push_back({{"from", joined ? other.batch : one.batch},
                           {"to", joined ? one.batch : other.batch},
                           {"what", what_is_joined(decision)},
                           {"joined", joined},
                           {"count", 1},
                           {"code", code},
                           {"text", text}});
    }
}

ordered_json buckets_json(const std::vector<BatchDecisions>& batches) {
    ordered_json buckets = ordered_json::array();
    std::set<std::string> last;
    for (const BatchDecisions& batch : batches) {
        std::set<std::string> taken = taken_of(batch);
        if (buckets.empty() || taken != last) {
            buckets.push_back({{"batches", ordered_json::array()}, {"joined", taken.size()}});
        }
        buckets.back()["batches"].push_back(batch.batch);
        last = std::move(taken);
    }
    return buckets;
}

ordered_json kernels_json(const std::vector<BatchDecisions>& batches, const ChipSpec& chip) {
    std::map<std::string, std::size_t> places;  // by source
    ordered_json kernels = ordered_json::array();
    for (const BatchDecisions& batch : batches) {
        for (const Decision& decision : batch.decisions) {
            if (!decision.taken || decision.task.loop == nullptr) {
                continue;
            }
            const networks::loops::Kernel kernel = networks::loops::generate(*decision.task.loop, chip);
            const auto [place, is_new] = places.try_emplace(kernel.source, kernels.size());
            if (is_new) {
                kernels.push_back({{"entry", kernel.entry}, {"batches", ordered_json::array()}});
            }
            ordered_json& served = kernels[place->second]["batches"];
            if (served.empty() || served.back() != batch.batch) {
                served.push_back(batch.batch);
            }
        }
    }
    return kernels;
}

std::string batches_text(const ordered_json& batches) {
    return fmt::format("{}", fmt::join(batches.get<std::vector<std::uint64_t>>(), ", "));
}

}  // namespace

ordered_json batch_fusion_json(const std::vector<BatchDecisions>& batches, const ChipSpec& chip) {
    ordered_json json{{"buckets", buckets_json(batches)},
                      {"changes", ordered_json::array()},
                      {"kernels", kernels_json(batches, chip)}};
    for (std::size_t i = 0; i + 1 < batches.size(); ++i) {
        add_changes(batches[i + 1], batches[i], true, json["changes"]);
        add_changes(batches[i], batches[i + 1], false, json["changes"]);
    }
    return json;
}

void print_batch_fusion(std::ostream& out, const ordered_json& fusion, const Style& style) {
    fmt::print(out, "\n  {}\n", toned(style, Tone::strong, "fusion by batch"));
    for (const ordered_json& bucket : fusion["buckets"]) {
        fmt::print(out,
                   "    {}: one plan, {} joined\n",
                   batches_text(bucket["batches"]),
                   bucket["joined"].get<std::size_t>());
    }
    for (const ordered_json& change : fusion["changes"]) {
        fmt::print(out,
                   "    {} -> {}: {} x {} {}; {} {}: {}\n",
                   change["from"].get<std::uint64_t>(),
                   change["to"].get<std::uint64_t>(),
                   change["count"].get<std::size_t>(),
                   change["what"].get<std::string>(),
                   change["joined"] == true ? "is joined" : "falls back to operators apart",
                   change["joined"] == true ? "before" : "now",
                   change["code"].get<std::string>(),
                   change["text"].get<std::string>());
    }
    std::size_t all = 0;
    for (const ordered_json& kernel : fusion["kernels"]) {
        all += kernel["batches"].size() > 1 ? 1U : 0U;
    }
    fmt::print(out,
               "    {} generated source{}, {} of them serve more than one batch, by their tiling alone\n",
               fusion["kernels"].size(),
               fusion["kernels"].size() == 1 ? "" : "s",
               all);
    for (const ordered_json& kernel : fusion["kernels"]) {
        fmt::print(
            out, "      {}: {}\n", kernel["entry"].get<std::string>(), batches_text(kernel["batches"]));
    }
}

}  // namespace ascendsim::report
