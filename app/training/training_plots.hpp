// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "app/analysis/machine/recorded_plots.hpp"
#include "app/training/training_text.hpp"

namespace ascendsim::training {

/// Memory over the step by kind, parts of the step, scaling, modes of inputs, and rungs of a ladder: for
/// pages and recordings.
[[nodiscard]] std::vector<analysis::RecordedPlot> training_plots(const TrainingConfig& config,
                                                                 const TrainingFigures& figures,
                                                                 const std::vector<ClimbedRung>& ladder);

/// Writes a step of training as a recording, a cycle being a nanosecond: tracks of each stage's device, its
/// network and its sends. training_plots() and figures stand in the metadata. Throws UserError if it cannot
/// be written.
void write_training_recording(const std::filesystem::path& file,
                              const TrainingConfig& config,
                              const TrainingFigures& figures,
                              const std::vector<ClimbedRung>& ladder);

}  // namespace ascendsim::training
