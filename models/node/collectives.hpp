// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/node/fabric.hpp"

namespace ascendsim::node {

enum class CollectiveKind : std::uint8_t {
    all_reduce,
    all_gather,
    reduce_scatter,
    all_to_all,
    broadcast,
    send_receive,
    reduce,
    scatter,
};

/// How the ranks of one server exchange: `direct`, every device writes to all others in one kernel; `mesh`,
/// the copy engines do; `ring`, neighbour to neighbour. Between servers it is halving and doubling where
/// their number is a power of two, else a ring.
enum class Algorithm : std::uint8_t { direct, mesh, ring };

/// The kind of that name ("all_reduce"; any case, with or without underscores), if there is one.
[[nodiscard]] std::optional<CollectiveKind> collective_kind(std::string_view name);
[[nodiscard]] std::string_view name(CollectiveKind kind);
[[nodiscard]] std::string_view name(Algorithm algorithm);

/// One call of a collective.
struct Collective {
    CollectiveKind kind = CollectiveKind::all_reduce;
    /// What the call counts: the input of a rank, of reduce_scatter and scatter its output. The first of
    /// `ranks` is the root of broadcast, reduce and scatter, and the sender of send_receive.
    std::uint64_t bytes = 0;
    std::vector<std::uint32_t> ranks;         // devices
    std::optional<Algorithm> algorithm = {};  // nothing: what the library takes
};

/// What the library takes for the call on this machine.
[[nodiscard]] Algorithm algorithm_of(const NodeSpec& node, const Collective& call);

/// Adds the tasks and flows of a call to the graph of `fabric`. Rank i begins after `after[i]` (none: at
/// once). Returns for each rank the task at whose end it has its result. Throws UserError for ranks that are
/// not there, doubled, or fewer than two, and for no bytes.
std::vector<TaskId> add_collective(Fabric& fabric,
                                   const Collective& call,
                                   const std::vector<std::vector<TaskId>>& after = {});

/// Time of a call with nothing beside it and all ranks at its start.
[[nodiscard]] double collective_us(const NodeSpec& node, const Collective& call);

}  // namespace ascendsim::node
