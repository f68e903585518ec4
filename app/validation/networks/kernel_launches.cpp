// SPDX-License-Identifier: Apache-2.0
#include "app/validation/networks/kernel_launches.hpp"

#include <optional>

#include <fmt/format.h>

#include "app/validation/row.hpp"
#include "app/validation/serving/single_launches.hpp"
#include "app/validation/validation.hpp"
#include "sim/base/error.hpp"
#include "sim/base/lower_case.hpp"

namespace ascendsim::validation {
namespace {

/// Operators inside a network, by what sources.toml says of a profiler's list of kernels. How often each ran
/// is not told: between two runs stand some fifty other kernels, and a core's cache does not hold the code of
/// all. Of kernels that are launched one by one, no core has this one yet.
Measurement measurement_of(const StatedLaunch& launch,
                           const std::string& chip,
                           std::size_t number,
                           bool one_by_one) {
    return {.id = fmt::format("LAUNCHES-{}", number),
            .source = one_by_one ? single_launches : "kernel_details",
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

/// Each launch as a row of measurements.csv would be run. Throws UserError if the row's chip is not
/// described.
std::vector<JudgedRow> judged_launches(const std::vector<StatedLaunch>& launches,
                                       const SystemRow& row,
                                       const toolchain::Installation& installation,
                                       std::size_t jobs) {
    const std::optional<StatedChip> chip = stated_chip(row);
    if (!chip) {
        throw UserError{"no chip of this name is described"};
    }
    std::vector<Measurement> measurements;
    measurements.reserve(launches.size());
    for (const StatedLaunch& launch : launches) {
        measurements.push_back(
            measurement_of(launch, chip->chip, measurements.size() + 1, launched_one_by_one(row)));
    }
    ValidationOptions options;
    options.jobs = jobs;
    return validate_rows(measurements, options, installation);
}

std::string launch_text(const StatedLaunch& launch, const JudgedRow& judged) {
    return fmt::format("{} {}: {:.0f} of {:.2f} us; {}",
                       launch.kernel,
                       launch.shape,
                       launch.count,
                       judged.simulated_us.value_or(0),
                       judged.cause);
}

}  // namespace

KernelSum mean_of_launches(const std::vector<StatedLaunch>& launches,
                           const SystemRow& row,
                           const toolchain::Installation& installation,
                           std::size_t jobs) {
    double all = 0;
    for (const StatedLaunch& launch : launches) {
        all += launch.count;
    }
    const std::vector<JudgedRow> judged = judged_launches(launches, row, installation, jobs);
    KernelSum mean;
    for (std::size_t i = 0; i < judged.size(); ++i) {
        if (!judged[i].simulated_us) {
            throw UserError{"{} of {}: {}", launches[i].kernel, launches[i].shape, judged[i].why_not};
        }
        mean.us += *judged[i].simulated_us * launches[i].count / all;
        mean.parts.push_back(launch_text(launches[i], judged[i]));
    }
    return mean;
}

LaunchesSum sum_of_launches(const std::vector<StatedLaunch>& launches,
                            const SystemRow& row,
                            const toolchain::Installation& installation,
                            std::size_t jobs) {
    const std::vector<JudgedRow> judged = judged_launches(launches, row, installation, jobs);
    LaunchesSum sum;
    for (std::size_t i = 0; i < judged.size(); ++i) {
        if (!judged[i].simulated_us) {
            sum.left_out.push_back(fmt::format("{} {}", launches[i].kernel, launches[i].shape));
            continue;
        }
        sum.kernels.us += *judged[i].simulated_us * launches[i].count;
        sum.kernels.parts.push_back(launch_text(launches[i], judged[i]));
    }
    return sum;
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
