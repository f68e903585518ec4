// SPDX-License-Identifier: Apache-2.0
#include "networks/patterns/pattern.hpp"

#include <utility>

namespace ascendsim::networks {

Node replacing(const PatternView& view,
               const std::string& output,
               std::string op,
               std::vector<std::string> inputs,
               std::map<std::string, Attribute, std::less<>> attributes) {
    return {.name = view.node(view.maker(output)).name,
            .op = std::move(op),
            .inputs = std::move(inputs),
            .outputs = {output},
            .attributes = std::move(attributes)};
}

}  // namespace ascendsim::networks
