// SPDX-License-Identifier: Apache-2.0
#include "app/training/step_network.hpp"

#include <numeric>

#include <fmt/format.h>

namespace ascendsim::training {

std::vector<std::uint32_t> StepNetwork::ranks_of(std::uint32_t count, std::uint32_t apart) {
    std::vector<std::uint32_t> ranks(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        ranks[i] = i * apart;
    }
    return ranks;
}

double StepNetwork::among_copies(node::CollectiveKind kind, std::uint64_t bytes, bool of_experts) {
    const std::uint32_t sharers = of_experts ? config_.experts : 1;
    const std::uint32_t copies = config_.copies() / sharers;
    if (copies < 2 || bytes == 0) {
        return 0;
    }
    const bool parts = kind == node::CollectiveKind::all_gather ||
                       kind == node::CollectiveKind::reduce_scatter;  // count what one rank holds
    return time_of(
        kind, parts ? (bytes + copies - 1) / copies : bytes, ranks_of(copies, config_.tensor * sharers));
}

double StepNetwork::of(const Exchange& exchange) {
    const std::uint32_t count = exchange.experts ? config_.experts : config_.tensor;
    if (count < 2 || exchange.bytes == 0) {
        return 0;
    }
    if (exchange.kind == node::CollectiveKind::send_receive) {  // with each neighbour at the same time
        return time_of(exchange.kind, exchange.bytes, {0, 1});
    }
    return time_of(exchange.kind, exchange.bytes, ranks_of(count, exchange.experts ? config_.tensor : 1));
}

double StepNetwork::of(const std::vector<Exchange>& exchanges) {
    return std::accumulate(exchanges.begin(), exchanges.end(), 0.0, [this](double sum, const Exchange& one) {
        return sum + of(one);
    });
}

double StepNetwork::to_next_stage(std::uint64_t bytes) {
    return bytes == 0
               ? 0
               : time_of(node::CollectiveKind::send_receive, bytes, {0, config_.copies() * config_.tensor});
}

double StepNetwork::moved_bytes(const Exchange& exchange) const {
    const double count = exchange.experts ? config_.experts : config_.tensor;
    const auto bytes = static_cast<double>(exchange.bytes);
    switch (exchange.kind) {
        case node::CollectiveKind::all_reduce:  // scattered and gathered
            return 2 * 2 * bytes * (count - 1) / count;
        case node::CollectiveKind::all_gather:
            return 2 * bytes * (count - 1);
        case node::CollectiveKind::send_receive:  // to and from both neighbours
            return 2 * 2 * bytes;
        default:
            return 2 * bytes * (count - 1) / count;
    }
}

double StepNetwork::time_of(node::CollectiveKind kind,
                            std::uint64_t bytes,
                            std::vector<std::uint32_t> ranks) {
    const std::string name =
        fmt::format("{} {} {} {}", node::name(kind), ranks.size(), ranks.at(1), ranks.back());
    const auto [place, is_new] = known_.try_emplace({name, bytes}, 0);
    if (is_new) {
        place->second =
            node::collective_us(config_.node, {.kind = kind, .bytes = bytes, .ranks = std::move(ranks)});
    }
    return place->second;
}

}  // namespace ascendsim::training
