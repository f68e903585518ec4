// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "app/analysis/blame/critical_path.hpp"

namespace ascendsim::study {

/// The resource of resources() whose speed decides what a cause costs; empty for one that no resource stands
/// for, as work that is shared unevenly.
[[nodiscard]] std::string_view resource_of(const analysis::Root& cause);

/// The cause that stands for a resource, without cycles; of kind `other` for a resource that no change of a
/// kernel helps against: the launch, the depth of queues.
[[nodiscard]] analysis::Root cause_of(std::string_view resource);

}  // namespace ascendsim::study
