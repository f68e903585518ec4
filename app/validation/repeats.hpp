// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/validation/validation.hpp"

namespace ascendsim::validation {

/// How far measurements of one family agree with each other. Rows of the same work have chip, kernel, metric,
/// types, number of tensors and elements of the first in common: (1024, 4) and (4096) are the same work to an
/// element-wise operator.
struct Repeats {
    std::string family;
    std::size_t rows = 0;       // of the family, that ran
    std::size_t repeating = 0;  // of these, rows whose work another row has too
    double spread = 0;          // mean distance of the repeating rows from the mean of their work, x
    double kendall = 0;         // what knowing that mean of each work would reach over all rows
};

/// The same of each family whose black box rows have work in common, in the families' order.
[[nodiscard]] std::vector<Repeats> repeats_of(const Validation& validation);

/// Sets the standard error of the measured time of rows whose work was measured more than once: the deviation
/// of a single measurement over their mean.
void add_standard_errors(Validation& validation);

/// The repeats as a section of a document; empty if no work was measured twice.
[[nodiscard]] std::string repeats_markdown(const Validation& validation);

}  // namespace ascendsim::validation
