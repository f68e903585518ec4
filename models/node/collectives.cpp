// SPDX-License-Identifier: Apache-2.0
#include "models/node/collectives.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "models/node/schedule.hpp"
#include "sim/base/error.hpp"
#include "sim/base/lower_case.hpp"

namespace ascendsim::node {
namespace {

constexpr std::array<std::pair<CollectiveKind, std::string_view>, 8> kind_names{
    {{CollectiveKind::all_reduce, "all_reduce"},
     {CollectiveKind::all_gather, "all_gather"},
     {CollectiveKind::reduce_scatter, "reduce_scatter"},
     {CollectiveKind::all_to_all, "all_to_all"},
     {CollectiveKind::broadcast, "broadcast"},
     {CollectiveKind::send_receive, "send_receive"},
     {CollectiveKind::reduce, "reduce"},
     {CollectiveKind::scatter, "scatter"}}};

void check_call(const Fabric& fabric, const Collective& call) {
    if (call.ranks.size() < 2) {
        throw UserError{"{}: {} ranks; it needs two at least", name(call.kind), call.ranks.size()};
    }
    if (call.bytes == 0) {
        throw UserError{"{}: 0 B; a collective moves one byte at least", name(call.kind)};
    }
    std::vector<std::uint32_t> sorted = call.ranks;
    std::ranges::sort(sorted);
    for (const std::uint32_t rank : sorted) {
        fabric.check_device(rank);
    }
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
        throw UserError{"{}: device {} is named twice", name(call.kind), *twice};
    }
}

/// One step of an algorithm on a link.
struct Step {
    double us = 0;
    double gb_per_s = 0;  // most of one flow; 0: as the link
};

/// Adds the phases of one call. Between two phases, each rank has a list of tasks that it waits for.
class Phases {
public:
    Phases(Fabric& fabric, const Collective& call, const std::vector<std::vector<TaskId>>& after)
        : fabric_{fabric}, spec_{fabric.spec().collective}, call_{call} {
        for (std::size_t i = 0; i < call.ranks.size(); ++i) {
            const std::uint32_t rank = call.ranks[i];
            ready_[rank] = i < after.size() ? after[i] : std::vector<TaskId>{};
            lanes_[rank] = fabric.graph().add_lane({fmt::format("{} of device {}", name(call.kind), rank)});
        }
    }

    /// Each rank copies its input to the library's buffer; what no transfer hides.
    void stage(std::uint64_t bytes) {
        if (!(spec_.staging_gb_per_s > 0)) {
            return;
        }
        const auto slice = static_cast<double>(std::min(bytes, spec_.staging_bytes));
        for (auto& [rank, ready] : ready_) {
            ready = {task(rank, slice / spec_.staging_gb_per_s / 1e3, {}, ready)};
        }
    }

    /// Neighbour to neighbour, one chunk less than there are ranks.
    void ring(const std::vector<std::uint32_t>& ranks, std::uint64_t chunk, Step step) {
        const std::size_t n = ranks.size();
        std::vector<TaskId> before(n);
        for (std::size_t round = 0; round + 1 < n; ++round) {
            std::vector<TaskId> sent(n);
            for (std::size_t i = 0; i < n; ++i) {
                const std::uint32_t next = ranks[(i + 1) % n];
                std::vector<TaskId> after = ready_[ranks[i]];
                if (round > 0) {
                    after = {before[i], before[(i + n - 1) % n]};
                } else {
                    after.insert(after.end(), ready_[next].begin(), ready_[next].end());
                }
                sent[i] = transfer(ranks[i], next, chunk, step, after);
            }
            before = std::move(sent);
        }
        for (std::size_t i = 0; i < n; ++i) {
            ready_[ranks[i]] = {before[i], before[(i + n - 1) % n]};
        }
    }

    /// Everyone in `from` to everyone else at the same time.
    void exchange(const std::vector<std::uint32_t>& from,
                  const std::vector<std::uint32_t>& to,
                  std::uint64_t chunk,
                  Step step) {
        std::map<std::uint32_t, std::vector<TaskId>> arrived;
        for (const std::uint32_t source : from) {
            for (const std::uint32_t destination : to) {
                if (source != destination) {
                    const LaneId lane = fabric_.graph().add_lane({"exchange"});
                    std::vector<TaskId> after = ready_[source];
                    after.insert(after.end(), ready_[destination].begin(), ready_[destination].end());
                    arrived[destination].push_back(
                        fabric_.graph().add(lane, sending(source, destination, chunk, step), after));
                    arrived[source].push_back(arrived[destination].back());
                }
            }
        }
        for (auto& [rank, tasks] : arrived) {
            ready_[rank] = {task(rank, 0, {}, tasks)};
        }
    }

    /// Pairs at twice the distance in each step; chunks halve (`halving`) or double.
    void halving_doubling(const std::vector<std::uint32_t>& ranks,
                          std::uint64_t bytes,
                          bool halving,
                          Step step) {
        const std::size_t n = ranks.size();
        for (std::size_t width = 1; width < n; width *= 2) {
            const std::size_t distance = halving ? n / 2 / width : width;
            const std::uint64_t chunk = std::max<std::uint64_t>(1, bytes * distance / n);
            std::map<std::uint32_t, std::vector<TaskId>> next;
            for (std::size_t i = 0; i < n; ++i) {
                const std::uint32_t partner = ranks[i ^ distance];
                std::vector<TaskId> after = ready_[ranks[i]];
                after.insert(after.end(), ready_[partner].begin(), ready_[partner].end());
                const TaskId sent = transfer(ranks[i], partner, chunk, step, after);
                next[ranks[i]].push_back(sent);
                next[partner].push_back(sent);
            }
            for (auto& [rank, tasks] : next) {
                ready_[rank] = std::move(tasks);
            }
        }
    }

    [[nodiscard]] TaskId result(std::uint32_t rank) { return task(rank, 0, {}, ready_[rank]); }

private:
    TaskId task(std::uint32_t rank, double us, Flow flow, const std::vector<TaskId>& after) {
        const Task task{.name = std::string{name(call_.kind)},
                        .kind = TaskKind::communication,
                        .us = us,
                        .flow = std::move(flow)};
        return fabric_.graph().add(lanes_[rank], task, after);
    }

    [[nodiscard]] Task sending(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Step step) {
        return {.name = std::string{name(call_.kind)},
                .kind = TaskKind::communication,
                .us = step.us,
                .flow = {bytes, fabric_.route(from, to), step.gb_per_s}};
    }

    TaskId transfer(std::uint32_t from,
                    std::uint32_t to,
                    std::uint64_t bytes,
                    Step step,
                    const std::vector<TaskId>& after) {
        return fabric_.graph().add(lanes_[from], sending(from, to, bytes, step), after);
    }

    Fabric& fabric_;
    const CollectiveSpec& spec_;
    const Collective& call_;
    std::map<std::uint32_t, std::vector<TaskId>> ready_;
    std::map<std::uint32_t, LaneId> lanes_;
};

/// A call, taken apart into phases within servers and between them.
class Composer {
public:
    Composer(Fabric& fabric, const Collective& call, const std::vector<std::vector<TaskId>>& after)
        : spec_{fabric.spec().collective},
          call_{call},
          algorithm_{algorithm_of(fabric.spec(), call)},
          phases_{fabric, call, after} {
        for (const std::uint32_t rank : call.ranks) {
            servers_[fabric.server_of(rank)].push_back(rank);
        }
        for (const auto& [server, ranks] : servers_) {
            check_even(fabric, server, ranks.size());
            columns_.resize(ranks.size());
            for (std::size_t i = 0; i < ranks.size(); ++i) {
                columns_[i].push_back(ranks[i]);
            }
        }
    }

    std::vector<TaskId> compose() {
        const std::uint64_t ranks = call_.ranks.size();
        const std::uint64_t share = std::max<std::uint64_t>(1, call_.bytes / ranks);
        if (algorithm_ != Algorithm::direct) {
            phases_.stage(call_.bytes);
        }
        switch (call_.kind) {
            case CollectiveKind::all_reduce:
                reduce_scatter(share);
                all_gather(share);
                break;
            case CollectiveKind::all_gather:
                all_gather(call_.bytes);
                break;
            case CollectiveKind::reduce_scatter:
                reduce_scatter(call_.bytes);
                break;
            case CollectiveKind::all_to_all:
                phases_.exchange(call_.ranks, call_.ranks, share, step(false));
                break;
            case CollectiveKind::broadcast:
                phases_.exchange({call_.ranks.front()}, call_.ranks, share, step(false));
                all_gather(share);
                break;
            case CollectiveKind::send_receive:
                phases_.exchange({call_.ranks[0]}, {call_.ranks[1]}, call_.bytes, step(false));
                break;
            case CollectiveKind::reduce:  // each adds up its share, and the root gathers them
                reduce_scatter(share);
                phases_.exchange(call_.ranks, {call_.ranks.front()}, share, step(false));
                break;
            case CollectiveKind::scatter:
                phases_.exchange({call_.ranks.front()}, call_.ranks, call_.bytes, step(false));
                break;
        }
        std::vector<TaskId> results;
        for (const std::uint32_t rank : call_.ranks) {
            results.push_back(phases_.result(rank));
        }
        return results;
    }

private:
    void check_even(const Fabric& fabric, std::uint32_t server, std::size_t ranks) const {
        const std::size_t others = servers_.begin()->second.size();
        if (ranks != others) {
            throw UserError{
                "{}: {} ranks are on server {} of {}, {} on server {}; the hierarchical algorithm "
                "wants as many on each",
                name(call_.kind),
                ranks,
                server,
                fabric.spec().name,
                others,
                servers_.begin()->first};
        }
    }

    [[nodiscard]] Step step(bool reduces) const {
        const double others = static_cast<double>(columns_.size()) - 1;
        if (algorithm_ == Algorithm::direct) {
            return {spec_.direct_us, others > 0 ? spec_.direct_gb_per_s / others : spec_.direct_gb_per_s};
        }
        const bool slower = reduces && spec_.reduce_gb_per_s > 0;
        return {spec_.step_us + (reduces ? spec_.reduce_step_us : 0),
                slower ? spec_.reduce_gb_per_s : spec_.gb_per_s};
    }

    /// Every rank of a server gets the chunks of all others, or adds up its own chunk from them.
    void within(std::uint64_t chunk, bool reduces) {
        for (const auto& [server, ranks] : servers_) {
            if (ranks.size() < 2) {
                continue;
            }
            if (algorithm_ == Algorithm::ring) {
                phases_.ring(ranks, chunk, step(reduces));
            } else {
                phases_.exchange(ranks, ranks, chunk, step(reduces));
            }
        }
    }

    /// The same between servers, among the ranks of one place in each.
    void between(std::uint64_t chunk, bool reduces) {
        const std::size_t servers = servers_.size();
        if (servers < 2) {
            return;
        }
        const Step step{.us = spec_.server_step_us + (reduces ? spec_.reduce_step_us : 0)};
        for (const std::vector<std::uint32_t>& ranks : columns_) {
            if (std::has_single_bit(servers)) {
                phases_.halving_doubling(ranks, chunk * servers, reduces, step);
            } else {
                phases_.ring(ranks, chunk, step);
            }
        }
    }

    void all_gather(std::uint64_t chunk) {
        between(chunk, false);
        within(chunk * servers_.size(), false);
    }

    void reduce_scatter(std::uint64_t chunk) {
        within(chunk * servers_.size(), true);
        between(chunk, true);
    }

    const CollectiveSpec& spec_;
    const Collective& call_;
    Algorithm algorithm_;
    Phases phases_;
    std::map<std::uint32_t, std::vector<std::uint32_t>> servers_;
    std::vector<std::vector<std::uint32_t>> columns_;
};

}  // namespace

std::string_view name(CollectiveKind kind) {
    return kind_names[static_cast<std::size_t>(kind)].second;
}

std::string_view name(Algorithm algorithm) {
    constexpr std::array<std::string_view, 3> names{"direct", "mesh", "ring"};
    return names[static_cast<std::size_t>(algorithm)];
}

std::optional<CollectiveKind> collective_kind(std::string_view name) {
    const auto plain = [](std::string_view text) {
        std::string result = lower(text);
        std::erase_if(result, [](char c) { return c == '_' || c == '-' || c == ' '; });
        return result;
    };
    for (const auto& [kind, known] : kind_names) {
        if (plain(known) == plain(name)) {
            return kind;
        }
    }
    return std::nullopt;
}

Algorithm algorithm_of(const NodeSpec& node, const Collective& call) {
    if (call.algorithm) {
        return *call.algorithm;
    }
    const bool one_server = std::ranges::all_of(call.ranks, [&](std::uint32_t rank) {
        return rank / node.devices.per_server == call.ranks.front() / node.devices.per_server;
    });
    if (one_server && node.collective.direct_gb_per_s > 0 && call.bytes <= node.collective.direct_bytes) {
        return Algorithm::direct;
    }
    return node.links.pair_gb_per_s > 0 ? Algorithm::mesh : Algorithm::ring;
}

std::vector<TaskId> add_collective(Fabric& fabric,
                                   const Collective& call,
                                   const std::vector<std::vector<TaskId>>& after) {
    check_call(fabric, call);
    if (call.algorithm == Algorithm::direct && !(fabric.spec().collective.direct_gb_per_s > 0)) {
        throw UserError{"{}: {} has no direct protocol", name(call.kind), fabric.spec().name};
    }
    return Composer{fabric, call, after}.compose();
}

double collective_us(const NodeSpec& node, const Collective& call) {
    TaskGraph graph;
    Fabric fabric{node, graph};
    (void)add_collective(fabric, call);
    return microseconds(run(graph).length);
}

}  // namespace ascendsim::node
