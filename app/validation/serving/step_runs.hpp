// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/serving/serve_config.hpp"
#include "app/serving/serve_figures.hpp"
#include "app/validation/serving/served_row.hpp"
#include "app/validation/serving/source_statement.hpp"
#include "networks/llm/step_costs.hpp"
#include "networks/run/run_tasks.hpp"

namespace ascendsim::validation {

/// The time of kernels, and how it is made up.
struct KernelSum {
    double us = 0;
    std::vector<std::string> parts;  // the longest kernels, for people
};

/// A kernel for people: "SwiGlu: 5.20 us, of which 2.10 launch; aiv_vector 41 %".
[[nodiscard]] std::string kernel_text(const std::string& name, const networks::TaskResult& result);

/// Loads and kernels of steps that rows ask for. Rows of the same load share it.
class StepRuns {
public:
    /// Both must outlive it. `first_task_us` is added to the start of each core of a kernel, in us: of
    /// kernels that are launched one by one, none is on the cores yet (sources.toml).
    StepRuns(const toolchain::Installation& installation,
             const networks::TaskOptions& options,
             double first_task_us = 0)
        : installation_{installation}, options_{options}, first_task_us_{first_task_us} {}

    /// Serves loads, from the texts of their files, beside each other: kernels of all are simulated together.
    /// Texts of which there are figures already are left out, and what is wrong with one is told by
    /// figures().
    void serve(const std::vector<std::string>& files);

    /// The figures of a load, from the text of its file. Throws UserError if it cannot be served.
    [[nodiscard]] const serving::ServeFigures& figures(const std::string& file);

    /// The time of one kernel of a step, or the mean of those that are meant. Throws UserError if the step
    /// has none of that name.
    [[nodiscard]] KernelSum kernel_us(const StepKernelCase& kernel);

    /// The sum of the kernels' times of these passes, in us: of whole steps, or of one layer of each; of
    /// those named in `kernels` once each, if there are any.
    [[nodiscard]] KernelSum passes_us(const std::string& file,
                                      const std::vector<WindowPass>& passes,
                                      bool one_layer,
                                      const std::vector<std::string>& kernels = {});

private:
    /// Puts the times of so many rows where operators depend on rows: of all, or of those called `name`.
    void of_rows(std::vector<double>& us,
                 networks::llm::StepCosts& costs,
                 std::uint64_t rows,
                 const std::string& name = {}) const;

    /// Puts the times of attention whose batch is filled up: its kernel is the one of the whole batch, and
    /// the sequences that decode are all that it works on.
    void of_batch(std::vector<double>& us,
                  const networks::llm::StepProgram& program,
                  const ChipSpec& chip,
                  const WindowPass& pass) const;
    [[nodiscard]] serving::ServeConfig config_of(const std::string& file) const;

    const toolchain::Installation& installation_;
    const networks::TaskOptions& options_;
    double first_task_us_;
    std::map<std::string, serving::ServeFigures> figures_;
    std::map<std::string, std::string> problems_;  // of loads that cannot be served
};

}  // namespace ascendsim::validation
