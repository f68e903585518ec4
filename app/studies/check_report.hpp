// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/report/style.hpp"
#include "app/studies/check_run.hpp"

namespace ascendsim::study {

/// Lines with the slowest `most` runs by what their simulation took, as of `--durations`.
[[nodiscard]] std::string durations_text(const std::vector<CheckedRun>& runs, std::size_t most);

/// What a check found, for people: each run, and each thing that was checked of it.
[[nodiscard]] std::string check_text(const std::vector<CheckedRun>& runs, const report::Style& style);

/// A line with the names of runs of which nothing is known since the check was stopped, or nothing.
[[nodiscard]] std::string not_run_text(const std::vector<std::string>& not_run);

/// The same for programs: `passed`; `stopped` and `not_run`, the names of runs that this kept from being
/// made; and `runs`: {run, passed, page, wall_s, checks: {name, passed, text, file, line}, figures: as `run
/// --json`}.
[[nodiscard]] nlohmann::ordered_json check_json(const std::vector<CheckedRun>& runs,
                                                const std::vector<std::string>& not_run = {});

/// The same as JUnit XML: a suite a run, a case a check; of a run that was not made one that was skipped.
[[nodiscard]] std::string junit_xml(const std::vector<CheckedRun>& runs,
                                    const std::vector<std::string>& not_run = {});

/// Annotations as GitHub's runners read them from a step's output: one line for each failed check.
[[nodiscard]] std::string github_annotations(const std::vector<CheckedRun>& runs);

/// A summary in Markdown, failures first.
[[nodiscard]] std::string check_markdown(const std::vector<CheckedRun>& runs,
                                         const std::vector<std::string>& not_run = {});

}  // namespace ascendsim::study
