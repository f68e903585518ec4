// SPDX-License-Identifier: Apache-2.0
// Rows of collectives.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "app/validation/system/system_answer.hpp"
#include "models/node/collectives.hpp"
#include "sim/base/lower_case.hpp"

namespace ascendsim::validation {
namespace {

std::optional<node::CollectiveKind> collective_of(const SystemRow& row) {
    std::string words = lower(row.workload);
    std::ranges::replace_if(
        words, [](char c) { return c == '_' || c == '-'; }, ' ');
    std::erase(words, ' ');
    using node::CollectiveKind;
    for (const CollectiveKind kind : {CollectiveKind::all_reduce,
                                      CollectiveKind::all_gather,
                                      CollectiveKind::reduce_scatter,
                                      CollectiveKind::all_to_all,
                                      CollectiveKind::broadcast}) {
        std::string plain{node::name(kind)};
        std::erase(plain, '_');
        if (words.find(plain) != std::string::npos) {
            return kind;
        }
    }
    return std::nullopt;
}

/// The size a row states, or that of a decode step's hidden states: "c4" with "hidden 5120 bf16 x batch".
std::optional<std::uint64_t> collective_bytes(const SystemRow& row) {
    if (const std::optional<std::uint64_t> bytes = bytes_in(row.shape)) {
        return bytes;
    }
    const std::optional<std::uint64_t> hidden = number_after(row.notes, "hidden");
    const std::optional<std::uint64_t> batch = number_after(row.shape, "c");
    if (!hidden || !batch) {
        return std::nullopt;
    }
    constexpr std::uint64_t bf16_bytes = 2;
    return *hidden * *batch * bf16_bytes;
}

/// What a collective takes longer within a model than in a benchmark: ranks arrive at different times.
/// S26: 14.6 us for 16 dies, 1.2 us for 8. A ring of many steps hides it: the same report shows none at 3.8
/// MB.
double arrival_us(const SystemRow& row, std::size_t ranks, node::Algorithm algorithm) {
    if (!row.says("in-model") || algorithm != node::Algorithm::direct) {
        return 0;
    }
    return ranks > 8 ? 14.6 : 1.2;
}

}  // namespace

SystemAnswer collective_answer(const SystemRow& row, const SystemContext& context) {
    if (row.says("extra time")) {
        return WhyNot{"a difference of two measurements, of no stated size"};
    }
    const std::string name = machine_of(row);
    const std::optional<node::CollectiveKind> kind = collective_of(row);
    if (name.empty() || !kind) {
        return WhyNot{name.empty() ? "no machine of this chip is described" : "the collective is not stated"};
    }
    const std::optional<std::uint64_t> bytes = collective_bytes(row);
    const std::optional<std::uint64_t> count = number_in(row.devices);
    const node::NodeSpec machine = context.machine(name);
    if (!bytes || !count || *count < 2 || *count > machine.size()) {
        return WhyNot{!bytes ? "its size is not stated"
                             : "its ranks are not stated, or more than the machine has"};
    }
    node::Collective call{.kind = *kind, .bytes = *bytes, .ranks = std::vector<std::uint32_t>(*count)};
    std::iota(call.ranks.begin(), call.ranks.end(), 0U);
    const node::Algorithm algorithm = node::algorithm_of(machine, call);
    const double us = node::collective_us(machine, call) + arrival_us(row, call.ranks.size(), algorithm);
    return in_unit_of(
        row,
        us,
        static_cast<double>(*bytes),
        fmt::format("{}: {} of {} B, {} devices", machine.name, node::name(algorithm), *bytes, *count));
}

}  // namespace ascendsim::validation
