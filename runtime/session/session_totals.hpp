// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "models/core/machine.hpp"
#include "models/sanitize/launch_checkers.hpp"
#include "runtime/session/session.hpp"

namespace ascendsim::runtime {

/// A recording's totals. Time is that of the executions reported: from the start of the first to the end of
/// the last, per execution. `flops` of one execution.
[[nodiscard]] nlohmann::json totals_json(const MachineTotals& totals,
                                         const ChipSpec& chip,
                                         const nlohmann::json& executions,
                                         double flops);

/// What the compiler's automatic synchronisation came to, as in `auto_sync` of a recording's totals:
/// {barriers, flags, spare, cycles, repeated, places: [{file, line, from, to, count, spare, cycles}]}, the
/// most expensive places first, 200 at most.
[[nodiscard]] nlohmann::json inserted_json(const MachineTotals& totals);

/// Ends the checker's watch, if there was one, and puts all its findings into `totals`; those that are errors
/// also into `outcome`, as one text. Errors that are allowed have the severity "allowed" and the reason as
/// `why`; allowances that allowed nothing are `unused_allowances`.
void report_hazards(sanitize::LaunchCheckers* checker,
                    const std::vector<Allowance>& allowed,
                    SessionOutcome& outcome,
                    nlohmann::json& totals);

}  // namespace ascendsim::runtime
