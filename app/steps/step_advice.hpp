// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/steps/step_program.hpp"

namespace ascendsim::steps {

/// A change of a step, and what the step takes with it: it was scheduled anew.
struct StepAdvice {
    std::string text;    // "capture the kernels in a graph"
    std::string change;  // what to write in the step's file
    std::string place;   // file and line of the task that it is about; empty: of many
    double step_us = 0;  // with the change
    double gain = 0;     // share of the step that it saves
};

/// Changes that make the step shorter, those that save most first. Each is tried alone by scheduling the
/// changed step.
[[nodiscard]] std::vector<StepAdvice> step_advice(const StepProgram& program, double step_us);

}  // namespace ascendsim::steps
