// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/usual_node.hpp"

namespace ascendsim::scenario {

std::string usual_node(const ChipSpec& chip) {
    if (chip.name.starts_with("910c")) {
        return "atlas800t_a3";
    }
    if (chip.cores.split || chip.name.starts_with("910")) {
        return "atlas800t_a2";
    }
    return chip.name == "310" ? "atlas500" : "atlas300i_pro";
}

}  // namespace ascendsim::scenario
