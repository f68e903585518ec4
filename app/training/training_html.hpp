// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/training/training_text.hpp"

namespace ascendsim::training {

/// One page: figures, parts of the step, what each stage does when, memory over the step, scaling, the
/// ladder.
[[nodiscard]] std::string training_html(const TrainingConfig& config,
                                        const TrainingFigures& figures,
                                        const std::vector<ClimbedRung>& ladder);

}  // namespace ascendsim::training
