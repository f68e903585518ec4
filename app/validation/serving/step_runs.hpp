// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "app/serving/serve_figures.hpp"
#include "app/validation/serving/served_row.hpp"
#include "networks/run/run_tasks.hpp"

namespace ascendsim::validation {

/// Loads and kernels of steps that rows ask for. Rows of the same load share it.
class StepRuns {
public:
    /// Both must outlive it.
    StepRuns(const toolchain::Installation& installation, const networks::TaskOptions& options)
        : installation_{installation}, options_{options} {}

    /// The figures of a load, from the text of its file. Throws UserError if it cannot be served.
    [[nodiscard]] const serving::ServeFigures& figures(const std::string& file);

    /// The time of one kernel of a step, in us. Throws UserError if the step has none of that name.
    [[nodiscard]] double kernel_us(const StepKernelCase& kernel);

    /// The sum of the kernels' times for a prompt of so many tokens, in us: of the whole step, or of one
    /// layer.
    [[nodiscard]] double prompt_us(const std::string& file, std::uint64_t tokens, bool one_layer);

private:
    const toolchain::Installation& installation_;
    const networks::TaskOptions& options_;
    std::map<std::string, serving::ServeFigures> figures_;
};

}  // namespace ascendsim::validation
