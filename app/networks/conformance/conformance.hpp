// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "models/spec/chip_spec.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::report {

/// One test of ONNX's backend test data, and how it ended.
struct ConformanceTest {
    std::filesystem::path folder;  // with model.onnx and test_data_set_…
    std::string suite;             // the folder's folder, as in "node"
    std::string name;
    std::string outcome;  // "passed", "refused", "wrong" or "crashed"
    std::string reason;   // of all but "passed"
    /// Of "passed": "kernels", or "folding" where no kernel had to run. Of "refused": "ai_cpu" where the AI
    /// CPU computes a part of it, and all numbers are right.
    std::string by;
    std::vector<std::string> operators;
};

/// How the tests are run.
struct ConformanceOptions {
    std::size_t jobs = 2;
    std::string only;  // a part of the name; empty: all
    std::function<void(std::size_t done, std::size_t all)> progress;
};

/// Runs all tests below `folder`, by name. Kernels compute the numbers, many tests in one process; where that
/// fails, each of its tests has one of its own.
[[nodiscard]] std::vector<ConformanceTest> run_conformance(const std::filesystem::path& folder,
                                                           const ChipSpec& chip,
                                                           const toolchain::Installation& installation,
                                                           const ConformanceOptions& options);

/// `chip`, `summary` {passed, refused, wrong, crashed}, and `tests` [{suite, name, outcome, by, reason,
/// operators}].
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<ConformanceTest>& tests,
                                             const std::string& chip);

/// Prints the counts, what most tests are refused for, and each that is wrong or crashed.
void print_conformance(std::ostream& out, const std::vector<ConformanceTest>& tests);

/// The page docs/onnx.md: what is passed of each operator, and why tests are refused.
[[nodiscard]] std::string conformance_page(const std::vector<ConformanceTest>& tests,
                                           const std::string& chip);

}  // namespace ascendsim::report
