// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/analysis/advice/advice.hpp"
#include "app/studies/batch.hpp"

namespace ascendsim::study {

/// What [tune] of a run's scenario offers to be tried: one advice for each path, with the values next to the
/// one that the run has. Of a kernel of one's own nothing else tells which values may be changed. Paths that
/// `advice` tries already are left out; none of a scenario without [tune].
[[nodiscard]] std::vector<analysis::Advice> advice_of_tune(const BatchRun& run,
                                                           const std::vector<analysis::Advice>& advice);

}  // namespace ascendsim::study
