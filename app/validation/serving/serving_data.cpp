// SPDX-License-Identifier: Apache-2.0
#include "app/validation/serving/served_row.hpp"

namespace ascendsim::validation {

ServingData read_serving_data(const toolchain::Installation& installation) {
    const std::filesystem::path measurements = installation.measurements();
    return {.names = ModelNames{installation.scenarios() / "serving" / "models" / "names.toml"},
            .nightly = read_nightly_runs(measurements / "nightly.toml"),
            .drafts = read_drafts(measurements / "drafts.toml"),
            .statements = read_statements(measurements / "statements.toml")};
}

}  // namespace ascendsim::validation
