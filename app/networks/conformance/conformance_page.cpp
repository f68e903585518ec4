// SPDX-License-Identifier: Apache-2.0
// What the backend tests came to, as text and as docs/onnx.md.
#include <algorithm>
#include <map>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "app/networks/conformance/conformance.hpp"

namespace ascendsim::report {
namespace {

using Counts = std::map<std::string, std::size_t>;

Counts outcomes_of(const std::vector<ConformanceTest>& tests) {
    Counts counts{{"passed", 0}, {"refused", 0}, {"wrong", 0}, {"crashed", 0}};
    for (const ConformanceTest& test : tests) {
        ++counts[test.outcome];
    }
    return counts;
}

/// Reasons of refusals, most frequent first.
std::vector<std::pair<std::string, std::size_t>> reasons_of(const std::vector<ConformanceTest>& tests) {
    Counts counts;
    for (const ConformanceTest& test : tests) {
        if (test.outcome == "refused") {
            ++counts[test.reason];
        }
    }
    std::vector<std::pair<std::string, std::size_t>> sorted{counts.begin(), counts.end()};
    std::ranges::stable_sort(sorted, std::ranges::greater{}, &std::pair<std::string, std::size_t>::second);
    return sorted;
}

/// Text in a cell of a table.
std::string cell(std::string text) {
    for (std::size_t at = 0; (at = text.find_first_of("|<>\n", at)) != std::string::npos; ++at) {
        text[at] = text[at] == '\n' ? ' ' : '/';
    }
    return text;
}

std::string operators_table(const std::vector<ConformanceTest>& tests) {
    std::map<std::string, Counts> operators;
    for (const ConformanceTest& test : tests) {
        for (const std::string& name : test.operators) {
            ++operators[name][test.outcome];
            ++operators[name][test.by];
        }
    }
    std::string text = "| operator | passed by kernels | by folding | refused |\n|---|---|---|---|\n";
    for (auto& [name, counts] : operators) {
        text += fmt::format(
            "| {} | {} | {} | {} |\n", cell(name), counts["kernels"], counts["folding"], counts["refused"]);
    }
    return text;
}

}  // namespace

void print_conformance(std::ostream& out, const std::vector<ConformanceTest>& tests) {
    Counts counts = outcomes_of(tests);
    out << fmt::format("{} tests: {} passed, {} refused, {} wrong, {} crashed\n",
                       tests.size(),
                       counts["passed"],
                       counts["refused"],
                       counts["wrong"],
                       counts["crashed"]);
    constexpr std::size_t most = 25;
    std::size_t shown = 0;
    for (const auto& [reason, count] : reasons_of(tests)) {
        if (shown++ < most) {
            out << fmt::format("{:5}  refused: {}\n", count, reason);
        }
    }
    for (const ConformanceTest& test : tests) {
        if (test.outcome == "wrong" || test.outcome == "crashed") {
            out << fmt::format("{}: {}/{}: {}\n", test.outcome, test.suite, test.name, test.reason);
        }
    }
}

std::string conformance_page(const std::vector<ConformanceTest>& tests, const std::string& chip) {
    Counts counts = outcomes_of(tests);
    std::string text = fmt::format(
        "<!-- Written by `ascendsim model --conformance DIR --document docs/onnx.md`: do not edit. -->\n"
        "# ONNX: what runs\n\n"
        "ONNX's backend tests (Debian's `libonnx-testdata`), on {}. A test is passed if the numbers that "
        "simulated\n"
        "kernels or folding computed agree with ONNX's within 1e-3 relative (1e-6 near zero). What CANN "
        "would give\n"
        "to the AI CPU counts as refused.\n\n"
        "| tests | passed | refused | wrong | crashed |\n|---|---|---|---|---|\n| {} | {} | {} | {} | {} "
        "|\n\n",
        chip,
        tests.size(),
        counts["passed"],
        counts["refused"],
        counts["wrong"],
        counts["crashed"]);
    text += "## By operator\n\nTests of which the operator is a part.\n\n" + operators_table(tests);
    text += "\n## Why tests are refused\n\n| tests | reason |\n|---|---|\n";
    for (const auto& [reason, count] : reasons_of(tests)) {
        text += fmt::format("| {} | {} |\n", count, cell(reason));
    }
    return text;
}

}  // namespace ascendsim::report
