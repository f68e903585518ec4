// SPDX-License-Identifier: Apache-2.0
// Prototypes of operators in graphs (REG_OP): taken, and not used, for a definition says the same.
#pragma once

#include "graph/operator.h"

namespace ge {

/// The parts of a prototype, one call each.
class Prototype {
public:
    const Prototype& Part(const char* /*name*/) const { return *this; }
};

}  // namespace ge

#define REG_OP(type) \
    [[maybe_unused]] static const ::ge::Prototype ascendsim_prototype_of_##type = ::ge::Prototype {}
#define INPUT(name, ...) Part(#name)
#define OPTIONAL_INPUT(name, ...) Part(#name)
#define DYNAMIC_INPUT(name, ...) Part(#name)
#define OUTPUT(name, ...) Part(#name)
#define DYNAMIC_OUTPUT(name, ...) Part(#name)
#define ATTR(name, ...) Part(#name)
#define REQUIRED_ATTR(name, ...) Part(#name)
#define GRAPH(name) Part(#name)
#define DYNAMIC_GRAPH(name) Part(#name)
#define OP_END_FACTORY_REG(type) Part(#type);
