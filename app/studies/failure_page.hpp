// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/studies/check_run.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::study {

/// A page about a run that failed its checks, which needs nothing from elsewhere: what failed, the timeline
/// (with the baseline's recording: of the region that changed, A over B), the table of causes, and how to
/// look closer. `now` is none if the run did not start.
[[nodiscard]] std::string failure_page(const CheckedRun& run,
                                       const record::Recording* before,
                                       const record::Recording* now,
                                       const std::filesystem::path& recording);

}  // namespace ascendsim::study
