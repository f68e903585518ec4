// SPDX-License-Identifier: Apache-2.0
#include "app/steps/kernel_times.hpp"

#include <map>

#include "app/networks/network_energy.hpp"
#include "models/spec/chip_file.hpp"
#include "sim/base/error.hpp"
#include "sim/config/fields.hpp"

namespace ascendsim::steps {
namespace {

/// The tasks of one chip, in the order of the programs.
struct ChipTasks {
    std::vector<networks::Task> tasks;
    std::vector<StepTask*> of;
};

}  // namespace

networks::Task timed_task(const StepTask& task) {
    networks::Task run;
    run.kernel = task.kernel;
    run.knobs = task.knobs;
    return run;
}

void time_kernels(std::vector<StepProgram>& programs,
                  const toolchain::Installation& installation,
                  const networks::TaskOptions& options) {
    std::map<std::string, ChipTasks> chips;
    for (StepProgram& program : programs) {
        PowerSpec power = open_chip(program.chip, installation.chips()).power;
        program.power = ascendsim::to_json(fields_of(power));
        for (StepTask& task : program.tasks) {
            if (task.kernel.empty()) {
                continue;
            }
            ChipTasks& chip = chips[program.chip];
            chip.tasks.push_back(timed_task(task));
            chip.of.push_back(&task);
        }
    }
    for (auto& [name, chip] : chips) {
        const ChipFile file = open_chip(name, installation.chips());
        const std::vector<networks::TaskResult> results =
            networks::run_tasks(chip.tasks, file.spec, installation, options);
        for (std::size_t i = 0; i < results.size(); ++i) {
            if (!results[i].error.empty()) {
                throw UserError{"{}: task '{}': {}", chip.of[i]->place, chip.of[i]->name, results[i].error};
            }
            chip.of[i]->us = results[i].time_us;
            chip.of[i]->use = report::energy_use(results[i]);
            chip.of[i]->problem = results[i].problem;
        }
    }
}

}  // namespace ascendsim::steps
