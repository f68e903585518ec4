// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/record/recording.hpp"

namespace ascendsim::analysis {

/// Time for one reason.
struct StepShare {
    std::string what;
    double us = 0;
    std::string place{};  // file and line of the task to blame; empty: there is none
};

/// Where the step of one rank went.
struct StepRank {
    std::vector<StepShare> parts;    // largest first
    std::vector<StepShare> bubbles;  // free time by cause, largest first
};

/// The four times of a task, of one call on average over ranks.
struct StepTaskTimes {
    std::string name;
    std::string problem;  // as the kernel states it
    std::uint64_t calls = 0;
    double device_us = 0;       // alone on the device
    double contended_us = 0;    // as it ran, beside others
    double with_launch_us = 0;  // from the host's call to its end
    double critical_us = 0;     // on the critical path, all calls
};

/// What would make the step shorter, as it was tried.
struct StepTrial {
    std::string text;
    std::string change;
    std::string place;
    double step_us = 0;
    double gain = 0;  // share of the step
};

/// What a recorded step says of itself.
struct RecordedStep {
    bool program = false;  // a host program, whose ranks are devices; its kernels are in the recording, too
    std::string node;
    std::string host;
    double step_us = 0;
    std::vector<StepRank> ranks;
    std::vector<StepTaskTimes> tasks;
    std::vector<StepShare> critical;  // the critical path by task, largest first
    std::vector<StepTrial> advice;
    double average_w = 0;  // of a device; 0: not known
    double limit_w = 0;
};

/// Reads `step` of a recording's metadata. What does not fit is left out: the file may come from anyone.
[[nodiscard]] RecordedStep step_from_json(const nlohmann::json& values);

/// True if the recording is one of a step.
[[nodiscard]] bool is_step(const record::Recording& recording);

/// True if it is one of a host program, which is told as a step is.
[[nodiscard]] bool is_program(const record::Recording& recording);

/// The step of a recording, or nothing if it is of something else.
[[nodiscard]] std::optional<RecordedStep> step_of(const record::Recording& recording);

/// The rank that computes longest, for which the others wait; 0 if there is none.
[[nodiscard]] std::size_t slowest_rank(const RecordedStep& step);

/// "step" or "program", "rank" or "device": what its words are about.
[[nodiscard]] std::string_view whole_of(const RecordedStep& step);
[[nodiscard]] std::string_view part_of(const RecordedStep& step);

/// Where the time of the slowest rank goes, in one sentence.
[[nodiscard]] std::string verdict(const RecordedStep& step);

/// The times of the task that a span of this name stands for ("launch of x" is of x); null if there are none.
[[nodiscard]] const StepTaskTimes* times_of(const RecordedStep& step, std::string_view span);

}  // namespace ascendsim::analysis
