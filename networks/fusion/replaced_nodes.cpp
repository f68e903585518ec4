// SPDX-License-Identifier: Apache-2.0
#include "networks/fusion/replaced_nodes.hpp"

#include <functional>
#include <map>
#include <queue>
#include <string>
#include <utility>

#include "sim/base/error.hpp"

namespace ascendsim::networks {
namespace {

/// Of each node, which others read a result of it, and of how many it reads one.
struct Dependencies {
    std::vector<std::set<std::size_t>> readers;
    std::vector<std::size_t> waits;
};

Dependencies dependencies_of(const std::vector<PlannedNode>& nodes) {
    std::map<std::string, std::size_t, std::less<>> makers;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (const std::string& output : nodes[i].outputs) {
            makers[output] = i;
        }
    }
    Dependencies found{.readers = std::vector<std::set<std::size_t>>(nodes.size()),
                       .waits = std::vector<std::size_t>(nodes.size(), 0)};
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (const std::string& input : nodes[i].inputs) {
            const auto maker = makers.find(input);
            if (maker != makers.end() && found.readers[maker->second].insert(i).second) {
                ++found.waits[i];
            }
        }
    }
    return found;
}

/// Sorted so that makers come before readers, and else by `at`.
std::vector<PlannedNode> in_order(std::vector<PlannedNode> nodes, const std::vector<std::size_t>& at) {
    Dependencies left = dependencies_of(nodes);
    using Ready = std::pair<std::size_t, std::size_t>;
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (left.waits[i] == 0) {
            ready.emplace(at[i], i);
        }
    }
    std::vector<PlannedNode> sorted;
    while (!ready.empty()) {
        const std::size_t i = ready.top().second;
        ready.pop();
        for (const std::size_t reader : left.readers[i]) {
            if (--left.waits[reader] == 0) {
                ready.emplace(at[reader], reader);
            }
        }
        sorted.push_back(std::move(nodes[i]));
    }
    check(sorted.size() == nodes.size(), "fused kernels wait for each other");
    return sorted;
}

}  // namespace

std::vector<PlannedNode> replaced_nodes(const std::vector<PlannedNode>& nodes,
                                        const std::set<std::size_t>& gone,
                                        const std::vector<Replacement>& with) {
    std::vector<PlannedNode> all;
    std::vector<std::size_t> at;  // where each stood
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!gone.contains(i)) {
            all.push_back(nodes[i]);
            at.push_back(i);
        }
    }
    for (const Replacement& one : with) {
        all.push_back(one.node);
        at.push_back(one.at);
    }
    return in_order(std::move(all), at);
}

}  // namespace ascendsim::networks
