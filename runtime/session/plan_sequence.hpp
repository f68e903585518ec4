// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/plan/comparison.hpp"
#include "runtime/launches/plan_functions.hpp"
#include "runtime/session/run_request.hpp"
#include "runtime/session/session.hpp"

namespace ascendsim::runtime {

/// Bytes of a plan's buffers by their names.
using Contents = std::map<std::string, std::vector<std::byte>, std::less<>>;

/// A plan whose kernel functions are compiled and loaded.
struct ReadyPlan {
    /// Throws UserError with the compiler's message.
    ReadyPlan(PlannedRun planned, const ChipSpec& chip, const toolchain::Installation& installation)
        : run{std::move(planned)}, functions{run, chip, installation} {}

    ReadyPlan(const ReadyPlan&) = delete;
    ReadyPlan& operator=(const ReadyPlan&) = delete;
    ~ReadyPlan() = default;

    PlannedRun run;
    PlanFunctions functions;
};

/// What a plan of a sequence came to.
struct PlanOutcome {
    Contents outputs;
    std::vector<host::Comparison> comparisons;                           // with the plan's reference
    std::map<std::string, std::vector<double>, std::less<>> expected{};  // that reference
    std::uint64_t cycles = 0;
};

/// Runs a plan to its end: its inputs are filled as `contents` say, the others as the plan does.
using RunPlan = std::function<PlanOutcome(const ReadyPlan& plan, const Contents& contents)>;

/// Runs plans one after the other on one machine, as `program` asks for them with what those before made.
/// `plans` are all that it may run. A process runs one sequence. What a kernel does wrong ends the sequence
/// and is the outcome's failure.
[[nodiscard]] SessionOutcome run_sequence(const RunRequest& request,
                                          const std::vector<const ReadyPlan*>& plans,
                                          const std::function<void(const RunPlan&)>& program);

}  // namespace ascendsim::runtime
