// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/analysis/advice/explain.hpp"
#include "app/studies/batch.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::study {

/// Runs what advice recommends, each setting by itself, if that is cheap: the scenario is still
/// where the recording says, its run is of few instructions, and running it again gives the same cycles. What
/// gained stands first then, and what lost last. Otherwise no advice has a trial, and what it says stays an
/// estimate.
void try_advice(analysis::Explanation& explanation,
                const record::Recording& recording,
                const toolchain::Installation& installation,
                const BatchOptions& options);

}  // namespace ascendsim::study
