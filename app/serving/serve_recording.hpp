// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "app/serving/serve_report.hpp"

namespace ascendsim::serving {

/// Writes a served load as a recording, a cycle being a nanosecond: a track of each replica's steps, and of
/// its requests as many as are there at a time, each with its wait, its prompt and its output. serve_plots()
/// and figures stand in the metadata. Of very many requests the first are there. Throws UserError if it
/// cannot be written.
void write_serve_recording(const std::filesystem::path& file,
                           const ServeRun& run,
                           const std::vector<Variant>& variants,
                           const std::vector<Variant>& rungs);

}  // namespace ascendsim::serving
