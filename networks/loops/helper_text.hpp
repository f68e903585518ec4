// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ascendsim::networks::loops {

/// Device functions that a generated source may begin with.
struct HelperNeeds {
    bool combine = false;  // operands that lie differently along rows
    bool expand = false;
    bool multiply_add = false;
    bool reduce_width = false;
    bool reduce_rows = false;
    std::vector<std::string> operations;  // as in "Add"
};

/// Their text.
[[nodiscard]] std::string helper_text(const HelperNeeds& needs);

}  // namespace ascendsim::networks::loops
