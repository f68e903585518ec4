// SPDX-License-Identifier: Apache-2.0
#include "app/validation/networks/kernel_launches.hpp"

#include <optional>

#include <fmt/format.h>

#include "app/validation/row.hpp"
#include "app/validation/validation.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::validation {
namespace {

/// Operators inside a network, by what sources.toml says of a profiler's list of kernels. How often each ran
/// is not told: between two runs stand some fifty other kernels, and a core's cache does not hold the code of
/// all.
Measurement measurement_of(const StatedLaunch& launch, const std::string& chip, std::size_t number) {
    return {.id = fmt::format("LAUNCHES-{}", number),
            .source = "kernel_details",
            .chip = chip,
            .kernel = launch.kernel,
            .shape = launch.shape,
            .dtype = launch.dtype,
            .metric = "task_duration",
            .value = 1,  // a time; nothing is compared with it
            .unit = "us",
            .cores = "n/s",
            .notes = launch.notes,
            .reliability = "high",
            .place = "statements.toml"};
}

}  // namespace

KernelSum mean_of_launches(const std::vector<StatedLaunch>& launches,
                           const SystemRow& row,
                           const toolchain::Installation& installation,
                           std::size_t jobs) {
    const std::optional<StatedChip> chip = stated_chip(row);
    if (!chip) {
        throw UserError{"no chip of this name is described"};
    }
    std::vector<Measurement> measurements;
    double all = 0;
    for (const StatedLaunch& launch : launches) {
        measurements.push_back(measurement_of(launch, chip->chip, measurements.size() + 1));
        all += launch.count;
    }
    ValidationOptions options;
    options.jobs = jobs;
    const std::vector<JudgedRow> judged = validate_rows(measurements, options, installation);
    KernelSum mean;
    for (std::size_t i = 0; i < judged.size(); ++i) {
        const JudgedRow& one = judged[i];
        if (!one.simulated_us) {
            throw UserError{"{} of {}: {}", launches[i].kernel, launches[i].shape, one.why_not};
        }
        mean.us += *one.simulated_us * launches[i].count / all;
        mean.parts.push_back(fmt::format("{} {}: {:.0f} of {:.2f} us; {}",
                                         launches[i].kernel,
                                         launches[i].shape,
                                         launches[i].count,
                                         *one.simulated_us,
                                         one.cause));
    }
    return mean;
}

StatedLaunch launch_in(const SystemRow& row) {
    StatedLaunch launch{
        .count = 1, .kernel = row.workload, .shape = row.shape, .dtype = "fp16", .notes = row.notes};
    std::string word;
    for (const char letter : lower(row.workload + " " + row.shape) + " ") {
        if ((letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9')) {
            word += letter;
            continue;
        }
        if (type_named(word)) {
            launch.dtype = word;
            break;
        }
        word.clear();
    }
    return launch;
}

}  // namespace ascendsim::validation
