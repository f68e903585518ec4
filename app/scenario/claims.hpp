// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/scenario/overrides.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::scenario {

/// A number that claims are judged with, from [facts]: `flops = "4 * tokens * 4096 * 16384"`.
struct Fact {
    std::string name;
    std::string expression;
    std::string place;
};

/// A figure somebody has stated of a workload, from [[claims]]. Audited, never fitted. Expressions may use
/// facts, `value`, `chip.<path>`, `chip.peak_tflops` and, where the file is a scenario, figures of its runs:
/// `time_us`, or `time_us@native` of the run with that variant.
struct Claim {
    std::string what;  // the claim as stated
    std::string source;
    std::string value;  // expression
    std::string unit;
    std::string quantity;  // expression: what a run gives for it; empty: no run judges it
    std::string bound;     // expression: the best that physics or algebra allows; empty: none known
    std::string equals;    // expression: what it must agree with; empty: nothing
    std::string needs;     // expression: what it would take, shown beside `has`
    std::string has;       // expression: what there is of it
    std::string needs_unit;
    std::string note;            // why the bound is one
    bool less_is_better = true;  // a time; otherwise a rate or a factor
    double tolerance = 0.1;      // relative, of `quantity` and `equals`
    std::vector<Override> when;  // the variant it speaks of
    std::string place;
};

/// [facts] of a file.
[[nodiscard]] std::vector<Fact> read_facts(TableReader& root);
/// [[claims]] of a file.
[[nodiscard]] std::vector<Claim> read_claims(TableReader& root);

}  // namespace ascendsim::scenario
