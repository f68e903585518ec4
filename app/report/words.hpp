// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/analysis/blame/path_walker.hpp"
#include "app/analysis/run_summary.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::report {

/// What the labels of `reasons` mean, in one line: "waiting for data: a flag from a pipe upstream: …".
[[nodiscard]] std::string legend(const std::set<record::Reason>& reasons);
/// "scalar: 12.3 % of its busy cycles are …"; empty where the kernel's own arithmetic was not counted.
[[nodiscard]] std::string arithmetic(const analysis::RunSummary& summary);
/// Which pipes the vendor's profiler shows otherwise than busy cycles do, and how; empty where it is none.
[[nodiscard]] std::string profiler_words(const analysis::RunSummary& summary);
/// "kernel.cpp:12", without folders; empty for no place.
[[nodiscard]] std::string place(const record::SourceLine& line);
/// "mmad at kernel.cpp:12".
[[nodiscard]] std::string instruction(const record::Recording& recording,
                                      std::uint32_t op,
                                      std::uint32_t site);

/// A hazard's text, line by line, with the lines of source that it is about; what it holds as JSON if it has
/// none.
[[nodiscard]] std::vector<std::string> hazard_lines(const nlohmann::json& hazard);

}  // namespace ascendsim::report
