// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/session/session.hpp"

namespace ascendsim::runtime {

/// The launches of a plan on several devices, and collectives between them. The request and the run must
/// outlive it.
[[nodiscard]] std::unique_ptr<Work> make_ranked_work(const RunRequest& request,
                                                     const RankedRun& run,
                                                     const toolchain::Installation& installation);

}  // namespace ascendsim::runtime
