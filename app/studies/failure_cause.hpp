// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/studies/check_run.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::study {

/// The most likely cause of a failure: what ended a run that broke off; the place of a hazard; of a figure
/// that is beyond its limit, against a baseline the line whose cycles grew most, else where most of the
/// critical path is spent. Lines of the kernel framework give way to the
/// kernel's that called them. `before` and `now` may be null.
[[nodiscard]] FailureCause cause_of_failure(const CheckedRun& run,
                                            const record::Recording* before,
                                            const record::Recording* now);

}  // namespace ascendsim::study
