// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "app/analysis/advice/advice.hpp"
#include "app/analysis/blame/critical_path.hpp"

namespace ascendsim::study {

/// The resource of resources() whose speed decides what a cause costs; empty for one that no resource stands
/// for, as work that is shared unevenly.
[[nodiscard]] std::string_view resource_of(const analysis::Root& cause);

/// The cause that stands for a resource, without cycles; of kind `other` for a resource that no change of a
/// kernel helps against: the launch, the depth of queues.
[[nodiscard]] analysis::Root cause_of(std::string_view resource);

/// True if an advice speaks of a part of the work of a unit whose rate is `resource`, as of its bank
/// conflicts: the cause is told, in parts of which none is all of it.
[[nodiscard]] bool tells_a_part_of(const analysis::Advice& advice, std::string_view resource);

/// True if the runs without two resources take away a cost of the chip that both have, as the fill of the
/// vector unit, which is latency and what a new mask costs.
[[nodiscard]] bool share_a_cost(std::string_view one, std::string_view other);

}  // namespace ascendsim::study
